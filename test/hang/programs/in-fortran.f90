! Hangs, and a program that goes on, in Fortran: in-fortran CASE
program in_fortran
  use mpi
  implicit none
  integer :: rank, ranks, ierror, comm
  integer :: buffer(4)
  character(len=32) :: name

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierror)
  call MPI_Comm_set_name(comm, 'ocean', ierror)
  call get_command_argument(1, name)
  buffer = 0
  call MPI_Barrier(MPI_COMM_WORLD, ierror)
  write (0, '(a,i0,a,i0)') 'rank ', rank, ' begins: ', getpid()
  flush (0)
  select case (name)
  case ('cycle')
    if (rank < 2) call MPI_Recv(buffer, 4, MPI_INTEGER, 1 - rank, 7, comm, MPI_STATUS_IGNORE, ierror)
  case ('tag')
    if (rank == 0) call MPI_Recv(buffer, 4, MPI_INTEGER, 1, 12, comm, MPI_STATUS_IGNORE, ierror)
    if (rank == 1) call MPI_Send(buffer, 4, MPI_INTEGER, 0, 112, comm, ierror)
  case ('missing')
    if (rank /= 2) call MPI_Allreduce(MPI_IN_PLACE, buffer, 4, MPI_INTEGER, MPI_SUM, comm, ierror)
  case ('loop')
    do
      buffer(1) = buffer(1) + 1
      call MPI_Allreduce(MPI_IN_PLACE, buffer, 4, MPI_INTEGER, MPI_SUM, comm, ierror)
    end do
  end select
  call MPI_Finalize(ierror)
end program in_fortran
