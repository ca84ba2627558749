! Conditions and values of Fortran that gdb alone answers wrongly, in words of its own or not at all. The program prints whether each
! condition holds where the comment "all told" is, and the elements of each section.
module asked
  use mpi, only: MPI_COMM_WORLD
  implicit none
  type :: cell
    real :: depth = 1.5
    integer, allocatable :: parts(:)
  end type
contains
  subroutine tell(condition, holds)
    character(len=*), intent(in) :: condition
    logical, intent(in) :: holds
    print '(3a,l1)', 'CONDITION ', condition, achar(9), holds
  end subroutine

  subroutine tell_section(section, elements)
    character(len=*), intent(in) :: section
    integer, intent(in) :: elements(:)
    print '(3a,*(i0,:,","))', 'SECTION ', section, achar(9), elements
  end subroutine

  ! The caller passes neither extra, list nor level.
  subroutine look(open, plane, n, a, b, labels, fixed, cells, back, extra, list, level)
    integer, intent(in) :: n
    integer, intent(in) :: open(0:*), plane(0:n-1, 2:*), back(:)
    real, intent(in) :: a(:), b(n)
    character(len=*), intent(in) :: labels(:)
    character(len=4), intent(in) :: fixed(*)
    type(cell), intent(in) :: cells(*)
    integer, intent(in), optional :: extra(:), list(n), level
    integer, allocatable :: never(:), chosen(:)
    integer, pointer :: nowhere(:)
    type(cell), pointer :: lost
    character(len=:), allocatable :: gone
    integer :: rank, most, world, i
    complex :: z
    logical :: mask(3)

    nullify (nowhere, lost)
    gone = 'seven'
    deallocate (gone)
    allocate (chosen(2))
    chosen = [1, 2]
    rank = 0
    world = MPI_COMM_WORLD
    z = (1.0, 2.0)
    mask = a == b
    call tell('open(1) == 2', open(1) == 2)
    call tell('plane(1,3) == 5 .and. plane(0,2) == 1', plane(1, 3) == 5 .and. plane(0, 2) == 1)
    call tell('n > 0 .and. back(2) == 3', n > 0 .and. back(2) == 3)
    call tell('n > 0.and.back(2) == 2', n > 0 .and. back(2) == 2)
    call tell('n.eq.3.and..not.present(level)', n .eq. 3 .and. .not. present(level))
    call tell('n == 3_8 .and. a(1) == 1.0_4', n == 3_8 .and. a(1) == 1.0_4)
    call tell('n.ne.3_4.or..false._1', n .ne. 3_4 .or. .false._1)
    call tell('allocated(gone) .and. len(gone) == 5', .false.)
    call tell('associated(lost) .and. lost%depth == 1.5', .false.)
    call tell('a(1) == 3.0 .or. present(level)', a(1) == 3.0 .or. present(level))
    call tell('size(a) == 3 .or. present(level)', size(a) == 3 .or. present(level))
    call tell('rank == 0', rank == 0)
    call tell('rank == 0 .and. world == MPI_COMM_WORLD', rank == 0 .and. world == MPI_COMM_WORLD)
    call tell("fixed(1)(n:n) == 'c'", fixed(1)(n:n) == 'c')
    call tell("labels(2) == 'ef' .and. labels(1)(2:n) == 'bc'", labels(2) == 'ef' .and. labels(1)(2:n) == 'bc')
    call tell('cells(2)%depth == 2.5', cells(2)%depth == 2.5)
    call tell('present(level) .eqv. n == 3', present(level) .eqv. n == 3)
    ! One operand is meant to protect the other: it need not be evaluated.
    call tell('present(level) .and. level == 2', .false.)
    call tell('.not. (present(level) .and. level == 2)', .true.)
    call tell('.not. present(level) .or. level == 2', .true.)
    call tell('level == 2 .or. .not. present(level)', .true.)
    call tell('present(extra) .and. size(extra) == 0', .false.)
    call tell('present(list) .and. size(list) == 0', .false.)
    call tell('(present(extra) .and. lbound(extra, 1) == 1) .or. (n == 3 .and. open(1) == 2)', n == 3 .and. open(1) == 2)
    call tell('allocated(never) .and. size(never) /= 99', .false.)
    call tell('allocated(never) .and. never(1) == 0', .false.)
    call tell('associated(nowhere) .and. nowhere(1) == 0', .false.)
    call tell('cells(1)%depth == 1.5 .and. allocated(cells(1)%parts) .and. cells(1)%parts(1) == 2', .false.)
    call tell('allocated(chosen) .and. chosen(size(chosen)) == 2', chosen(size(chosen)) == 2)
    call tell_section('open(1:2)', open(1:2))
    call tell_section('open(:2)', open(:2))
    call tell_section('open(0:4:2)', open(0:4:2))
    call tell_section('open(3:1:-1)', open(3:1:-1))
    call tell_section('open(n-1:n)', open(n - 1:n))
    call tell_section('plane(1:2,2)', plane(1:2, 2))
    call tell_section('back(2:3)', back(2:3))
    most = 0
    do i = 1, 3
      most = most + open(i) ! stop: all told
    end do
    print *, most, rank, world, z, mask, allocated(never), associated(nowhere), associated(lost), allocated(gone) ! stop: behind
    if (present(extra) .and. present(list)) print *, extra, list
  end subroutine
end module

program fortran_conditions
  use mpi
  use asked
  implicit none
  integer :: open(6) = [1, 2, 3, 4, 5, 6], plane(3, 3) = reshape([1, 2, 3, 4, 5, 6, 7, 8, 9], [3, 3])
  integer :: line(4) = [1, 2, 3, 4], ierror
  real :: a(3) = [1., 2., 3.], b(3) = [1., 2., 4.]
  type(cell) :: cells(3)
  character(len=4) :: labels(2) = ['abcd', 'ef  ']
  cells(2)%depth = 2.5
  call MPI_Init(ierror)
  call look(open, plane, 3, a, b, labels, labels, cells, line(4:1:-1))
  call MPI_Finalize(ierror)
end program
