! parts.f90 - derived types, arrays of them, pointers backwards and with bounds of their own, with handles in all of
! them, as TYPE(MPI_Comm) and as INTEGER.      mpirun -n 2 components
!
! Rank 0 prints "part ROOT EXPRESSION NAME" for each handle in the value of ROOT, with the name that MPI gives the
! communicator, "status ROOT EXPRESSION TAG", and "count EXPRESSION N" for each list.
module harbours
  use mpi_f08, only: MPI_Comm, MPI_Status
  implicit none

  type :: lane
    type(MPI_Comm) :: comm
    integer :: width
  end type lane

  type :: harbour
    real(8) :: depth
    type(MPI_Comm) :: comms(0:2)
    type(lane) :: lanes(2)
    integer :: handle
    type(lane), allocatable :: more(:)
  end type harbour

  type, extends(harbour) :: port
    type(MPI_Comm) :: customs
    type(MPI_Status) :: last
  end type port

  integer :: made = 0, world_rank = 0

contains

  subroutine another(comm)
    use mpi_f08
    type(MPI_Comm), intent(out) :: comm
    character(len=12) :: name
    made = made + 1
    call MPI_Comm_dup(MPI_COMM_SELF, comm)
    write (name, '(a, i0)') "part ", made
    call MPI_Comm_set_name(comm, trim(name))
  end subroutine another

  subroutine fill(h)
    class(harbour), intent(inout) :: h
    type(MPI_Comm) :: comm
    integer :: i
    h%depth = 4.5d0
    do i = 0, 2
      call another(h%comms(i))
    end do
    do i = 1, 2
      call another(h%lanes(i)%comm)
      h%lanes(i)%width = i
    end do
    allocate (h%more(3:4))
    do i = 3, 4
      call another(h%more(i)%comm)
      h%more(i)%width = i
    end do
    call another(comm)
    h%handle = comm%MPI_VAL
  end subroutine fill

  subroutine told(root, expression, comm)
    use mpi_f08
    character(len=*), intent(in) :: root, expression
    type(MPI_Comm), intent(in) :: comm
    character(len=MPI_MAX_OBJECT_NAME) :: name
    integer :: length
    call MPI_Comm_get_name(comm, name, length)
    if (world_rank == 0) print '(6a)', "part ", root, " ", expression, " ", name(1:length)
  end subroutine told

  subroutine told_harbour(root, expression, h)
    character(len=*), intent(in) :: root, expression
    class(harbour), intent(in) :: h
    type(MPI_Comm) :: comm
    call told(root, expression//"%comms(0)", h%comms(0))
    call told(root, expression//"%comms(1)", h%comms(1))
    call told(root, expression//"%comms(2)", h%comms(2))
    call told(root, expression//"%lanes(1)%comm", h%lanes(1)%comm)
    call told(root, expression//"%lanes(2)%comm", h%lanes(2)%comm)
    comm%MPI_VAL = h%handle
    call told(root, expression//"%handle", comm)
    call told(root, expression//"%more(3)%comm", h%more(3)%comm)
    call told(root, expression//"%more(4)%comm", h%more(4)%comm)
  end subroutine told_harbour

  subroutine told_count(expression, count)
    character(len=*), intent(in) :: expression
    integer, intent(in) :: count
    if (world_rank == 0) print '(3a, i0)', "count ", expression, " ", count
  end subroutine told_count

  subroutine fill_columns(columns)
    use mpi
    integer, intent(out) :: columns(MPI_STATUS_SIZE, 4)
    integer :: i, token, ierror
    do i = 1, 4
      call MPI_Sendrecv(i, 1, MPI_INTEGER, world_rank, 40 + i, token, 1, MPI_INTEGER, world_rank, 40 + i, &
                        MPI_COMM_WORLD, columns(:, i), ierror)
    end do
  end subroutine fill_columns

end module harbours

program components
  use mpi_f08
  use harbours
  use truth
  implicit none

  type(harbour), target :: one, two(-1:0)
  type(port), target :: ferry
  type(MPI_Comm), target :: comms(6), table(0:1, 3:4)
  type(MPI_Comm), pointer :: back(:), low(:), to_comm
  type(harbour), pointer :: to_one
  type(lane), pointer :: turned(:)
  type(MPI_Status), target :: statuses(3)
  integer, target :: columns(MPI_STATUS_SIZE, 4)
  integer, pointer :: columns_back(:, :)
  integer :: i, j, token
  character(len=12) :: number

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, world_rank)
  call truth_begin()
  call fill(one)
  call fill(two(-1))
  call fill(two(0))
  call fill(ferry)
  call another(ferry%customs)
  do i = 1, 6
    call another(comms(i))
  end do
  do j = 3, 4
    do i = 0, 1
      call another(table(i, j))
    end do
  end do
  back => comms(6:1:-2)
  low(-2:) => comms(5:1:-4)
  to_comm => comms(4)
  to_one => one
  turned => one%lanes(2:1:-1)
  do i = 1, 3
    call MPI_Sendrecv(i, 1, MPI_INTEGER, world_rank, 30 + i, token, 1, MPI_INTEGER, world_rank, 30 + i, MPI_COMM_WORLD, &
                      statuses(i))
  end do
  ferry%last = statuses(2)
  call fill_columns(columns)
  columns_back => columns(:, 4:1:-2)

  call told_harbour("one", "one", one)
  call told_harbour("to_one", "to_one", to_one)
  call told_harbour("ferry", "ferry%harbour", ferry%harbour)
  call told("ferry", "ferry%customs", ferry%customs)
  call told_harbour("two(-1)", "two(-1)", two(-1))
  call told_harbour("two", "two(-1)", two(-1))
  call told_harbour("two", "two(0)", two(0))
  call told("turned", "turned(1)%comm", turned(1)%comm)
  call told("turned", "turned(2)%comm", turned(2)%comm)
  do i = 1, 3
    write (number, '(i0)') i
    call told("back", "back("//trim(number)//")", back(i))
  end do
  call told("low", "low(-2)", low(-2))
  call told("low", "low(-1)", low(-1))
  do i = 2, 6, 2
    write (number, '(i0)') i
    call told("comms(2:6:2)", "comms("//trim(number)//")", comms(i))
  end do
  call told("to_comm", "to_comm", to_comm)
  do j = 3, 4
    do i = 0, 1
      write (number, '(i0, a, i0)') i, ",", j
      call told("table", "table("//trim(number)//")", table(i, j))
    end do
  end do
  if (world_rank == 0) then
    do i = 1, 3
      print '(a, i0, a, i0)', "status statuses statuses(", i, ") ", statuses(i)%MPI_TAG
    end do
    do i = 1, 2
      print '(a, i0, a, i0)', "status columns_back columns_back(:,", i, ") ", columns_back(MPI_TAG, i)
    end do
    do i = 2, 3
      print '(a, i0, a, i0)', "status columns(:,2:3) columns(:,", i, ") ", columns(MPI_TAG, i)
    end do
    print '(a, i0)', "status ferry ferry%last ", ferry%last%MPI_TAG
  end if
  call told_count("one%comms", size(one%comms))
  call told_count("one%more", size(one%more))
  call told_count("back", size(back))
  call told_count("low", size(low))
  call told_count("turned", size(turned))
  call told_count("table", size(table, 2))
  call told_count("columns_back", size(columns_back, 2))
  call told_count("comms(2:6:2)", size(comms(2:6:2)))
  print '(a, i0, a)', "rank ", world_rank, ": parts told"
  flush (6)
  call wait_for_debugger() ! stop: all parts told
  if (to_one%lanes(1)%width + token == 0) print *, "nothing"
  call MPI_Finalize()
end program components
