! As carried.c, for what is different in Fortran. BINDING is mpi_f08 or mpi.
program carried
  use BINDING
  use, intrinsic :: ieee_arithmetic
  implicit none
  integer :: rank, me, error
#ifdef F08
  type(MPI_Comm) :: pair
  type(MPI_Datatype) :: column
#else
  integer :: pair, column
#endif
  real(8) :: u(40, 30), other(40, 30), part(2), total(2)
  complex(4) :: z(3)

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_split(MPI_COMM_WORLD, rank / 2, 0, pair, error)
  call MPI_Comm_rank(pair, me, error)
  u = 1
  other = 2
  part = 1
  z = (1, 2)
  if (me == 0) then
    u(7, 3) = ieee_value(1d0, ieee_quiet_nan)
    part(2) = ieee_value(1d0, ieee_quiet_nan)
    z(3) = cmplx(0, ieee_value(1.0, ieee_quiet_nan))
  end if
  select case (rank / 2)
  case (0)
    if (me == 0) then
      call MPI_Send(u, 1200, MPI_DOUBLE_PRECISION, 1, 7, pair, error) ! gives: whole
    else
      call MPI_Recv(other, 1200, MPI_DOUBLE_PRECISION, 0, 7, pair, MPI_STATUS_IGNORE, error) ! takes: whole
    end if
  case (1)
    call MPI_Allreduce(MPI_IN_PLACE, part, 2, MPI_REAL8, MPI_SUM, pair, error) ! gives: reduced takes: reduced
  case (2)
    if (me == 0) then
      call MPI_Send(z, 3, MPI_COMPLEX, 1, 9, pair, error) ! gives: complex
    else
      call MPI_Recv(z, 3, MPI_COMPLEX, MPI_ANY_SOURCE, 9, pair, MPI_STATUS_IGNORE, error) ! takes: complex
    end if
  case (3)
    call MPI_Type_vector(30, 1, 40, MPI_DOUBLE_PRECISION, column, error)
    call MPI_Type_commit(column, error)
    if (me == 0) then
      call MPI_Send(u(7, 1), 1, column, 1, 10, pair, error) ! gives: row
    else
      call MPI_Recv(other(7, 1), 1, column, 0, 10, pair, MPI_STATUS_IGNORE, error) ! takes: row
    end if
    call MPI_Type_free(column, error)
  case (4)
    ! The row beside the one that has it.
    if (me == 0) then
      call MPI_Send(u(8, :), 30, MPI_DOUBLE_PRECISION, 1, 11, pair, error)
    else
      call MPI_Recv(other(8, :), 30, MPI_DOUBLE_PRECISION, 0, 11, pair, MPI_STATUS_IGNORE, error)
    end if
  case (5)
    total = 0
    call MPI_Reduce(part, total, 2, MPI_DOUBLE_PRECISION, MPI_SUM, 1, pair, error) ! gives: root takes: root
  case (6)
    if (me == 0) then
      call MPI_Send(u(1:9:2, 2:5), 20, MPI_DOUBLE_PRECISION, 1, 12, pair, error) ! gives: section
    else
      call MPI_Recv(other(40:1:-3, 1:2), 28, MPI_DOUBLE_PRECISION, 0, 12, pair, MPI_STATUS_IGNORE, error) ! takes: section
    end if
  case (7)
    ! What lies between the elements of a section is not sent, nor what lies behind those that are.
    if (me == 0) then
      call MPI_Send(u(2:10:2, 1:4), 20, MPI_DOUBLE_PRECISION, 1, 13, pair, error)
      call MPI_Send(u(1:9:2, 1:4), 13, MPI_DOUBLE_PRECISION, 1, 14, pair, error)
    else
      call MPI_Recv(other(2:10:2, 1:4), 20, MPI_DOUBLE_PRECISION, 0, 13, pair, MPI_STATUS_IGNORE, error)
      call MPI_Recv(other(2:10:2, 1:4), 20, MPI_DOUBLE_PRECISION, 0, 14, pair, MPI_STATUS_IGNORE, error)
    end if
  end select
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call MPI_Finalize(error)
end program carried
