! values.f90 - values of the types of Fortran, in which ranks agree, differ, or have none.      mpirun -n 4 values-f90
!
! Each rank prints "value RANK EXPRESSION", a tab and the value.
program values
  use mpi
  use truth
  implicit none
  type point
    real(8) :: x, y
  end type point
  type buoy
    integer :: number
    type(point) :: position
    logical :: lit
    character(len=5) :: name
  end type buoy
  integer :: world_rank, code, lap, row(3), table(2, 0:1)
  integer(8) :: long
  real(4) :: single
  real(8) :: residual
  complex(8) :: wave
  logical :: odd
  character(len=8) :: text
  type(buoy) :: one, two(2)
  real(8), allocatable :: depths(:), missing(:)
  character(len=1), parameter :: tab = char(9)

  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, world_rank, code)
  call truth_begin()
  lap = 100
  if (world_rank == 3) lap = 99
  row = [world_rank, 1, 2]
  table = reshape([1, 2, 3, world_rank], [2, 2])
  long = 5000000000_8 + world_rank
  single = 0.5
  residual = 0.25d0 * world_rank
  wave = cmplx(world_rank, -0.5d0, 8)
  odd = mod(world_rank, 2) == 1
  text = "ahoy"
  one = buoy(world_rank / 2, point(0.5d0, 1.5d0), .true., "north")
  two = one
  two(2)%number = 7
  allocate (depths(-1:1))
  depths = [0.5d0, 1.5d0, 2.5d0]

  call told("lap", "(i0)", lap)
  call told("lap * 2 + 1", "(i0)", lap * 2 + 1)
  call told("row", '("(", i0, ", ", i0, ", ", i0, ")")', row(1), row(2), row(3))
  call told("row(1)", "(i0)", row(1))
  call told("table", '("((", i0, ", ", i0, ") (", i0, ", ", i0, "))")', table(1, 0), table(2, 0), table(1, 1), table(2, 1))
  call told("table(2,1)", "(i0)", table(2, 1))
  call told("one%number", "(i0)", one%number)
  call told("two(2)%number", "(i0)", two(2)%number)
  call told("size(depths)", "(i0)", size(depths))
  print '(a, i0, 2a, i0)', "value ", world_rank, " long", tab, long
  print '(a, i0, 3a)', "value ", world_rank, " odd", tab, trim(merge(".TRUE. ", ".FALSE.", odd))
  print '(a, i0, 3a)', "value ", world_rank, " text", tab, "'"//text//"'"
  print '(a, i0, 2a, f3.1)', "value ", world_rank, " depths(-1)", tab, depths(-1)
  print '(a, i0, 2a, f3.1)', "value ", world_rank, " one%position%y", tab, one%position%y
  flush (6)
  call wait_for_debugger()
  if (lap + row(1) + long + single + residual + real(wave) + two(1)%number + depths(0) == 1 .or. odd) print *, "nothing ", text
  if (allocated(missing)) print *, missing
  call MPI_Finalize(code)

contains

  subroutine told(expression, form, a, b, c, d)
    character(len=*), intent(in) :: expression, form
    integer, intent(in) :: a
    integer, intent(in), optional :: b, c, d
    character(len=80) :: line
    if (present(d)) then
      write (line, form) a, b, c, d
    else if (present(c)) then
      write (line, form) a, b, c
    else
      write (line, form) a
    end if
    print '(a, i0, 4a)', "value ", world_rank, " ", expression, tab, trim(line)
  end subroutine told
end program values
