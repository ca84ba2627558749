! What the preprocessor is told to write, includes with paths, branches that contradict each other.
#define OCEAN_COMM ocean%comm
#define WORKING_TYPE MPI_DOUBLE_PRECISION
#define HANDLE integer
#define WITH_ARGUMENTS(x) call MPI_Barrier(x, ierr)
#include "parts/types.inc"
subroutine couple(ocean, mytype, n)
  use mpi
  use ocean_types
  implicit none
  include 'parts/dummies.inc' !? n=none, mytype=datatype, ocean%comm=comm, ocean%levels=none
  HANDLE :: left, right !? left=request, right=request
  integer :: real_kind, undefined, ierr, either !? real_kind=datatype, undefined=none, ierr=none, either=conflict
  real_kind = WORKING_TYPE
  call MPI_Isend(n, 1, mytype, 0, 0, OCEAN_COMM, left, ierr)
#undef HANDLE
#ifdef OLD
  call MPI_Type_commit(either, ierr)
#elif defined(NEWER)
  call MPI_Irecv(n, 1, mytype, 0, 0, OCEAN_COMM, right, ierr)
#else
  call MPI_Comm_free(either, ierr)
# if 0
  call MPI_Comm_free(undefined, ierr)
# else
  continue
# endif
#endif
  WITH_ARGUMENTS(undefined)
end subroutine couple
