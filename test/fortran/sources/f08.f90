! TYPE(MPI_Comm) needs no inference; the INTEGER inside of it does.
module holders
  use mpi_f08
  implicit none
  type :: holder
    type(MPI_Comm) :: comm
    integer :: old_style !? old_style=none
  end type
contains
  subroutine fill(h, list)
    type(holder) :: h !? h%comm=comm, h%old_style=comm, h%comm%mpi_val=comm
    type(MPI_Request), dimension(:) :: list !? list=request
    type(MPI_Status) :: status !? status=status
    h%comm = MPI_COMM_WORLD
    h%old_style = h%comm%MPI_VAL
    call MPI_Wait(list(1), status)
  end subroutine
  subroutine sum_up(invec, inoutvec, len, datatype) bind(c)
    use, intrinsic :: iso_c_binding
    type(c_ptr), value :: invec, inoutvec
    integer :: len !? len=none
    type(MPI_Datatype) :: datatype !? datatype=datatype
  end subroutine
end module

submodule (holders) details
contains
  subroutine inside(h)
    class(*) :: h
    select type (h)
    type is (holder)
      call MPI_Barrier(h%comm) !? h%comm=comm
    class default
      stop
    end select
  end subroutine
end submodule
