! What is in one element of an array says nothing of the others, unless MPI takes all of it or all agree.
module elements
  use mpi
  implicit none
  integer :: parameters(10), pair(2), family(3) !? parameters=none, pair=none, family=comm
contains
  subroutine keep(comm, length)
    integer, intent(in) :: comm, length !? comm=comm, length=none
    integer :: ierr
    parameters(1) = comm
    parameters(2) = 100
    parameters(3) = length
    pair = [comm, length]
    call MPI_Barrier(comm, ierr)
  end subroutine keep
  subroutine take(options, requests)
    integer, intent(in) :: options(:) !? options=none
    integer, intent(inout) :: requests(:) !? requests=request
    integer :: one, ierr !? one=request
    call keep(options(1), options(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
    one = requests(1)
  end subroutine take
  subroutine relate(parent, child)
    integer, intent(in) :: parent, child !? parent=comm, child=comm
    integer :: ierr
    call MPI_Barrier(parent, ierr)
    call MPI_Barrier(child, ierr)
    family(1:2) = [parent, child]
  end subroutine relate
  subroutine scratch(comm)
    integer, intent(in) :: comm !? comm=comm
    integer :: work(2), table(3), sizes(2), none_yet(2), i, ierr !? work=conflict, table=none, sizes=conflict, none_yet=comm
    work(1) = MPI_COMM_WORLD
    work(2) = 12
    table = [comm, 3, 4]
    sizes(2) = MPI_COMM_WORLD
    none_yet(1) = MPI_COMM_WORLD
    none_yet(2) = -1
    do i = 1, sizes(1)
      call MPI_Barrier(comm, ierr)
    end do
  end subroutine scratch
  subroutine hand_over(types)
    type(MPI_Datatype), intent(in) :: types(:)
    call inner(types(1)%MPI_VAL)
  end subroutine hand_over
  subroutine inner(first)
    integer, intent(in) :: first !? first=datatype
    print *, first
  end subroutine inner
end module elements
