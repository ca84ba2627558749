! sections.f90 - arrays that lie in memory in every way Fortran knows: sections backwards, with strides, of components, with
! bounds of their own, in derived types; some hold handles.      mpirun -n 2 sections
!
! Rank 1 prints its elements as "element NAME(i,j) ADDRESS VALUE", by its own subscripts and C_LOC.
module shapes
  use mpi_f08, only: MPI_Comm, MPI_Status
  implicit none

  type :: cell
    complex(8) :: z
    real(8) :: w
    integer :: n
    character(len=3) :: c
  end type cell

  type :: grid
    integer :: handle
    character(len=8) :: label
    integer :: subcomms(2)
    real(8) :: field(0:4, -1:2)
    character(len=3) :: tags(3)
    character(len=:), allocatable :: remark, remarks(:)
    character(kind=4, len=4) :: wide
    integer, pointer :: back(:)
    type(cell) :: cells(0:1)
  end type grid

  type(MPI_Comm), target :: typed(6)
  type(MPI_Comm), pointer :: typed_back(:)
  type(MPI_Status), target :: all_statuses(4)
  type(MPI_Status), pointer :: typed_statuses(:)

contains

  subroutine make_typed()
    use mpi_f08
    integer :: i, rank, other, size, incoming
    character(len=8) :: name
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, size)
    other = size - 1 - rank
    do i = 1, 6
      call MPI_Comm_dup(MPI_COMM_SELF, typed(i))
      write (name, '(a, i0)') "typed", i
      call MPI_Comm_set_name(typed(i), trim(name))
    end do
    typed_back => typed(6:1:-2)
    do i = 1, 4
      call MPI_Sendrecv(rank, i, MPI_BYTE, other, 10 + i, incoming, 4, MPI_BYTE, other, 10 + i, MPI_COMM_WORLD, &
                        all_statuses(i))
    end do
    typed_statuses => all_statuses(4:2:-2)
  end subroutine make_typed

end module shapes

