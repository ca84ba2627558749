! calls CASE - what Fortran gives to calls of MPI that fail, by mpi_f08. The last rank is the one; all others wait for it.
program calls
  use mpi_f08
  implicit none
  character(len=32) :: how
  integer :: rank, size, ierr, number(8), more(8)
  type(MPI_Comm) :: world, freed, part
  type(MPI_Group) :: group, two
  type(MPI_Datatype) :: no_type
  call get_command_argument(1, how)
  call MPI_Init(ierr)
  world = MPI_COMM_WORLD
  call MPI_Comm_rank(world, rank, ierr)
  call MPI_Comm_size(world, size, ierr)
  call MPI_Comm_dup(world, part, ierr)
  freed = part
  call MPI_Comm_free(part, ierr)
  number = 1
  if (rank == size - 1) then
    select case (how)
    case ('root')
      call MPI_Bcast(number, 4, MPI_INTEGER, 9, world, ierr) ! dies: root
    case ('type')
      call MPI_Bcast(number, 4, MPI_DATATYPE_NULL, 0, world, ierr) ! dies: type
    case ('reduce-root')
      call MPI_Reduce(number, more, 4, MPI_INTEGER, MPI_SUM, 12, world, ierr) ! dies: reduce root
    case ('scatter')
      call MPI_Scatter(number, 2, MPI_INTEGER, more, -2, MPI_INTEGER, 0, world, ierr) ! dies: scatter
    case ('split')
      call MPI_Comm_split(freed, 1, 2, part, ierr) ! dies: split
    case ('members')
      call MPI_Comm_group(world, group, ierr)
      call MPI_Group_incl(group, 2, [0, 7], two, ierr) ! dies: members
    case ('freed')
      call MPI_Barrier(freed, ierr) ! dies: freed
    case ('null')
      call MPI_Comm_free(part, ierr) ! dies: null
    case ('null-type')
      if (number(1) == 1) then
        no_type = MPI_DATATYPE_NULL
        call MPI_Type_commit(no_type, ierr) ! dies: null type
      end if
    end select
  end if
  call MPI_Barrier(world, ierr)
  call MPI_Finalize(ierr)
end program
