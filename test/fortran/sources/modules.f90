! Names that come from elsewhere: only, renames, submodules, interfaces, generic names, nested types, bound procedures.
module base
  use mpi
  implicit none
  private :: hidden
  integer, public :: world = MPI_COMM_WORLD !? world=comm
  integer :: hidden, level = 0, plain(3) !? hidden=comm, level=none, plain=none
  integer, parameter :: wp = kind(1d0), dp = MPI_DOUBLE_PRECISION !? wp=none, dp=datatype
  type :: link
    integer :: to, request = MPI_REQUEST_NULL, status(MPI_STATUS_SIZE)
  end type link
  type :: border
    type(link) :: links(4)
    integer :: window, types(2)
  end type border
  type, abstract :: field
    type(border), pointer :: edge => null()
    integer :: communicator, id
  contains
    procedure(send_field), deferred :: send
    procedure, pass(self) :: free => free_field
    procedure, nopass :: commit
    generic :: release => free
  end type field
  abstract interface
    subroutine send_field(self, to, comm)
      import :: field
      class(field), intent(inout) :: self
      integer, intent(in) :: to, comm
    end subroutine send_field
  end interface
  interface duplicate
    module procedure duplicate_comm
    module procedure duplicate_type
  end interface duplicate
  interface
    module subroutine elsewhere(first, second)
      integer, intent(in) :: first, second
    end subroutine elsewhere
    subroutine outside(a, b)
      integer :: a, b
    end subroutine outside
  end interface
contains
  subroutine free_field(self) !? self%communicator=comm, self%id=none, self%edge%window=win
    class(field), intent(inout) :: self
    integer :: i, ierr !? self%edge%links%request=request, self%edge%links%to=none, self%edge%links%status=status
    do i = 1, size(self%edge%links)
      call MPI_Wait(self%edge%links(i)%request, self%edge%links(i)%status, ierr)
      self%edge%links(i)%to = i
    end do
    call MPI_Win_free(self % edge % window, ierr)
    call MPI_Comm_free(self%communicator, ierr)
    hidden = self%communicator
  end subroutine free_field
  subroutine commit(type, n)
    integer, intent(inout) :: type !? type=datatype
    integer, intent(in) :: n !? n=none
    integer :: ierr
    if (n > 0) call MPI_Type_commit(type, ierr)
  end subroutine commit
  subroutine duplicate_comm(from, to)
    integer, intent(in) :: from !? from=comm
    integer, intent(out) :: to !? to=comm
    integer :: ierr
    call MPI_Comm_dup(from, to, ierr)
  end subroutine duplicate_comm
  subroutine duplicate_type(from, to, count)
    integer, intent(in) :: from, count !? from=datatype, count=none
    integer, intent(out) :: to !? to=datatype
    integer :: ierr
    call MPI_Type_contiguous(count, from, to, ierr)
  end subroutine duplicate_type
end module base

submodule (base) impl
  implicit none
  integer :: kept !? kept=op
contains
  module subroutine elsewhere(first, second)
    integer, intent(in) :: first, second !? first=info, second=op
    integer :: ierr
    call MPI_Info_free(first, ierr)
    kept = second
    call MPI_Op_free(kept, ierr)
    call MPI_Barrier(world, ierr)
  end subroutine elsewhere
end submodule impl

submodule (base:impl) deeper
contains
  subroutine reduce(value)
    integer :: value, ierr !? value=none, ierr=none
    call MPI_Allreduce(MPI_IN_PLACE, value, 1, MPI_INTEGER, kept, world, ierr)
  end subroutine reduce
end submodule deeper

module middle
  use base, only: everyone => world, field, border, duplicate, elsewhere, outside
  implicit none
  integer :: world !? world=none, everyone=comm
end module middle

subroutine outside(a, b)
  integer :: a, b !? a=errhandler, b=file
  call MPI_Errhandler_free(a, ierr)
  call MPI_File_close(b, ierr)
end subroutine outside

program main
  use middle, renamed => everyone
  use, intrinsic :: iso_fortran_env, only: output_unit
  use mpi_elsewhere, only: unknown
  implicit none
  integer :: mine, type, none, handler, file, info, op !? mine=comm, type=datatype, none=none, handler=errhandler
  integer :: color, key, line !? file=file, info=info, op=op, color=none, key=none, line=none, renamed=comm
  integer, target :: aimed !? aimed=comm
  integer, pointer :: arrow !? arrow=comm
  class(field), allocatable :: a_field !? a_field%communicator=comm
  namelist /settings/ color, key, line
  call duplicate(renamed, mine)
  call duplicate(type, type, 3)
  call outside(handler, file)
  call elsewhere(info, op)
  arrow => aimed
  call MPI_Barrier(arrow, line)
  select case (color)
  case (1:3)
    call a_field%commit(type, 3)
  case default
    call a_field%send(key, aimed)
  end select
  read (5, nml=settings)
contains
  subroutine inner(comm)
    integer, value :: comm !? comm=group
    integer :: mine !? mine=none
    type(border) :: edges(3) !? edges%types=datatype, edges%window=win
    associate (t => edges(2)%types, w => edges(1)%window)
      call MPI_Type_free(t(1), mine) !? t=datatype, w=win
    end associate
    inside: block
      integer :: comm !? comm=win
      call MPI_Win_free(comm, mine)
    end block inside
    call MPI_Group_free(comm, mine)
  end subroutine inner
end program main
