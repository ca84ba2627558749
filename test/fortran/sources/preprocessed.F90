! Both branches of conditionals are read; a heading in both opens one scope.
#ifdef WITH_MPI
subroutine setup(comm, ierr)
#else
subroutine setup(ierr)
#endif
#if defined(WITH_MPI) && \
    !defined(SERIAL)
  use mpi
#endif
  implicit none
  integer :: ierr !? ierr=none
  integer :: comm, copy, never, req !? comm=comm, copy=comm, never=none, req=request
#if 0
  call MPI_Comm_free(never, ierr)
#endif
#ifdef WITH_MPI
  call MPI_Comm_dup(comm, copy, ierr)
#else
  copy = 0
#endif
!$ call MPI_Wait(req, MPI_STATUS_IGNORE, ierr)
!$omp parallel private(never)
!$omp end parallel
contains
  subroutine inner
#include "declared.inc"
    call MPI_File_open(comm, 'x', 0, MPI_INFO_NULL, fh, ierr) !? fh=file
  end subroutine
end subroutine
