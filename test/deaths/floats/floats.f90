! floats.f90 - rank 1 makes a NaN in an array of a module's procedure.
module relax_m
contains
  subroutine relax(u, scale)
    real(8), intent(inout) :: u(:)
    real(8), intent(in) :: scale
    integer :: i
    do i = 1, size(u)
      u(i) = u(i) / scale ! traps: fortran
    end do
  end subroutine
end module

program floats
  use mpi
  use relax_m
  integer :: rank, ierror
  real(8) :: u(4), scale
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  u = 0
  scale = 1
  if (rank == 1) scale = 0
  call relax(u, scale)
  if (u(1) > 5) print *, u
  call MPI_Finalize(ierror)
end program
