! Numbers, LOGICALs and texts that are POINTER or ALLOCATABLE, alone and as components, some of them of nothing. Each rank prints
! them before and after the stop.
module boxes
  implicit none
  type :: box
    integer, pointer :: count => null()
    real(8), allocatable :: depth
    logical, pointer :: is_open => null()
    character(len=:), allocatable :: label
    type(box), pointer :: next => null()
  end type
contains
  subroutine look(one, number, level, nowhere, absent)
    type(box), intent(inout) :: one
    integer, pointer :: number, nowhere
    complex(8), allocatable :: level
    integer, pointer, optional :: absent
    call tell('before', one, number, level)
    if (present(absent) .or. associated(nowhere)) return
    call tell('after', one, number, level) ! stop: all are there
  end subroutine

  subroutine tell(when, one, number, level)
    character(len=*), intent(in) :: when
    type(box), intent(in) :: one
    integer, pointer :: number
    complex(8), allocatable :: level
    print '(a,2(1x,i0),1x,f0.2,1x,l1,1x,2a,2(1x,f0.2))', when, number, one%count, one%depth, one%is_open, one%label, '.', level
    flush (6)
  end subroutine
end module

program pointed
  use mpi
  use boxes
  implicit none
  type(box), target :: one, other
  integer, target :: oceans
  integer, pointer :: number, nowhere
  complex(8), allocatable :: level
  integer :: ierror
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, oceans, ierror)
  oceans = oceans + 40
  number => oceans
  nullify(nowhere)
  allocate(one%count, one%depth, one%is_open, level)
  one%count = 3
  one%depth = 0.5d0
  one%is_open = .true.
  one%label = 'reef'
  one%next => other
  level = (1, 2)
  call look(one, number, level, nowhere)
  call MPI_Finalize(ierror)
end program
