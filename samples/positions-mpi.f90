! positions-mpi.f90 - all ranks but the last wait in one call of MPI after the other, with "use mpi", or with -DF08 "use mpi_f08".
!
!     mpirun -n 3 positions-mpi          SIGUSR1 to the last rank lets the others go to the next call
!
! Each rank tells before what it passes to each: with MPIDBG_TRUTH=DIRECTORY it writes to DIRECTORY/rank-N.truth. Of handles
! it tells the name, of arrays of requests their number.
#ifdef F08
#define COMM type(MPI_Comm)
#define REQUEST type(MPI_Request)
#define WIN type(MPI_Win)
#else
#define COMM integer
#define REQUEST integer
#define WIN integer
#endif
module waiting
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none
  integer(c_int), bind(C, name='positions_step'), volatile :: step = 0
  integer, volatile :: signals = 0
  interface
    subroutine usleep(microseconds) bind(C)
      import :: c_int
      integer(c_int), value :: microseconds
    end subroutine usleep
  end interface
contains
  subroutine on_signal()
    signals = signals + 1
  end subroutine on_signal
end module waiting

program positions
#ifdef F08
  use mpi_f08
#else
  use mpi
#endif
  use waiting
  implicit none
  integer, parameter :: calls = 14, sigusr1 = 10
  integer :: rank, size, last, ierror, i, which, unit
  integer :: numbers(64), received(64)
  COMM :: ocean, made
  REQUEST :: one, three(3), others(3)
  WIN :: shared
  character(len=200) :: directory

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
  last = size - 1
  call signal(sigusr1, on_signal)
  call MPI_Comm_dup(MPI_COMM_WORLD, ocean, ierror)
  call MPI_Comm_set_name(ocean, 'ocean', ierror)
  call MPI_Win_create(received, 256_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, ocean, shared, ierror)
  call MPI_Win_set_name(shared, 'shared', ierror)
  numbers = 0
  call get_environment_variable('MPIDBG_TRUTH', directory)
  if (rank /= last .and. directory /= '') call tell_all()
  call MPI_Barrier(MPI_COMM_WORLD, ierror)
  print '(a, i0, a, i0, a)', 'MPIDBG-WAITING {"rank":', rank, ',"pid":', getpid(), '}'
  flush (6)
  do i = 1, calls
    if (rank == last) then
      do while (signals < i)
        call usleep(10000_c_int)
      end do
    end if
    step = i
    if (rank == last) then
      call serve(i)
    else
      call wait_in(i)
    end if
    step = 0
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
  end do
  call MPI_Win_free(shared, ierror)
  call MPI_Comm_free(ocean, ierror)
  call MPI_Finalize(ierror)

