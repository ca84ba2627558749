! left-out CASE - calls of MPI by mpif.h that cannot write ierror. The last rank is the one; all others wait for it.
program left_out
  implicit none
  include 'mpif.h'
  character(len=32) :: how
  integer :: rank, size, ierr, number(4), more(4)
  call get_command_argument(1, how)
  call MPI_INIT(ierr)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, size, ierr)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierr)
  number = 1
  if (rank == size - 1) then
    select case (how)
    case ('missing')
      call MPI_REDUCE(number, more, 4, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_SELF) ! dies: missing
    case ('constant')
      call MPI_BCAST(number, 4, MPI_INTEGER, 0, MPI_COMM_SELF, 0) ! dies: constant
    end select
  end if
  call MPI_BARRIER(MPI_COMM_WORLD, ierr)
  call MPI_FINALIZE(ierr)
end program
