! CHARACTER of every sort, in a loop: in each lap the variables have another of four names, and is_ocean says whether it
! is "ocean". What is POINTER or ALLOCATABLE holds the same. The program prints how often its function was called meanwhile.
module labels
  implicit none
  type :: buoy
    character(len=12) :: name = ' '
    character(len=:), allocatable :: label, labels(:)
  end type
  character(len=12) :: shared = ' '
  integer :: calls = 0
contains
  integer function deepest(metres)
    integer, intent(in) :: metres
    calls = calls + 1
    deepest = metres + 1
  end function

  subroutine visit(label, others, lap)
    character(len=*), intent(in) :: label, others(:)
    integer, intent(in) :: lap
    logical :: is_ocean
    is_ocean = label == 'ocean'
    if (is_ocean .and. lap < 0) calls = deepest(len(others)) ! stop: the lap begins
  end subroutine
end module

program fortran_texts
  use mpi
  use labels
  implicit none
  character(len=5), parameter :: names(0:3) = ['north', 'ocean', 'reef ', '     ']
  character(len=12) :: fixed
  character(len=*), parameter :: kind_of_name = 'name'
  character(len=8) :: all(2)
  character(len=1) :: initial
  character(len=:), allocatable :: words(:), title
  type(buoy) :: nearest
  logical :: is_ocean
  integer, target :: oceans
  integer, pointer :: counted
  real(8), allocatable :: level
  logical, allocatable :: seen
  integer :: lap, ierror
  call MPI_Init(ierror)
  do lap = 0, 399
    fixed = names(mod(lap, 4))
    shared = fixed
    nearest%name = fixed
    all(2) = fixed(1:8)
    initial = fixed(1:1)
    words = [names(0), fixed(1:5)]
    title = trim(fixed)
    nearest%label = trim(fixed)
    nearest%labels = words
    is_ocean = fixed == 'ocean'
    oceans = merge(1, 0, is_ocean)
    counted => oceans
    level = 2.5d0 * oceans
    seen = is_ocean
    call visit(fixed, words, lap)
    if (is_ocean) call below(title, lap, oceans)
    if (.not. is_ocean) call below(title, lap)
    if (is_ocean .and. lap < 0) calls = deepest(lap) ! stop: all have a name
  end do
  print '(i0,a,5a,i0,f3.1,l1)', calls, ' calls', fixed, shared, nearest%name, all(2), initial, counted, level, seen
  call MPI_Finalize(ierror)
contains
  ! The text is a variable of the program and, by another name, one of this procedure.
  subroutine below(given, depth, extra)
    character(len=:), allocatable, intent(in) :: given
    integer, intent(in) :: depth
    integer, intent(in), optional :: extra
    character(len=:), allocatable :: own
    logical :: is_here
    own = given // '!'
    is_here = title == 'ocean' .and. own == 'ocean!' .and. present(extra)
    if (is_here .and. depth < 0) calls = deepest(len(title)) ! stop: below the program
  end subroutine
end program
