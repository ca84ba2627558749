! truth.f90 - the Fortran side of truth.h: prints what MPI itself says about the handles of a sample.
! A handle is given as its INTEGER: the variable itself with "use mpi", comm%MPI_VAL with "use mpi_f08".
module truth
  use, intrinsic :: iso_c_binding, only: c_char, c_funptr, c_int, c_null_char, c_ptr
  implicit none
  private
  public :: truth_begin, truth_comm, truth_freed, truth_garbage
  public :: truth_integer_attribute, truth_address_attribute, wait_for_debugger
  public :: truth_datatype, truth_group, truth_info, truth_predefined_op, truth_op, truth_errhandler
  public :: truth_null_errhandler, truth_receive, truth_send, truth_request, truth_status, truth_message, truth_win, truth_file

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

    subroutine truth_number(expression, number) bind(c, name="truth_datatype_by_number")
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: expression(*)
      integer(c_int), value :: number
    end subroutine truth_number

    subroutine truth_group_number(expression, number) bind(c, name="truth_group_by_number")
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: expression(*)
      integer(c_int), value :: number
    end subroutine truth_group_number

    subroutine truth_info_number(expression, number) bind(c, name="truth_info_by_number")
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: expression(*)
      integer(c_int), value :: number
    end subroutine truth_info_number

    subroutine truth_request_number(expression, number) bind(c, name="truth_request_by_number")
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: expression(*)
      integer(c_int), value :: number
    end subroutine truth_request_number

    subroutine truth_op_number(expression, number, constant, function, name, language) bind(c, name="truth_op_by_number")
      import :: c_char, c_funptr, c_int
      character(kind=c_char), intent(in) :: expression(*), constant(*), name(*), language(*)
      integer(c_int), value :: number
      type(c_funptr), value :: function
    end subroutine truth_op_number

    subroutine truth_errhandler_number(expression, number, comm, function, name) bind(c, name="truth_errhandler_by_number")
      import :: c_char, c_funptr, c_int
      character(kind=c_char), intent(in) :: expression(*), name(*)
      integer(c_int), value :: number, comm
      type(c_funptr), value :: function
    end subroutine truth_errhandler_number

    subroutine truth_null_errhandler_number(expression, number) bind(c, name="truth_null_errhandler_by_number")
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: expression(*)
      integer(c_int), value :: number
    end subroutine truth_null_errhandler_number

    subroutine truth_transfer_number(expression, number, send_mode, is_inactive, buffer, count, type, peer, tag, comm) &
      bind(c, name="truth_transfer_by_number")
      import :: c_char, c_int, c_ptr
      character(kind=c_char), intent(in) :: expression(*), send_mode(*)
      integer(c_int), value :: number, is_inactive, count, type, peer, tag, comm
      type(c_ptr), value :: buffer
    end subroutine truth_transfer_number

    subroutine truth_status_at(expression, status) bind(c, name="truth_status_in_place")
      import :: c_char, c_ptr
      character(kind=c_char), intent(in) :: expression(*)
      type(c_ptr), value :: status
    end subroutine truth_status_at

    subroutine truth_message_number(expression, number, comm, status) bind(c, name="truth_message_by_number")
      import :: c_char, c_int, c_ptr
      character(kind=c_char), intent(in) :: expression(*)
      integer(c_int), value :: number, comm
      type(c_ptr), value :: status
    end subroutine truth_message_number

    subroutine truth_win_number(expression, number, comm, is_fenced) bind(c, name="truth_win_by_number")
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: expression(*)
      integer(c_int), value :: number, comm, is_fenced
    end subroutine truth_win_number

    subroutine truth_file_number(expression, number, filename, comm) bind(c, name="truth_file_by_number")
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: expression(*), filename(*)
      integer(c_int), value :: number, comm
    end subroutine truth_file_number

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

  subroutine truth_datatype(expression, datatype)
    character(len=*), intent(in) :: expression
    integer, intent(in) :: datatype
    call truth_number(expression // c_null_char, datatype)
  end subroutine truth_datatype

  subroutine truth_group(expression, group)
    character(len=*), intent(in) :: expression
    integer, intent(in) :: group
    call truth_group_number(expression // c_null_char, group)
  end subroutine truth_group

  subroutine truth_info(expression, info)
    character(len=*), intent(in) :: expression
    integer, intent(in) :: info
    call truth_info_number(expression // c_null_char, info)
  end subroutine truth_info

  ! constant: the name of one of MPI's own operations.
  subroutine truth_predefined_op(expression, op, constant)
    use, intrinsic :: iso_c_binding, only: c_null_funptr
    character(len=*), intent(in) :: expression, constant
    integer, intent(in) :: op
    call truth_op_number(expression // c_null_char, op, constant // c_null_char, c_null_funptr, c_null_char, c_null_char)
  end subroutine truth_predefined_op

  ! function, name: what the operation calls. MPICH does not know that it was made in Fortran before it is used.
  subroutine truth_op(expression, op, function, name, language)
    character(len=*), intent(in) :: expression, name, language
    integer, intent(in) :: op
    type(c_funptr), intent(in) :: function
    call truth_op_number(expression // c_null_char, op, c_null_char, function, name // c_null_char, language // c_null_char)
  end subroutine truth_op

  ! An error handler that is attached to this communicator alone.
  subroutine truth_errhandler(expression, errhandler, comm, function, name)
    character(len=*), intent(in) :: expression, name
    integer, intent(in) :: errhandler, comm
    type(c_funptr), intent(in) :: function
    call truth_errhandler_number(expression // c_null_char, errhandler, comm, function, name // c_null_char)
  end subroutine truth_errhandler

  !> MPI_ERRHANDLER_NULL.
  subroutine truth_null_errhandler(expression, errhandler)
    character(len=*), intent(in) :: expression
    integer, intent(in) :: errhandler
    call truth_null_errhandler_number(expression//c_null_char, errhandler)
  end subroutine truth_null_errhandler

  subroutine truth_receive(expression, request, buffer, count, datatype, source, tag, comm)
    character(len=*), intent(in) :: expression
    integer, intent(in) :: request, count, datatype, source, tag, comm
    type(c_ptr), intent(in) :: buffer
    call truth_transfer_number(expression // c_null_char, request, c_null_char, 0, buffer, count, datatype, source, tag, comm)
  end subroutine truth_receive

  ! mode: "standard", "synchronous"; an inactive one is persistent.
  subroutine truth_send(expression, request, mode, is_inactive, buffer, count, datatype, destination, tag, comm)
    character(len=*), intent(in) :: expression, mode
    integer, intent(in) :: request, count, datatype, destination, tag, comm
    logical, intent(in) :: is_inactive
    type(c_ptr), intent(in) :: buffer
    call truth_transfer_number(expression // c_null_char, request, mode // c_null_char, merge(1, 0, is_inactive), buffer, &
                               count, datatype, destination, tag, comm)
  end subroutine truth_send

  ! MPI_REQUEST_NULL.
  subroutine truth_request(expression, request)
    character(len=*), intent(in) :: expression
    integer, intent(in) :: request
    call truth_request_number(expression // c_null_char, request)
  end subroutine truth_request

  subroutine truth_status(expression, status)
    character(len=*), intent(in) :: expression
    type(c_ptr), intent(in) :: status
    call truth_status_at(expression // c_null_char, status)
  end subroutine truth_status

  ! status: of the call that probed the message.
  subroutine truth_message(expression, message, comm, status)
    character(len=*), intent(in) :: expression
    integer, intent(in) :: message, comm
    type(c_ptr), intent(in) :: status
    call truth_message_number(expression // c_null_char, message, comm, status)
  end subroutine truth_message

  subroutine truth_win(expression, win, comm, is_fenced)
    character(len=*), intent(in) :: expression
    integer, intent(in) :: win, comm
    logical, intent(in) :: is_fenced
    call truth_win_number(expression // c_null_char, win, comm, merge(1, 0, is_fenced))
  end subroutine truth_win

  subroutine truth_file(expression, file, filename, comm)
    character(len=*), intent(in) :: expression, filename
    integer, intent(in) :: file, comm
    call truth_file_number(expression // c_null_char, file, filename // c_null_char, comm)
  end subroutine truth_file

end module truth