program sections
  use, intrinsic :: iso_c_binding, only: c_intptr_t, c_loc, c_ptr
  use mpi
  use truth
  use shapes
  implicit none

  integer, target :: tgt(10), a(5, 9), box(3, 4, 2), comms(6), statuses(MPI_STATUS_SIZE, 4)
  integer, pointer :: heads(:), every(:), m(:, :), mixed(:, :), deep(:, :, :), low(:), remap(:), two(:, :), none(:), one(:)
  integer, pointer :: backwards(:), columns(:, :), of_tags(:)
  integer, allocatable, target :: own(:, :), long(:)
  integer, pointer :: long_back(:)
  type(cell), target :: cells(6)
  type(cell), pointer :: some_cells(:)
  complex(8), pointer :: zs(:)
  real(8), pointer :: ws(:), corners(:, :)
  character(len=3), pointer :: cs(:), cs_back(:)
  character(len=5), target :: words(6)
  character(len=5), pointer :: some_words(:)
  character(len=:), allocatable :: message, lines(:)
  character(kind=4, len=3) :: wide
  type(grid), target :: g, grids(2)
  integer :: rank, size, other, ierror, i, j, k
  character(len=8) :: name

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
  call truth_begin()
  other = size - 1 - rank

  tgt = [(10 * i + rank, i=1, 10)]
  do j = 1, 9
    a(:, j) = [(100 * i + j, i=1, 5)]
  end do
  do k = 1, 2
    do j = 1, 4
      box(:, j, k) = [(100 * i + 10 * j + k, i=1, 3)]
    end do
  end do
  heads => tgt(10:1:-3)
  every => tgt(2:10:4)
  m => a(5:1:-2, 1:9:4)
  mixed => a(1:5:2, 9:1:-4)
  deep => box(3:1:-1, 1:4:3, 2:1:-1)
  low(0:) => tgt(10:1:-3)
  remap(-3:3) => tgt(1:7)
  two(1:2, 0:2) => tgt(1:6)
  none => tgt(5:4)
  one => tgt(7:7:-1)
  allocate (own(-1:1, 2:3), long(100000))
  own = a(1:3, 1:2)
  long = [(i, i=1, 100000)]
  long_back => long(100000:1:-1)

  do i = 1, 6
    cells(i)%z = cmplx(i, -i, 8)
    cells(i)%w = 1.5d0 * i
    cells(i)%n = i
    write (cells(i)%c, '(a, i0)') "c", i
  end do
  some_cells => cells(6:1:-2)
  zs => cells%z
  ws => cells(5:1:-2)%w
  cs => cells%c
  cs_back => cells(6:1:-2)%c
  words = [character(len=5) :: "one", "two", "three", "four", "five", "six"]
  some_words => words(6:1:-2)
  message = "all well"
  allocate (character(len=4) :: lines(2))
  lines = ["tide", "ebb "]
  wide = 4_"abc"

  g%handle = 44
  g%label = "atlantic"
  do j = -1, 2
    g%field(:, j) = [(10 * i + j, i=0, 4)]
  end do
  g%tags = ["aaa", "bbb", "ccc"]
  g%remark = "free text"
  allocate (character(len=4) :: g%remarks(2))
  g%remarks = lines
  g%wide = 4_"wxyz"
  g%back => tgt(10:1:-3)
  g%cells = cells(1:2)
  do i = 1, 2
    call MPI_Comm_dup(MPI_COMM_SELF, g%subcomms(i), ierror)
    write (name, '(a, i0)') "sub", i
    call MPI_Comm_set_name(g%subcomms(i), trim(name), ierror)
  end do
  grids = g
  grids(2)%back => tgt(1:10:4)
  corners => grids(2)%field(4:0:-4, -1:2:3)

  do i = 1, 6
    call MPI_Comm_dup(MPI_COMM_SELF, comms(i), ierror)
    write (name, '(a, i0)') "comm", i
    call MPI_Comm_set_name(comms(i), trim(name), ierror)
  end do
  backwards => comms(6:1:-2)
  call MPI_Barrier(backwards(1), ierror)
  do i = 1, 4
    call MPI_Sendrecv(rank, i, MPI_BYTE, other, i, j, 4, MPI_BYTE, other, i, MPI_COMM_WORLD, statuses(:, i), ierror)
  end do
  columns => statuses(:, 4:2:-2)
  of_tags => statuses(MPI_TAG, :)
  call MPI_Get_count(columns(:, 1), MPI_BYTE, i, ierror)
  call make_typed()

  call look(heads, a(5:1:-2, ::4), some_words, backwards, cells, statuses)
  call MPI_Finalize(ierror)

