! neighbours.f90 - numbers that MPI has names for, given to its routines and not.      mpirun -n 4 neighbours-f90
!
! Each rank prints "value RANK EXPRESSION", a tab and the value, with MPI's name before it where the program uses it as such.
module towns
  implicit none
  integer :: beyond
end module towns

program neighbours
  use mpi
  use truth
  use towns
  implicit none
  type pair
    integer :: left, right
  end type pair
  integer :: world_rank, world_size, code, line, request, near, far, source, tag, level, number, amount, ends(2)
  logical :: periods(1)
  type(pair) :: both

  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, world_rank, code)
  call MPI_Comm_size(MPI_COMM_WORLD, world_size, code)
  call truth_begin()
  periods = .false.
  source = MPI_ANY_SOURCE
  tag = MPI_ANY_TAG
  level = MPI_PROC_NULL
  amount = MPI_PROC_NULL
  ends = MPI_PROC_NULL
  number = 0
  call MPI_Cart_create(MPI_COMM_WORLD, 1, [world_size], periods, .false., line, code)
  call MPI_Cart_shift(line, 0, 1, near, far, code) ! call MPI_Send(number, 1, MPI_INTEGER, level, 0, line, code)
  call MPI_Cart_shift(line, 0, 1, both%left, both%right, code)
  call MPI_Irecv(number, 1, MPI_INTEGER, source, tag, line, request, code)
  if (amount > 0) call MPI_Send(number, amount, MPI_INTEGER, amount, 0, line, code)
  call MPI_Send(number, 0, MPI_INTEGER, ends(1), 0, line, code)
  beyond = MPI_PROC_NULL
  call MPI_Send(number, 0, MPI_INTEGER, beyond, 0, line, code)
  call told("near", near, near == MPI_PROC_NULL, "MPI_PROC_NULL")
  call told("far", far, far == MPI_PROC_NULL, "MPI_PROC_NULL")
  call told("both%left", both%left, both%left == MPI_PROC_NULL, "MPI_PROC_NULL")
  call told("source", source, .true., "MPI_ANY_SOURCE")
  call told("tag", tag, .true., "MPI_ANY_TAG")
  call told("beyond", beyond, .true., "MPI_PROC_NULL")
  call told("towns::beyond", beyond, .true., "MPI_PROC_NULL")
  call told("level", level, .false., "")
  call told("amount", amount, .false., "")
  call told("ends(2)", ends(2), .false., "")
  flush (6)
  call wait_for_debugger()
  if (near + far + ends(1) + level + amount + both%right == 1) print *, "nothing" ! stop: neighbours known
  call MPI_Cancel(request, code)
  call MPI_Wait(request, MPI_STATUS_IGNORE, code)
  call MPI_Comm_free(line, code)
  call MPI_Finalize(code)

contains

  subroutine told(expression, number, is_named, name)
    character(len=*), intent(in) :: expression, name
    integer, intent(in) :: number
    logical, intent(in) :: is_named
    if (is_named) then
      print '(a, i0, 5a, i0, a)', "value ", world_rank, " ", expression, char(9), name, " (", number, ")"
    else
      print '(a, i0, 3a, i0)', "value ", world_rank, " ", expression, char(9), number
    end if
  end subroutine told
end program neighbours
