! two-models-mpi.f90 - what two-models.c does, in Fortran, compiled for "use mpi" and "use mpi_f08" (F08).
program two_models
#ifdef F08
  use mpi_f08
#else
  use mpi
#endif
  use truth, only: wait_for_debugger, truth_begin
  implicit none
#ifdef F08
#define HANDLE(kind) type(kind)
#else
#define HANDLE(kind) integer
#endif
  HANDLE(MPI_Session) :: session
  HANDLE(MPI_Group) :: group
  HANDLE(MPI_Comm) :: of_session, rest
  integer :: rank, size, ierr, i, number(1)
  logical :: is_last
  character(len=20) :: argument

  is_last = .false.
  do i = 1, command_argument_count()
    call get_command_argument(i, argument)
    is_last = is_last .or. argument == '--session-last'
  end do
  number = 0
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call truth_begin()
  call MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, session, ierr)
  call MPI_Group_from_session_pset(session, 'mpi://WORLD', group, ierr)
  call MPI_Comm_create_from_group(group, 'mpidbg-samples', MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, of_session, ierr)
  call MPI_Group_free(group, ierr)
  call MPI_Comm_set_name(of_session, 'ocean', ierr)
  if (is_last) then
    rest = of_session
    call MPI_Finalize(ierr)
  else
    rest = MPI_COMM_WORLD
    call MPI_Comm_free(of_session, ierr)
    call MPI_Session_finalize(session, ierr)
  end if
  call MPI_Comm_size(rest, size, ierr)
  call MPI_Sendrecv_replace(number, 1, MPI_INTEGER, mod(rank + 1, size), 7, MPI_ANY_SOURCE, 7, rest, &
                            MPI_STATUS_IGNORE, ierr)
  call MPI_Barrier(rest, ierr)

  call wait_for_debugger() ! stop: waiting

  if (is_last) then
    call MPI_Comm_free(of_session, ierr)
    call MPI_Session_finalize(session, ierr)
  else
    call MPI_Finalize(ierr)
  end if
end program two_models
