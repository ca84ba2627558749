! Arrays, CHARACTERs and components with names that gdb takes for intrinsics or for words of its own, and CHARACTER arrays whose size
! gdb does not know. The program prints the value of each expression.
module hiding
  implicit none
  type :: mark
    integer :: loc(3) = [61, 62, 63], kind(2) = [71, 72], real(2) = [75, 76], sizeof = 77
  end type
  integer :: rank(2) = [81, 82]
contains
  subroutine look(size, shape, abs, ubound, heads, open)
    integer, intent(in) :: size(:), shape(*), abs(0:), ubound
    character(*), intent(in) :: heads(4), open(*)
    call tell('size(1)', size(1))
    call tell('size(3)', size(3))
    call tell('shape(2)', shape(2))
    call tell('abs(0)', abs(0))
    call tell('abs(1)', abs(1))
    call tell('ubound', ubound)
    print '(7a)', 'truth heads (''', heads(1), ''', ''', heads(2), ''', ''', heads(3)//''', '''//heads(4)//''')'
    print '(3a)', 'truth heads(2) ''', heads(2), '''' ! stop: in the dummies
  end subroutine

  subroutine tell(name, value)
    character(*), intent(in) :: name
    integer, intent(in) :: value
    print '(3a,i0)', 'truth ', name, ' ', value
  end subroutine
end module

program hidden_intrinsics
  use mpi
  use hiding
  implicit none
  integer :: loc(3) = [11, 12, 13], kind(2) = [41, 42], mod(2, 2) = reshape([1, 2, 3, 4], [2, 2]), lbound(2) = [54, 55]
  integer :: integer(3) = [111, 112, 113], cmplx = 9, complex = 13, ierror, lap
  logical :: associated(2) = [.true., .false.], allocated(2) = [.false., .true.]
  integer, allocatable :: floor(:), modulo(:)
  integer, pointer :: ceiling(:)
  integer, target :: behind(3) = [91, 92, 93]
  character(5) :: precision = 'hello', seas(4) = ['north', 'ocean', 'reef ', 'tide ']
  type(mark) :: object, sizeof(2)
  call MPI_Init(ierror)
  allocate (floor(0:2), modulo(2))
  floor = [101, 102, 103]
  modulo = [104, 105]
  ceiling => behind(3:1:-1)
  sizeof(2)%loc = [1, 2, 3]
  do lap = 1, 4
    call look(loc, kind, mod(:, 2), 5, seas, seas)
    call tell('loc(1)', loc(1))
    call tell('kind(2)', kind(2))
    call tell('mod(2,1)', mod(2, 1))
    call tell('lbound(2)', lbound(2))
    call tell('integer(3)', integer(3))
    call tell('cmplx', cmplx)
    call tell('complex', complex)
    call tell('complex-1', complex - 1)
    call tell('-loc(1)**2', -loc(1)**2)
    call tell('ceiling(1)', ceiling(1))
    call tell('floor(0)', floor(0))
    call tell('modulo(2)', modulo(2))
    call tell('ceiling(3)', ceiling(3))
    call tell('rank(2)', rank(2))
    call tell('object%loc(2)', object%loc(2))
    call tell('object%kind(1)', object%kind(1))
    call tell('object%real(2)', object%real(2))
    call tell('object%sizeof', object%sizeof)
    call tell('sizeof(2)%loc(3)', sizeof(2)%loc(3))
    call tell('loc(kind(1)-40)', loc(kind(1) - 40))
    print '(a,l1)', 'truth associated(1) ', associated(1)
    print '(a,l1)', 'truth allocated(1) ', allocated(1)
    print '(3a)', 'truth precision(2:3) ''', precision(2:3), '''' ! stop: in the program
  end do
  call MPI_Finalize(ierror)
end program
