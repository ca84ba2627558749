! long-values.f90 - values too long to be shown whole, which differ in some ranks near their end.
!                                                                            mpirun -n 4 long-values-f90
!
! Each rank prints "long RANK EXPRESSION", a tab and what its value comes to: equal where the values are equal.
program long_values
  use mpi
  use truth
  implicit none
  integer, parameter :: length = 1000
  type cell
    character(len=1) :: tag
    real(8) :: depth
  end type cell
  type ocean
    real(8), allocatable :: current(:)
    integer :: number
    type(cell) :: cells(length)
  end type ocean
  integer :: world_rank, code, i
  real(8) :: same(length), last(length), table(20, 0:49)
  real(8), allocatable, target :: depths(:)
  real(8), pointer :: odd(:), whole(:)
  integer :: numbers(length)
  character(len=length) :: text
  type(ocean) :: deep
  character(len=1), parameter :: tab = char(9)

  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, world_rank, code)
  call truth_begin()
  same = [(i + 0.5d0, i = 1, length)]
  last = same
  if (world_rank == 3) last(length) = 0
  table = reshape(same, [20, 50])
  if (world_rank == 1) table(20, 49) = 0
  depths = same
  if (world_rank == 2) depths(length) = 0
  whole => depths
  odd => depths(2::2)
  numbers = [(i, i = 1, length)]
  if (world_rank == 0) numbers(length) = 0
  text = repeat("ahoy", length/4)
  if (world_rank == 3) text(length:) = "!"
  allocate (deep%current(length))
  deep%current = last
  deep%number = 1
  do i = 1, length
    deep%cells(i)%tag = "c"
    deep%cells(i)%depth = i
  end do
  call told("same", sum(same))
  call told("last", sum(last))
  call told("table", sum(table))
  call told("depths", sum(depths))
  call told("whole", sum(whole))
  call told("odd", sum(odd))
  call told("numbers", dble(sum(numbers)))
  call told("text", dble(iachar(text(length:length))))
  call told("deep%current", sum(deep%current))
  call told("deep%cells", sum(deep%cells%depth))
  call holds(last)
  call MPI_Finalize(code)

contains

  subroutine told(expression, value)
    character(len=*), intent(in) :: expression
    real(8), intent(in) :: value
    print '(a, i0, 3a, f0.3)', "long ", world_rank, " "//expression, tab, "", value
    flush (6)
  end subroutine told

  subroutine holds(passed)
    real(8), intent(in) :: passed(:)
    call told("passed", sum(passed))
    call wait_for_debugger()
    if (passed(1) == 0) print *, "nothing"
  end subroutine holds
end program long_values
