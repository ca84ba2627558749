! variables.f90 - variables of every sort that Fortran has, to look at in a debugger:  mpirun -n 4 variables-f90
!
! Each rank has its own values, so that ranks can be told apart.
module settings
  implicit none
  integer :: rounds = 7
  real(8), parameter :: gravity = 9.81d0
  character(len=12) :: title = "all sorts"
end module settings

program variables
  use mpi
  use settings
  implicit none

  type :: point
    real(8) :: x, y
  end type point

  type :: station
    character(len=8) :: name
    type(point) :: position
    integer :: depths(2, 3)
    logical :: is_open
    real(8), allocatable :: levels(:)
    type(station), pointer :: next => null()
  end type station

  integer :: rank, size, i, here, ierror
  integer(1) :: byte
  integer(8) :: large
  real :: single
  real(8) :: precise
  complex :: wave
  logical :: flag
  character(len=10) :: text
  character(len=:), allocatable :: free_text
  integer :: numbers(5)
  integer :: from_zero(0:3)
  integer :: matrix(2, 3)
  real(8), allocatable :: field(:, :), not_allocated(:)
  real(8), pointer :: column(:), nowhere(:)
  real(8), target :: table(4, 2)
  type(station), target :: first, second
  type(station) :: harbour(2)

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)

  byte = -3
  large = -9000000000000000000_8
  single = 1.5
  precise = 0.1d0 * rank
  wave = (1.0, -2.0)
  flag = .true.
  text = "fog"
  free_text = "over the sea"
  numbers = [10, 20, 30, 40, 50 + rank]
  from_zero = [0, 1, 2, 3]
  matrix = reshape([1, 2, 3, 4, 5, 6], [2, 3])
  allocate (field(3, 0:size - 1))
  field = rank
  field(2, 0) = gravity
  table = reshape([(1.0d0 * i, i=1, 8)], [4, 2])
  column => table(:, 2)
  nullify (nowhere)

  first%name = "north"
  first%position = point(1.0d0, -2.5d0)
  first%depths = reshape([1, 2, 3, 4, 5, 6 + rank], [2, 3])
  first%is_open = .true.
  first%levels = [0.5d0, 1.5d0, 2.5d0]
  first%next => second
  second%name = "south"
  second%position = point(0.0d0, 0.0d0)
  second%depths = 0
  second%is_open = .false.
  harbour = second
  harbour(2)%name = "east"

  here = rounds ! stop: all variables set
  call visit(first, field, numbers(2:4))
  print *, "rank", rank, byte, large, single, precise, wave, flag, text, free_text, from_zero, matrix, column, &
    allocated(not_allocated), associated(nowhere), harbour(2)%name, title, here

  call MPI_Finalize(ierror)

contains

  subroutine visit(place, field, part)
    type(station), intent(in) :: place
    real(8), intent(inout) :: field(:, :)
    integer, intent(in) :: part(:)
    real(8) :: total

    total = sum(field) + sum(part)
    field(1, 1) = total ! stop: in visit
    if (place%is_open) field(1, 1) = field(1, 1) + place%levels(1)
  end subroutine visit

end program variables
