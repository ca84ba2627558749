! How far a kind goes: along assignments and arguments, but never back out of a procedure that anybody may call.
module flow
  use mpi
  implicit none
  integer, private :: kept !? kept=comm
contains
  subroutine keep(comm)
    integer, intent(in) :: comm !? comm=comm
    kept = comm
  end subroutine
  subroutine print_number(n)
    integer, intent(in) :: n !? n=comm
    print *, n
  end subroutine
  subroutine fresh(c)
    integer, intent(out) :: c !? c=comm
    integer :: ierr
    call MPI_Comm_dup(kept, c, ierr)
  end subroutine
  function copy_of(comm) result(twin)
    integer, intent(in) :: comm !? comm=comm
    integer :: twin, ierr !? twin=comm
    call MPI_Comm_dup(comm, twin, ierr)
  end function
  recursive subroutine deep(level, handle)
    integer :: level, handle !? level=none, handle=request
    integer :: ierr
    if (level > 0) then
      call deep(level - 1, handle)
    else if (handle /= MPI_REQUEST_NULL) then
      call MPI_Cancel(handle, ierr)
    end if
  end subroutine
  subroutine many(first, second)
    integer, optional :: first, second !? first=op, second=info
    integer :: ierr
    if (present(first)) call MPI_Op_free(first, ierr)
    if (present(second)) call MPI_Info_free(second, ierr)
  end subroutine
end module

program flows
  use flow
  use mpi
  integer :: mine, other, twin, scratch, req, number, o, i !? mine=comm, other=comm, twin=comm, number=none
  integer :: ierr, both !? both=conflict, scratch=conflict, req=request, o=op, i=info
  call keep(mine)
  call fresh(other)
  twin = copy_of(other)
  call deep(3, req)
  call many(second=i, first=o)
  call print_number(mine)
  call print_number(number)
  scratch = mine
  scratch = req
  call MPI_Barrier(both, ierr)
  call MPI_Type_commit(both, ierr)
end program
