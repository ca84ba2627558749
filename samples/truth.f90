! truth.f90 - the Fortran side of truth.h: prints what MPI itself says about the handles of a sample.
! A handle is given as its INTEGER: the variable itself with "use mpi", comm%MPI_VAL with "use mpi_f08".
module truth
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_null_char
  implicit none
  private
  public :: truth_begin, truth_comm, truth_freed, truth_garbage
  public :: truth_integer_attribute, truth_address_attribute, wait_for_debugger

  interface
    subroutine truth_begin_for_fortran(truth, wait) bind(c)
      import :: c_int
      integer(c_int), value :: truth, wait
    end subroutine truth_begin_for_fortran

    subroutine truth_comm_for_fortran(ask, expression, comm) bind(c)
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: ask(*), expression(*)
      integer(c_int), value :: comm
    end subroutine truth_comm_for_fortran

    subroutine truth_bad_for_fortran(expression, value, is_freed) bind(c)
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: expression(*)
      integer(c_int), value :: value, is_freed
    end subroutine truth_bad_for_fortran

    subroutine truth_keyval_for_fortran(keyval, is_address) bind(c)
      import :: c_int
      integer(c_int), value :: keyval, is_address
    end subroutine truth_keyval_for_fortran

    subroutine wait_for_debugger() bind(c, name="wait_for_debugger_for_fortran")
    end subroutine wait_for_debugger
  end interface

contains

  ! Call once, after MPI_Init. Reads the arguments --truth and --wait.
  subroutine truth_begin()
    character(len=16) :: argument
    integer :: i, wanted, waiting

    wanted = 0
    waiting = 0
    do i = 1, command_argument_count()
      call get_command_argument(i, argument)
      if (argument == "--truth") wanted = 1
      if (argument == "--wait") waiting = 1
    end do
    call truth_begin_for_fortran(wanted, waiting)
  end subroutine truth_begin

  ! ask: what to ask for, where that is more than the handle itself (a whole array, say).
  subroutine truth_comm(expression, comm, ask)
    character(len=*), intent(in) :: expression
    integer, intent(in) :: comm
    character(len=*), intent(in), optional :: ask

    if (present(ask)) then
      call truth_comm_for_fortran(ask // c_null_char, expression // c_null_char, comm)
    else
      call truth_comm_for_fortran(c_null_char, expression // c_null_char, comm)
    end if
  end subroutine truth_comm

  ! The number of a communicator that is no more.
  subroutine truth_freed(expression, comm)
    character(len=*), intent(in) :: expression
    integer, intent(in) :: comm
    call truth_bad_for_fortran(expression // c_null_char, comm, 1)
  end subroutine truth_freed

  ! A number that never was a communicator.
  subroutine truth_garbage(expression, comm)
    character(len=*), intent(in) :: expression
    integer, intent(in) :: comm
    call truth_bad_for_fortran(expression // c_null_char, comm, 0)
  end subroutine truth_garbage

  subroutine truth_integer_attribute(keyval)
    integer, intent(in) :: keyval
    call truth_keyval_for_fortran(keyval, 0)
  end subroutine truth_integer_attribute

  subroutine truth_address_attribute(keyval)
    integer, intent(in) :: keyval
    call truth_keyval_for_fortran(keyval, 1)
  end subroutine truth_address_attribute

end module truth
