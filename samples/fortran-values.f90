! fortran-values.f90 - what Fortran has and C has not, to look at in a debugger:  mpirun -n 4 fortran-values
!
! Variables whose names are also those of intrinsics, arrays with bounds of their own, allocatable and pointer arrays that
! are there or not, strings, derived types and module variables. Each rank has its own values.
module ocean_state
  implicit none
  integer :: kind = 3
  real(8), allocatable :: depth(:, :)
  character(len=6) :: region = "north"
end module ocean_state

program fortran_values
  use mpi
  use ocean_state
  implicit none

  type :: buoy
    character(len=4) :: name
    integer :: size
    real(8) :: position(-1:1)
    integer, allocatable :: readings(:)
    integer, pointer :: link(:) => null()
  end type buoy

  integer :: rank, size, shape, mod, ierror, round
  integer :: bounds(-2:2), table(2, 0:2)
  integer, allocatable :: missing(:)
  integer, pointer :: nowhere(:), every_other(:)
  integer, target :: pool(6)
  character(len=5) :: words(2)
  character(len=:), allocatable :: message
  logical :: loc
  type(buoy) :: buoys(2)

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)

  shape = 40 + rank
  mod = 7
  loc = rank > 0
  bounds = [-20, -10, 0, 10, 20]
  table = reshape([11, 21, 12, 22, 13, 23], [2, 3])
  pool = [1, 2, 3, 4, 5, 6]
  every_other => pool(2:6:2)
  nullify (nowhere)
  words = ["tide ", "ebb  "]
  message = "all well"
  allocate (depth(0:1, 3:4))
  depth = reshape([1.5d0, 2.5d0, 3.5d0, 4.5d0], [2, 2])
  buoys(1)%name = "east"
  buoys(1)%size = 100 + rank
  buoys(1)%position = [0.5d0, 1.5d0, 2.5d0]
  buoys(1)%readings = [7, 8, 9]
  buoys(1)%link => pool(1:2)
  buoys(2) = buoys(1)
  buoys(2)%name = "west"

  do round = 1, 3
    shape = shape + mod ! stop: all values set
  end do
  print *, "rank", rank, size, shape, kind, loc, bounds(-2), table(1, 0), words, buoys(1)%size, allocated(missing), &
    associated(nowhere), message, region, depth(1, 4), every_other

  call MPI_Finalize(ierror)
end program fortran_values
