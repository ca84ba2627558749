! Type-bound procedures whose object is not the first argument, procedure pointers, generic names told apart by types.
module bound
  use mpi
  implicit none
  type, abstract :: queue
    integer :: pending !? pending=none
    procedure(on_arrival), pointer, nopass :: notify => null()
  contains
    procedure, pass(self) :: post
    procedure(on_arrival), deferred, nopass :: arrived
  end type queue
  type :: table
    integer :: length
  end type table
  interface total
    module procedure total_real, total_table
  end interface total
  abstract interface
    subroutine on_arrival(number)
      integer, intent(in) :: number
    end subroutine on_arrival
  end interface
contains
  subroutine post(comm, self, window)
    integer, intent(in) :: comm !? comm=comm
    class(queue), intent(inout) :: self !? self%pending=request
    integer, intent(inout) :: window !? window=win
    integer :: ierr
    call MPI_Ibarrier(comm, self%pending, ierr)
    call MPI_Win_free(window, ierr)
  end subroutine post
  ! They have the names of the bindings and nothing else to do with them.
  subroutine notify(info)
    integer, intent(inout) :: info !? info=info
    integer :: ierr
    call MPI_Info_free(info, ierr)
  end subroutine notify
  subroutine arrived(group)
    integer, intent(inout) :: group !? group=group
    integer :: ierr
    call MPI_Group_free(group, ierr)
  end subroutine arrived
  subroutine total_real(x, comm)
    real, intent(inout) :: x
    integer, intent(in) :: comm !? comm=comm
    integer :: ierr
    call MPI_Barrier(comm, ierr)
  end subroutine total_real
  subroutine total_table(t, op)
    type(table), intent(in) :: t
    integer, intent(inout) :: op !? op=op
    integer :: ierr
    call MPI_Op_free(op, ierr)
  end subroutine total_table
  subroutine work(q, t)
    class(queue), intent(inout) :: q
    type(table), intent(in) :: t
    integer :: one, two, three, four, five, six !? one=comm, two=win, three=none, four=none, five=comm, six=op
    real :: x
    call q%post(one, two)
    call q%notify(three)
    call q%arrived(four)
    call total(x, five)
    call total(t, six)
  end subroutine work
end module bound
