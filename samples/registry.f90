! registry.f90 - handles that the program does not say are handles: it keeps them in a table of numbers, as many old codes
! do. The user says it: "Show as MPI handle" in VS Code, or    mpidbg show comm.f:mine --launcher PID
!
!     mpifort -g -O0 registry.f90 -o registry && mpirun -n 2 registry
module kept
  implicit none
  integer :: table(3)

contains

  ! What is in the table is known only to those that put it there.
  integer function entry_of(place) result(number)
    integer, intent(in) :: place
    number = table(place)
  end function entry_of

end module kept

program registry
  use mpi
  use kept
  implicit none

  integer :: mine, steps, ierror

  call MPI_Init(ierror)
  table(1) = 50
  call MPI_Comm_dup(MPI_COMM_WORLD, table(2), ierror)
  call MPI_Comm_set_name(table(2), "kept", ierror)
  table(3) = table(1) + 1

  mine = entry_of(2)
  steps = entry_of(1)
  call work(mine, steps)

  call MPI_Comm_free(table(2), ierror)
  call MPI_Finalize(ierror)

contains

  subroutine work(number, steps)
    integer, intent(in) :: number, steps
    integer :: other

    other = number
    print '(a, i0, a)', "after ", steps, " steps" ! stop: nobody says what number is
    if (other /= number) print '(a)', "it has changed"
  end subroutine work

end program registry
