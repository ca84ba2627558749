! kept-mpi.f90 - objects that a Fortran program frees while it has another copy of the handle; see kept.c.
program kept
  use mpi
  use truth, only: wait_for_debugger, truth_begin
  implicit none
  integer :: comm, ocean, vector, row, ierror, rank
  logical :: comm_is_null, type_is_null
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call truth_begin()
  call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierror)
  call MPI_Type_vector(3, 1, 2, MPI_INTEGER, vector, ierror)
  ocean = comm
  row = vector
  ierror = -1
  call MPI_Comm_free(comm, ierror)
  comm_is_null = ierror == MPI_SUCCESS .and. comm == MPI_COMM_NULL
  ierror = -1
  call MPI_Type_free(vector, ierror)
  type_is_null = ierror == MPI_SUCCESS .and. vector == MPI_DATATYPE_NULL
  print '(a,i0,a,l1,l1)', 'KEPT ', rank, ' ', comm_is_null, type_is_null
  call wait_for_debugger()
  print '(i0,1x,i0)', ocean, row
  call MPI_Finalize(ierror)
end program kept