contains

  subroutine tell_all()
    character(len=20) :: name
    write (name, '(a, i0, a)') '/rank-', rank, '.truth'
    open (newunit=unit, file=trim(directory)//trim(name), position='append')
    call tell(1, 'MPI_Recv', ',"comm":{"name":"ocean"},"peer":2,"tag":201')
    call tell(2, 'MPI_Recv', ',"comm":{"name":"ocean"},"peer":"MPI_ANY_SOURCE","tag":"MPI_ANY_TAG"')
    call tell(3, 'MPI_Ssend', ',"comm":{"name":"ocean"},"peer":2,"tag":203')
    call tell(4, 'MPI_Sendrecv', ',"comm":{"name":"ocean"},"peer":2,"tag":204,"source":2,"receiveTag":205')
    call tell(5, 'MPI_Probe', ',"comm":{"name":"ocean"},"peer":2,"tag":206')
    call tell(6, 'MPI_Wait', ',"requests":1')
    call tell(7, 'MPI_Waitall', ',"requests":3')
    call tell(8, 'MPI_Waitany', ',"requests":3')
    call tell(9, 'MPI_Barrier', ',"comm":{"name":"ocean"}')
    call tell(10, 'MPI_Bcast', ',"comm":{"name":"ocean"},"root":2')
    call tell(11, 'MPI_Allreduce', ',"comm":{"name":"ocean"}')
    call tell(12, 'MPI_Comm_split', ',"comm":{"name":"ocean"}')
    call tell(13, 'MPI_Comm_dup', ',"comm":{"name":"ocean"}')
    call tell(14, 'MPI_Win_fence', ',"win":{"name":"shared"}')
    close (unit)
  end subroutine tell_all

  subroutine tell(number, call, arguments)
    integer, intent(in) :: number
    character(len=*), intent(in) :: call, arguments
    write (unit, '(a, i0, a, i0, a)') 'MPIDBG-BLOCKED {"rank":', rank, ',"step":', number, &
      ',"call":"'//call//'","arguments":{"call":"'//call//'"'//arguments//'}}'
  end subroutine tell

  subroutine wait_in(number)
    integer, intent(in) :: number
    select case (number)
    case (1)
      call MPI_Recv(received, 9, MPI_INTEGER, last, 201, ocean, MPI_STATUS_IGNORE, ierror)
    case (2)
      call MPI_Recv(received, 9, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, ocean, MPI_STATUS_IGNORE, ierror)
    case (3)
      call MPI_Ssend(numbers, 5, MPI_INTEGER, last, 203, ocean, ierror)
    case (4)
      call MPI_Sendrecv(numbers, 1, MPI_INTEGER, last, 204, received, 7, MPI_INTEGER, last, 205, ocean, &
                        MPI_STATUS_IGNORE, ierror)
    case (5)
      call MPI_Probe(last, 206, ocean, MPI_STATUS_IGNORE, ierror)
      call MPI_Recv(received, 9, MPI_INTEGER, last, 206, ocean, MPI_STATUS_IGNORE, ierror)
    case (6)
      call MPI_Irecv(received, 3, MPI_INTEGER, last, 207, ocean, one, ierror)
      call MPI_Wait(one, MPI_STATUS_IGNORE, ierror)
    case (7)
      do which = 1, 3
        call MPI_Irecv(received(which), 1, MPI_INTEGER, last, 210 + which, ocean, three(which), ierror)
      end do
      call MPI_Waitall(3, three, MPI_STATUSES_IGNORE, ierror)
    case (8)
      do which = 1, 3
        call MPI_Irecv(received(which), 1, MPI_INTEGER, last, 220 + which, ocean, others(which), ierror)
      end do
      call MPI_Waitany(3, others, which, MPI_STATUS_IGNORE, ierror)
      call MPI_Waitall(3, others, MPI_STATUSES_IGNORE, ierror)
    case default
      call together(number)
    end select
  end subroutine wait_in

  subroutine serve(number)
    integer, intent(in) :: number
    integer :: peer
    do peer = 0, last - 1
      select case (number)
      case (1, 2)
        call MPI_Send(numbers, 1, MPI_INTEGER, peer, 200 + number, ocean, ierror)
      case (3)
        call MPI_Recv(received, 9, MPI_INTEGER, peer, 203, ocean, MPI_STATUS_IGNORE, ierror)
      case (4)
        call MPI_Recv(received, 9, MPI_INTEGER, peer, 204, ocean, MPI_STATUS_IGNORE, ierror)
        call MPI_Send(numbers, 1, MPI_INTEGER, peer, 205, ocean, ierror)
      case (5, 6)
        call MPI_Send(numbers, 1, MPI_INTEGER, peer, 201 + number, ocean, ierror)
      case (7, 8)
        do which = 1, 3
          call MPI_Send(numbers, 1, MPI_INTEGER, peer, 140 + 10 * number + which, ocean, ierror)
        end do
      end select
    end do
    call together(number)
  end subroutine serve

  subroutine together(number)
    integer, intent(in) :: number
    select case (number)
    case (9)
      call MPI_Barrier(ocean, ierror)
    case (10)
      call MPI_Bcast(numbers, 64, MPI_INTEGER, last, ocean, ierror)
    case (11)
      call MPI_Allreduce(numbers, received, 4, MPI_INTEGER, MPI_SUM, ocean, ierror)
    case (12)
      call MPI_Comm_split(ocean, 0, rank, made, ierror)
      call MPI_Comm_free(made, ierror)
    case (13)
      call MPI_Comm_dup(ocean, made, ierror)
      call MPI_Comm_free(made, ierror)
    case (14)
      call MPI_Win_fence(0, shared, ierror)
      call MPI_Win_fence(MPI_MODE_NOSUCCEED, shared, ierror)
    end select
  end subroutine together

end program positions
