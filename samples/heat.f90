! heat.f90 - a rod that is hot at one end; each process keeps a piece of it and asks its neighbours for the rest.
!
!     mpifort -g -O0 heat.f90 -o heat && mpirun -n 4 heat
program heat
  use mpi
  implicit none

  integer, parameter :: n = 8, steps = 50
  integer :: rank, size, left, right, step, comm, ierror
  integer :: dims(1)
  logical :: periods(1)
  real(8) :: temperature(0:n + 1), total, everywhere

  call MPI_Init(ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
  dims = [size]
  periods = [.false.]
  call MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, .false., comm, ierror)
  call MPI_Comm_set_name(comm, "rod", ierror)
  call MPI_Comm_rank(comm, rank, ierror)
  call MPI_Cart_shift(comm, 0, 1, left, right, ierror)

  temperature = 0
  if (rank == 0) temperature(0) = 100

  do step = 1, steps
    call exchange_edges(temperature, left, right, comm)
    temperature(1:n) = temperature(1:n) &
                       + 0.4 * (temperature(0:n - 1) - 2 * temperature(1:n) + temperature(2:n + 1))
  end do

  total = sum(temperature(1:n)) ! stop: rod has warmed
  call MPI_Reduce(total, everywhere, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, comm, ierror)
  if (rank == 0) print '(a, f10.4)', "heat in the rod: ", everywhere

  call MPI_Comm_free(comm, ierror)
  call MPI_Finalize(ierror)

contains

  subroutine exchange_edges(field, left, right, comm)
    real(8), intent(inout) :: field(0:)
    integer, intent(in) :: left, right, comm
    integer :: last, ierror

    last = ubound(field, 1) - 1
    call MPI_Sendrecv(field(last), 1, MPI_DOUBLE_PRECISION, right, 1, &
                      field(0), 1, MPI_DOUBLE_PRECISION, left, 1, comm, MPI_STATUS_IGNORE, ierror)
    call MPI_Sendrecv(field(1), 1, MPI_DOUBLE_PRECISION, left, 2, &
                      field(last + 1), 1, MPI_DOUBLE_PRECISION, right, 2, comm, MPI_STATUS_IGNORE, ierror)
  end subroutine exchange_edges

end program heat
