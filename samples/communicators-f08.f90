! communicators-f08.f90 - communicators in modern Fortran, with "use mpi_f08": a handle has its own type,
! TYPE(MPI_Comm), so a debugger knows it:    mpidbg show ocean --launcher PID
program communicators
  use mpi_f08
  use truth
  implicit none

  type :: domain_type
    type(MPI_Comm) :: comm
    type(MPI_Comm) :: halo(2)
    integer :: n
  end type domain_type

  integer :: rank, size
  type(MPI_Comm) :: ocean, nameless, parity, reversed, without_last, grid, ring, stream, even_odd, forgiving
  type(MPI_Comm) :: short_lived, freed, garbage
  type(MPI_Comm) :: family(3)
  type(MPI_Comm), allocatable :: layers(:)
  type(domain_type) :: domain
  integer :: color, here, i
  integer :: dims(2)
  logical :: periods(2)
  integer, allocatable :: index(:), edges(:)

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  call truth_begin()

  call MPI_Comm_dup(MPI_COMM_WORLD, ocean)
  call MPI_Comm_set_name(ocean, "ocean")
  call MPI_Comm_dup(ocean, nameless)

  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, parity)
  call MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, reversed)
  call MPI_Comm_set_name(reversed, "reversed")
  color = 0
  if (rank == size - 1) color = MPI_UNDEFINED
  call MPI_Comm_split(MPI_COMM_WORLD, color, rank, without_last)

  dims = 0
  periods = [.true., .false.]
  call MPI_Dims_create(size, 2, dims)
  call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, .false., grid)
  call MPI_Comm_set_name(grid, "grid")

  allocate (index(size), edges(2 * size))
  do i = 0, size - 1
    index(i + 1) = 2 * (i + 1)
    edges(2 * i + 1) = mod(i + size - 1, size)
    edges(2 * i + 2) = mod(i + 1, size)
  end do
  call MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, .false., ring)
  call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, [mod(rank + size - 1, size)], [7], &
                                      1, [mod(rank + 1, size)], [7], MPI_INFO_NULL, .false., stream)

  even_odd = MPI_COMM_NULL
  if (size > 1) call MPI_Intercomm_create(parity, 0, MPI_COMM_WORLD, 1 - mod(rank, 2), 7, even_odd)

  call MPI_Comm_dup(MPI_COMM_WORLD, forgiving)
  call MPI_Comm_set_errhandler(forgiving, MPI_ERRORS_RETURN)

  ! The same handles in arrays and in a derived type
  family = [ocean, parity, MPI_COMM_NULL]
  layers = [reversed, grid]
  domain%comm = grid
  domain%halo = [reversed, MPI_COMM_SELF]
  domain%n = 3

  ! What is no communicator (any more). Freed last of all, so that nothing takes its place
  garbage%MPI_VAL = 123456
  call MPI_Comm_dup(MPI_COMM_WORLD, short_lived)
  freed = short_lived
  call MPI_Comm_free(short_lived)

  call truth_comm("MPI_COMM_WORLD", MPI_COMM_WORLD%MPI_VAL)
  call truth_comm("ocean", ocean%MPI_VAL)
  call truth_comm("nameless", nameless%MPI_VAL)
  call truth_comm("parity", parity%MPI_VAL)
  call truth_comm("reversed", reversed%MPI_VAL)
  call truth_comm("without_last", without_last%MPI_VAL)
  call truth_comm("grid", grid%MPI_VAL)
  call truth_comm("ring", ring%MPI_VAL)
  call truth_comm("stream", stream%MPI_VAL)
  call truth_comm("even_odd", even_odd%MPI_VAL)
  call truth_comm("forgiving", forgiving%MPI_VAL)
  call truth_comm("short_lived", short_lived%MPI_VAL)
  call truth_comm("family(2)", family(2)%MPI_VAL)
  call truth_comm("family(1)", family(1)%MPI_VAL, ask="family")
  call truth_comm("family(2)", family(2)%MPI_VAL, ask="family")
  call truth_comm("family(3)", family(3)%MPI_VAL, ask="family")
  call truth_comm("layers(1)", layers(1)%MPI_VAL, ask="layers")
  call truth_comm("layers(2)", layers(2)%MPI_VAL, ask="layers")
  call truth_comm("domain%halo(2)", domain%halo(2)%MPI_VAL)
  call truth_comm("domain%comm", domain%comm%MPI_VAL, ask="domain")
  call truth_comm("domain%halo(1)", domain%halo(1)%MPI_VAL, ask="domain")
  call truth_comm("domain%halo(2)", domain%halo(2)%MPI_VAL, ask="domain")
  call truth_comm("comm.f:ocean%MPI_VAL", ocean%MPI_VAL)
  call truth_garbage("garbage", garbage%MPI_VAL)
  call truth_freed("freed", freed%MPI_VAL)

  here = rank ! stop: all communicators made
  call wait_for_debugger()

  call MPI_Finalize()
end program communicators