contains

  subroutine look(assumed, plane, texts, given, from_one, received)
    integer, intent(in), target :: assumed(0:), plane(:, :), given(:)
    character(len=*), intent(in) :: texts(:)
    type(cell), intent(in) :: from_one(*)
    integer, intent(in), target :: received(MPI_STATUS_SIZE, *)

    call tell_all(assumed, plane)
    call tell_handles(given)
    print '(a)', "elements told"
    flush (6)
    call wait_for_debugger() ! stop: all sections made
    if (from_one(1)%n + len(texts(1)) == 0) print *, "nothing", wide, message, own, lines
  end subroutine look

  subroutine tell(what, index, where, value)
    character(len=*), intent(in) :: what, value
    integer, intent(in) :: index(:)
    type(c_ptr), intent(in) :: where
    character(len=40) :: subscripts
    if (rank /= 1) return
    write (subscripts, '("(", *(i0, :, ","))') index
    print '(4a, z0, 2a)', "element ", what, trim(subscripts), ") 0x", transfer(where, 0_c_intptr_t), " ", value
  end subroutine tell

  function text(number)
    integer, intent(in) :: number
    character(len=:), allocatable :: text
    character(len=12) :: digits
    write (digits, '(i0)') number
    text = trim(digits)
  end function text

  subroutine tell_text(what, index, element)
    character(len=*), intent(in) :: what
    integer, intent(in) :: index(:)
    character(len=*), intent(in), target :: element
    type(c_ptr) :: where
    where = c_loc(element) ! gfortran 12 passes the length of a CHARACTER in C_LOC on
    call tell(what, index, where, "'"//element//"'")
  end subroutine tell_text

  subroutine tell_1(what, array, low)
    character(len=*), intent(in) :: what
    integer, intent(in) :: low
    integer, intent(in), target :: array(low:)
    integer :: i
    do i = low, ubound(array, 1)
      call tell(what, [i], c_loc(array(i)), text(array(i)))
    end do
  end subroutine tell_1

  subroutine tell_2(what, array, low)
    character(len=*), intent(in) :: what
    integer, intent(in) :: low(2)
    integer, intent(in), target :: array(low(1):, low(2):)
    integer :: i, j
    do j = low(2), ubound(array, 2)
      do i = low(1), ubound(array, 1)
        call tell(what, [i, j], c_loc(array(i, j)), text(array(i, j)))
      end do
    end do
  end subroutine tell_2

  subroutine tell_all(assumed, plane)
    integer, intent(in), target :: assumed(0:), plane(:, :)
    integer :: i, j, k
    character(len=20) :: number

    call tell_1("heads", heads, lbound(heads, 1))
    call tell_1("every", every, lbound(every, 1))
    call tell_2("m", m, lbound(m))
    call tell_2("mixed", mixed, lbound(mixed))
    do k = 1, ubound(deep, 3)
      do j = 1, ubound(deep, 2)
        do i = 1, ubound(deep, 1)
          call tell("deep", [i, j, k], c_loc(deep(i, j, k)), text(deep(i, j, k)))
        end do
      end do
    end do
    call tell_1("low", low, lbound(low, 1))
    call tell_1("remap", remap, lbound(remap, 1))
    call tell_2("two", two, lbound(two))
    call tell_1("one", one, lbound(one, 1))
    call tell_2("own", own, lbound(own))
    call tell_1("assumed", assumed, lbound(assumed, 1))
    call tell_2("plane", plane, lbound(plane))
    do i = 1, ubound(some_cells, 1)
      call tell("some_cells%n", [i], c_loc(some_cells(i)%n), text(some_cells(i)%n))
    end do
    do i = 1, ubound(zs, 1)
      write (number, '("(", i0, ",", i0, ")")') int(zs(i)), int(aimag(zs(i)))
      call tell("zs", [i], c_loc(zs(i)), trim(number))
    end do
    do i = 1, ubound(ws, 1)
      write (number, '(f0.1)') ws(i)
      call tell("ws", [i], c_loc(ws(i)), trim(number))
    end do
    do i = 1, ubound(cs, 1)
      call tell_text("cs", [i], cs(i))
    end do
    do i = 1, ubound(cs_back, 1)
      call tell_text("cs_back", [i], cs_back(i))
    end do
    do i = 1, ubound(some_words, 1)
      call tell_text("some_words", [i], some_words(i))
    end do
    do j = -1, 2
      do i = 0, 4
        call tell("g%field", [i, j], c_loc(g%field(i, j)), text(int(g%field(i, j))))
      end do
    end do
    do i = 1, 3
      call tell_text("g%tags", [i], g%tags(i))
    end do
    call tell_1("g%back", g%back, 1)
    call tell_1("grids(1)%back", grids(1)%back, 1)
    call tell_1("grids(2)%back", grids(2)%back, 1)
    do i = 0, 1
      call tell("grids(2)%cells%n", [i], c_loc(grids(2)%cells(i)%n), text(grids(2)%cells(i)%n))
    end do
    do j = 1, 2
      do i = 1, 2
        call tell("corners", [i, j], c_loc(corners(i, j)), text(int(corners(i, j))))
      end do
    end do
    call tell_1("of_tags", of_tags, 1)
  end subroutine tell_all

  subroutine tell_handles(given)
    integer, intent(in) :: given(:)
    integer :: i
    character(len=32) :: name
    do i = 1, 3
      write (name, '("(", i0, ")")') i
      call truth_comm("backwards"//trim(name), backwards(i), "backwards")
      call truth_comm("given"//trim(name), given(i))
      call truth_comm("typed_back"//trim(name), typed_back(i)%MPI_VAL, "typed_back")
    end do
    do i = 1, 2
      write (name, '("(", i0, ")")') i
      call truth_comm("g%subcomms"//trim(name), g%subcomms(i), "g%subcomms")
      call truth_comm("grids(2)%subcomms"//trim(name), grids(2)%subcomms(i))
      write (name, '("(:,", i0, ")")') i
      call truth_status("columns"//trim(name), c_loc(columns(1, i)))
    end do
  end subroutine tell_handles

end program sections
