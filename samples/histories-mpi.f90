! histories-mpi.f90 - where handles come from, in Fortran, compiled for mpif.h (MPIF), "use mpi" and "use mpi_f08" (F08). It tells
! what it has made and freed, and in which lines, as histories.c does. Statements whose lines are told are one line each.
program histories
#ifdef F08
  use mpi_f08
#elif !defined(MPIF)
  use mpi
#endif
  use truth, only: wait_for_debugger, truth_begin
  implicit none
#ifdef MPIF
  include 'mpif.h'
#endif
#ifdef F08
#define HANDLE(kind) type(kind)
#else
#define HANDLE(kind) integer
#endif
  HANDLE(MPI_Comm) :: ocean, brief, gone_comm
  HANDLE(MPI_Datatype) :: column, gone_type
  HANDLE(MPI_Request) :: request, pending
  HANDLE(MPI_Group) :: group
  HANDLE(MPI_Info) :: info
  integer :: rank, size, right, left, ierr, i
  integer :: numbers(10), more(10), last(10)
  integer :: made, freed, waited, ocean_made, column_made, pending_made, gone_made, gone_freed, type_made, type_freed
  integer :: group_made, info_made

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
  call truth_begin()
  right = mod(rank + 1, size)
  left = mod(rank + size - 1, size)
  numbers = rank
  ! The one that is made next has the handle of the last of these: nothing else is freed in between.
  do i = 1, 3
    call MPI_Comm_dup(MPI_COMM_WORLD, brief, ierr); made = __LINE__
    call MPI_Comm_set_name(brief, 'brief', ierr)
    gone_comm = brief
    call MPI_Comm_free(brief, ierr); freed = __LINE__
  end do
  call MPI_Comm_dup(MPI_COMM_WORLD, ocean, ierr); ocean_made = __LINE__
  if (.not. same(gone_comm, ocean)) error stop 'the communicator has another handle than the one that was freed'
  call MPI_Type_vector(2, 1, 3, MPI_INTEGER, column, ierr); column_made = __LINE__
  call MPI_Type_commit(column, ierr)
  call MPI_Comm_group(ocean, group, ierr); group_made = __LINE__
  call MPI_Info_create(info, ierr); info_made = __LINE__
  call MPI_Irecv(more, 1, MPI_INTEGER, left, 3, ocean, request, ierr)
  call MPI_Send(numbers, 1, MPI_INTEGER, right, 3, ocean, ierr)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierr); waited = __LINE__
  call MPI_Irecv(last, 1, MPI_INTEGER, left, 4, ocean, pending, ierr); pending_made = __LINE__
  call MPI_Comm_split(ocean, 0, rank, brief, ierr); gone_made = __LINE__
  call MPI_Type_contiguous(3, MPI_INTEGER, gone_type, ierr); type_made = __LINE__
  gone_comm = brief
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call MPI_Comm_free(brief, ierr); gone_freed = __LINE__
  call free_type(gone_type)

  print '(a,i0,100a)', 'HISTORY {"rank":', rank, ',"handles":[', &
    '{"kind":"comm","expression":"ocean","isThere":true,', called('created', 'MPI_Comm_dup', ocean_made), &
    ',"earlier":[', before(), ',', before(), ',', before(), ']},', &
    '{"kind":"datatype","expression":"column","isThere":true,', called('created', 'MPI_Type_vector', column_made), &
    ',"earlier":[]},', &
    '{"kind":"group","expression":"group","isThere":true,', called('created', 'MPI_Comm_group', group_made), &
    ',"earlier":[]},', &
    '{"kind":"info","expression":"info","isThere":true,', called('created', 'MPI_Info_create', info_made), &
    ',"earlier":[]},', &
    '{"kind":"request","expression":"pending","isThere":true,"skipsEarlier":true,', &
    called('created', 'MPI_Irecv', pending_made), &
    ',"earlier":[]},', &
    '{"kind":"comm","expression":"gone_comm","isThere":false,', called('freed', 'MPI_Comm_free', gone_freed), '},', &
    '{"kind":"datatype","expression":"gone_type","isThere":false,', called('freed', 'MPI_Type_free', type_freed), '}', ']}'
  flush (6)
  call wait_for_debugger() ! stop: histories of Fortran
  call MPI_Send(numbers, 1, MPI_INTEGER, right, 4, ocean, ierr)
  call MPI_Wait(pending, MPI_STATUS_IGNORE, ierr)
  if (waited == 0 .or. gone_made == 0 .or. type_made == 0) error stop 'no lines'
  call MPI_Finalize(ierr)

contains
  ! A copy of the handle is freed: the program's variable keeps its value.
  subroutine free_type(type)
    HANDLE(MPI_Datatype), intent(in) :: type
    HANDLE(MPI_Datatype) :: copy
    copy = type
    call MPI_Type_free(copy, ierr); type_freed = __LINE__
  end subroutine free_type

  logical function same(one, other)
    HANDLE(MPI_Comm), intent(in) :: one, other
    same = number(one) == number(other)
  end function same

  function number(comm) result(text)
    HANDLE(MPI_Comm), intent(in) :: comm
    character(len=12) :: text
#ifdef F08
    write (text, '(i0)') comm%MPI_VAL
#else
    write (text, '(i0)') comm
#endif
  end function number

  function called(field, name, line) result(text)
    character(len=*), intent(in) :: field, name
    integer, intent(in) :: line
    character(len=80) :: text
    write (text, '(5a,i0,a)') '"', field, '":{"call":"', name, '","line":', line, '}'
  end function called

  function before() result(text)
    character(len=200) :: text
    text = '{'//trim(called('created', 'MPI_Comm_dup', made))//','//trim(called('freed', 'MPI_Comm_free', freed))// &
           ',"name":"brief"}'
  end function before
end program histories
