! communicators.f90 - communicators in Fortran, with "use mpi": every handle is an INTEGER.
!
! An INTEGER does not say that it is a handle, so a debugger must be told:
!     mpidbg show comm.f:ocean --launcher PID
program communicators
  use mpi
  use truth
  implicit none

  type :: domain_type
    integer :: comm
    integer :: halo(2)
    integer :: n
  end type domain_type

  integer :: rank, size, ierror
  integer :: ocean, nameless, parity, reversed, without_last, grid, even_odd, annotated, forgiving
  integer :: short_lived, freed, garbage
  integer :: family(3)
  type(domain_type) :: domain
  integer :: integer_key, address_key, huge_key, color, here
  integer :: dims(2)
  logical :: periods(2)

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
  call truth_begin()

  call MPI_Comm_dup(MPI_COMM_WORLD, ocean, ierror)
  call MPI_Comm_set_name(ocean, "ocean", ierror)
  call MPI_Comm_dup(ocean, nameless, ierror)

  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, parity, ierror)
  call MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, reversed, ierror)
  call MPI_Comm_set_name(reversed, "reversed", ierror)
  color = 0
  if (rank == size - 1) color = MPI_UNDEFINED
  call MPI_Comm_split(MPI_COMM_WORLD, color, rank, without_last, ierror)

  dims = 0
  periods = [.true., .false.]
  call MPI_Dims_create(size, 2, dims, ierror)
  call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, .false., grid, ierror)
  call MPI_Comm_set_name(grid, "grid", ierror)

  even_odd = MPI_COMM_NULL
  if (size > 1) then
    call MPI_Intercomm_create(parity, 0, MPI_COMM_WORLD, 1 - mod(rank, 2), 7, even_odd, ierror)
  end if

  ! Attributes in the two forms that Fortran has: the old INTEGER and the address-sized one
  call MPI_Comm_dup(MPI_COMM_WORLD, annotated, ierror)
  call MPI_Comm_set_name(annotated, "annotated", ierror)
  call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, integer_key, &
                              0_MPI_ADDRESS_KIND, ierror)
  call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, address_key, &
                              0_MPI_ADDRESS_KIND, ierror)
  call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, huge_key, &
                              0_MPI_ADDRESS_KIND, ierror)
  call MPI_Attr_put(annotated, integer_key, -1000 - rank, ierror)
  call MPI_Comm_set_attr(annotated, address_key, 5000000000_MPI_ADDRESS_KIND + rank, ierror)
  call MPI_Comm_set_attr(annotated, huge_key, -9007199254740993_MPI_ADDRESS_KIND - rank, ierror)
  call truth_integer_attribute(integer_key)
  call truth_address_attribute(address_key)
  call truth_address_attribute(huge_key)

  call MPI_Comm_dup(MPI_COMM_WORLD, forgiving, ierror)
  call MPI_Comm_set_errhandler(forgiving, MPI_ERRORS_RETURN, ierror)

  ! The same handles in an array and in a derived type
  family = [ocean, parity, MPI_COMM_NULL]
  domain = domain_type(comm=grid, halo=[reversed, MPI_COMM_SELF], n=3)

  ! What is no communicator (any more). Freed last of all, so that nothing takes its place
  garbage = 123456
  call MPI_Comm_dup(MPI_COMM_WORLD, short_lived, ierror)
  freed = short_lived
  call MPI_Comm_free(short_lived, ierror)

  call truth_comm("MPI_COMM_WORLD", MPI_COMM_WORLD)
  call truth_comm("comm.f:ocean", ocean)
  call truth_comm("comm.f:nameless", nameless)
  call truth_comm("comm.f:parity", parity)
  call truth_comm("comm.f:reversed", reversed)
  call truth_comm("comm.f:without_last", without_last)
  call truth_comm("comm.f:grid", grid)
  call truth_comm("comm.f:even_odd", even_odd)
  call truth_comm("comm.f:annotated", annotated)
  call truth_comm("comm.f:forgiving", forgiving)
  call truth_comm("comm.f:short_lived", short_lived)
  call truth_comm("comm.f:family(2)", family(2))
  call truth_comm("comm.f:family(1)", family(1), ask="comm.f:family")
  call truth_comm("comm.f:family(2)", family(2), ask="comm.f:family")
  call truth_comm("comm.f:family(3)", family(3), ask="comm.f:family")
  call truth_comm("comm.f:domain%comm", domain%comm)
  call truth_comm("comm.f:domain%halo(2)", domain%halo(2))
  call truth_garbage("comm.f:garbage", garbage)
  call truth_freed("comm.f:freed", freed)

  here = rank ! stop: all communicators made
  call wait_for_debugger()

  call MPI_Finalize(ierror)
end program communicators
