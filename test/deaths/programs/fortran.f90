! fortran CASE - how Fortran ends a process. The last rank is the one; all others wait for it.
program ends
  use mpi
  implicit none
  character(len=32) :: how
  integer :: rank, size, ierr, at, number
  integer, allocatable :: values(:), more(:)
  call get_command_argument(1, how)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
  allocate(values(5))
  values = 1
  at = 5 + size
  number = 3
  if (rank == size - 1) then
    select case (how)
    case ('stop-3')
      stop 3 ! dies: stop 3
    case ('stop-text')
      stop 'no more ice' ! dies: stop text
    case ('stop')
      stop ! dies: stop
    case ('error-stop')
      error stop 5 ! dies: error stop
    case ('error-stop-text')
      error stop 'the ice is gone' ! dies: error stop text
    case ('bounds')
      values(at) = 1 ! dies: bounds
    case ('allocated')
      allocate(values(7)) ! dies: allocated
    case ('no-memory')
      allocate(more(2_8**46)) ! dies: no memory
    case ('end-of-file')
      open(unit=17, status='scratch')
      rewind(17)
      read(17, *) number ! dies: end of file
    case ('bad-input')
      open(unit=17, status='scratch')
      write(17, '(a)') 'seven'
      rewind(17)
      read(17, *) number ! dies: bad input
    case ('exit')
      call exit(6) ! dies: exit
    case ('abort')
      call MPI_Abort(MPI_COMM_WORLD, 11, ierr) ! dies: abort
    case ('null')
      deallocate(values)
      call fault(values)
    case ('bad-rank')
      call MPI_Send(number, 1, MPI_INTEGER, 17, 0, MPI_COMM_WORLD, ierr) ! dies: bad rank
    case ('end')
      goto 10
    end select
  end if
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call MPI_Finalize(ierr)
  if (how == 'stop-after' .and. rank == size - 1) stop 4
10 continue
contains
  subroutine fault(where)
    use iso_c_binding
    integer, allocatable, intent(in) :: where(:)
    integer, pointer :: nowhere
    call c_f_pointer(c_null_ptr, nowhere)
    nowhere = 1 ! dies: fault
  end subroutine
end program
