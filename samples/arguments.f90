! arguments.f90 - dummy arguments and components of which gdb does not know all, to look at in a debugger:
!                                                                                        mpirun -n 1 arguments
module ocean_arguments
  implicit none

  type :: region
    integer :: depth
    type(region), allocatable :: inner, parts(:)
  end type region

contains

  ! The caller passes neither opt nor list.
  subroutine look(field, ends, n, m, opt, list)
    integer, intent(in) :: n, m
    real(8), intent(inout) :: field(0:n-1, -m:m)
    integer, intent(in) :: ends(*)
    integer, optional, intent(in) :: opt, list(:)
    type(region) :: here
    integer :: at

    at = 1
    here%depth = 40
    allocate (here%inner, here%parts(2))
    here%inner%depth = 50
    field(0, -m) = field(0, -m) + ends(3) ! stop: all arguments given
    if (present(opt)) at = at + opt
    if (present(list)) at = at + list(1)
    print *, at, field(0, -m), here%inner%depth
  end subroutine look
end module ocean_arguments

program arguments
  use mpi
  use ocean_arguments
  implicit none
  real(8) :: field(4, 5)
  integer :: ends(3), ierror

  call MPI_Init(ierror)
  field = 1000.5d0
  ends = [7, 8, 9]
  call look(field, ends, 4, 2)
  call MPI_Finalize(ierror)
end program arguments
