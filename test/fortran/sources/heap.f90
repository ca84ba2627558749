! Heaps of integers in which some are handles, and variables that only meet them.
module heap
  use mpi
  implicit none
  type :: buffer_type
    integer, allocatable :: content(:)
    integer :: head, comm
  end type buffer_type
  integer :: keep(500) !? keep=none
contains
  subroutine try_free(buffer) !? buffer%content=conflict, buffer%head=none, buffer%comm=comm
    type(buffer_type), intent(inout) :: buffer
    integer :: status(MPI_STATUS_SIZE), ierr !? status=status, ierr=none
    logical :: flag
    call MPI_Test(buffer%content(buffer%head + 1), flag, status, ierr)
    if (flag) buffer%head = buffer%content(buffer%head)
    call MPI_Barrier(buffer%comm, ierr)
  end subroutine try_free

  subroutine put(buffer, node, father)
    type(buffer_type), intent(inout) :: buffer
    integer :: node, father !? node=none, father=none
    integer :: sizes(3) !? sizes=none
    buffer%content(buffer%head) = node
    buffer%content(buffer%head + 2) = father
    father = keep(node)
    keep(28) = father
    sizes = keep(1:3)
  end subroutine put

  subroutine exchange(right, comm) !? right=none, comm=comm
    integer, intent(in) :: right, comm
    integer :: i, n, requests(4), statuses(MPI_STATUS_SIZE, 4), ierr !? i=none, n=none, requests=request, statuses=status
    integer :: one(8), tag, of_comm(2) !? one=status, tag=none, of_comm=comm
    n = 4
    do i = 1, n
      call MPI_Irecv(keep(i), 1, MPI_INTEGER, right, i, comm, requests(i), ierr)
    end do
    call MPI_Waitall(n, requests, statuses, ierr)
    call MPI_Recv(keep, 1, MPI_INTEGER, right, 0, of_comm(2), one, ierr)
    tag = one(MPI_TAG) + statuses(MPI_TAG, 1)
    tag = one(MPI_TAG)
    of_comm(1) = comm
  end subroutine exchange
end module heap

! MPI's own name: a program that counts its sends.
subroutine MPI_Send(buf, count, datatype, dest, tag, comm, ierror) !? datatype=datatype, comm=comm, count=none, dest=none
  integer :: buf(*), count, datatype, dest, tag, comm, ierror
  call PMPI_Send(buf, count, datatype, dest, tag, comm, ierror)
end subroutine MPI_Send
