! told-calls-mpi.f90 - the same calls in Fortran, compiled for mpif.h (MPIF), "use mpi" and "use mpi_f08" (F08): a debugger
! that has wrapped C's functions only sees none of them. It tells its calls as told-calls.c does.
#ifdef PERSISTENT_IS_EXTENSION
#define BCAST_INIT MPIX_Bcast_init
#define BCAST_INIT_NAME 'MPIX_Bcast_init'
#else
#define BCAST_INIT MPI_Bcast_init
#define BCAST_INIT_NAME 'MPI_Bcast_init'
#endif
program told_calls
#ifdef F08
  use mpi_f08
#ifdef PERSISTENT_IS_EXTENSION
  use mpi_f08_ext
#endif
#elif !defined(MPIF)
  use mpi
#endif
  use truth, only: wait_for_debugger, truth_begin
  implicit none
#ifdef MPIF
  include 'mpif.h'
#endif
#ifdef F08
  type(MPI_Comm) :: ocean
  type(MPI_Request) :: requests(2)
#else
  integer :: ocean, requests(2)
#endif
  integer :: rank, size, right, left, ierr, i
  integer :: numbers(100), more(100)
  logical :: has_come
  character(len=200) :: name
  character(len=4000) :: told
  integer :: length

  told = ''
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
  call truth_begin()
  right = mod(rank + 1, size)
  left = mod(rank + size - 1, size)
  numbers = rank
  call MPI_Comm_dup(MPI_COMM_WORLD, ocean, ierr)
  call MPI_Comm_set_name(ocean, 'ocean', ierr)
  call MPI_Pcontrol(2)
  call MPI_Isend(numbers, 100, MPI_INTEGER, right, 7, ocean, requests(1), ierr)
  call tell('MPI_Isend', '"comm":"ocean","tag":7,"bytes":400', right)
  call MPI_Irecv(more, 100, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, ocean, requests(2), ierr)
  call tell('MPI_Irecv', '"comm":"ocean","peer":"MPI_ANY_SOURCE","tag":"MPI_ANY_TAG","bytes":400')
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
  call tell('MPI_Waitall', '')
  call MPI_Send(numbers, 0, MPI_DOUBLE_PRECISION, MPI_PROC_NULL, 9, MPI_COMM_WORLD, ierr)
  call tell('MPI_Send', '"comm":"MPI_COMM_WORLD","peer":"MPI_PROC_NULL","tag":9,"bytes":0')
  do i = 1, 4
    call MPI_Iprobe(left, 99, ocean, has_come, MPI_STATUS_IGNORE, ierr)
  end do
  call tell('MPI_Iprobe', '"comm":"ocean","tag":99', left)
  call MPI_Bcast(numbers, 1, MPI_INTEGER, 1, ocean, ierr)
  call tell('MPI_Bcast', '"comm":"ocean","root":1,"bytes":4,"instance":1')
  call MPI_Allreduce(numbers, more, 2, MPI_INTEGER, MPI_SUM, ocean, ierr)
  call tell('MPI_Allreduce', '"comm":"ocean","bytes":8,"instance":2')
  call MPI_Comm_get_name(ocean, name, length, ierr)
  call tell('MPI_Comm_get_name', '"comm":"ocean"')
  call MPI_Barrier(ocean, ierr)
  call tell('MPI_Barrier', '"comm":"ocean","instance":3')
  call BCAST_INIT(numbers, 1, MPI_INTEGER, 1, ocean, MPI_INFO_NULL, requests(1), ierr)
  call tell(BCAST_INIT_NAME, '"comm":"ocean","root":1,"bytes":4')
  call MPI_Send_init(numbers, 1, MPI_INTEGER, MPI_PROC_NULL, 9, ocean, requests(2), ierr)
  call tell('MPI_Send_init', '"comm":"ocean","peer":"MPI_PROC_NULL","tag":9,"bytes":4')
  call MPI_Start(requests(1), ierr)
  call tell('MPI_Start', '"comm":"ocean","instance":4')
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE, ierr)
  call tell('MPI_Wait', '')
  call MPI_Startall(2, requests, ierr)
  call tell('MPI_Startall', '"comm":"ocean","instance":5')
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
  call tell('MPI_Waitall', '')
  do i = 1, 2
    call MPI_Request_free(requests(i), ierr)
    call tell('MPI_Request_free', '')
  end do
  call MPI_Barrier(ocean, ierr)
  call tell('MPI_Barrier', '"comm":"ocean","instance":6')
  call MPI_Pcontrol(0)
#ifndef F08
  ! The length of a text is passed behind the arguments. (mpi_f08 of MPICH 4.0.2 gives no name at all.)
  if (name /= 'ocean') error stop 'the name that MPI_Comm_get_name gives is wrong'
#endif
  print '(a,i0,3a)', 'CALLS {"rank":', rank, ',"calls":[', trim(told), ']}'
  flush (6)
  call wait_for_debugger() ! stop: waiting
  call MPI_Comm_free(ocean, ierr)
  call MPI_Finalize(ierr)

contains
  subroutine tell(name, fields, peer)
    character(len=*), intent(in) :: name, fields
    integer, intent(in), optional :: peer
    character(len=20) :: number
    if (told /= '') told = trim(told)//','
    told = trim(told)//'{"name":"'//name//'"'
    if (fields /= '') told = trim(told)//','//fields
    if (present(peer)) then
      write (number, '(i0)') peer
      told = trim(told)//',"peer":'//trim(number)
    end if
    told = trim(told)//'}'
  end subroutine tell
end program told_calls
