! Statuses, and arrays that hold only fields of them.
module statuses
  use mpi
  implicit none
  type :: kept_type
    integer :: whole(MPI_STATUS_SIZE), pair(2)
    integer, allocatable :: froms(:), all(:, :), last(:)
  end type kept_type
  type(kept_type) :: kept
contains
  subroutine receive(n, comm) !? comm=comm
    integer, intent(in) :: n, comm
    integer :: ierr, k, status(MPI_STATUS_SIZE), stat(MPI_STATUS_SIZE, 3) !? status=status, stat=status, k=none, n=none
    integer :: who(3), froms(5), pair(2), cells(2, 3), flat(4), two(12) !? who=none, froms=none, pair=none, cells=none, flat=none, two=none
    integer :: column(MPI_STATUS_SIZE), short(5), copy(6, 3), buffer !? column=status, short=status, copy=status, buffer=none
    integer, allocatable :: later(:), grown(:, :), got(:, :) !? later=none, grown=status, got=status
    integer, pointer :: row(:), one(:) !? row=none, one=status
    integer, target :: held(MPI_STATUS_SIZE, 3) !? held=status
    integer :: shared(MPI_STATUS_SIZE), head(2), same(6), third(6) !? shared=status, head=none, same=status, third=none
    integer :: heap(100), work(50) !? heap=conflict, work=conflict
    equivalence (shared(1), head(1)), (shared, same), (shared(3), third(1))
    do k = 1, n
      call MPI_Recv(buffer, 1, MPI_INTEGER, MPI_ANY_SOURCE, 0, comm, status, ierr)
      who(k) = status(MPI_SOURCE)
      froms(k) = status(1)
      stat(:, k) = status
      cells(:, k) = [status(MPI_SOURCE), status(MPI_TAG)]
      kept%froms(k) = status(MPI_SOURCE)
    end do
    pair = [status(MPI_SOURCE), status(MPI_TAG)]
    two = [status, column]
    later = [status(MPI_SOURCE)]
    kept%pair = status(1:2)
    flat = status(:4)
    column = stat(1:MPI_STATUS_SIZE, 2)
    short = status(:)
    copy = stat
    grown = stat
    kept%all = stat(:, :) !? kept%all=status, kept%whole=status, kept%last=status, kept%froms=none, kept%pair=none
    kept%whole = stat(:, 1)
    kept%last = kept%all(:, 2)
    held = stat
    row => held(MPI_SOURCE, :)
    one => held(:, 2)
    allocate (got(MPI_STATUS_SIZE, n))
    call MPI_Recv(buffer, 1, MPI_INTEGER, MPI_ANY_SOURCE, 0, comm, got(1, 2), ierr)
    if (got(MPI_TAG, 2) > got(MPI_TAG, 1) + 1) who(1) = 0
    call MPI_Recv(buffer, 1, MPI_INTEGER, MPI_ANY_SOURCE, 0, comm, heap(11), ierr)
    call MPI_Recv(buffer, 1, MPI_INTEGER, MPI_ANY_SOURCE, 0, comm, work, ierr)
    shared = status
    call of_sources(stat(MPI_SOURCE, :), n)
    call of_some(stat(2, 1:2))
    call of_fields(status(1:2))
    call of_field(stat(MPI_TAG, 2))
    call of_one(stat(1, 2))
    call of_each(stat(:, 2), stat)
    call of_many(stat, n)
    call of_first(status)
    associate (src => status(MPI_SOURCE), tags => stat(2, :), second => stat(:, 2))
      print *, src, tags, second !? src=none, tags=none, second=status
    end associate
  end subroutine receive

  subroutine of_sources(from, n) !? from=none
    integer, intent(in) :: n, from(n)
  end subroutine of_sources

  subroutine of_some(some) !? some=none
    integer, intent(in) :: some(:)
  end subroutine of_some

  subroutine of_fields(fields) !? fields=none
    integer, intent(in) :: fields(2)
  end subroutine of_fields

  subroutine of_field(field) !? field=none
    integer, intent(in) :: field
  end subroutine of_field

  subroutine of_one(one) !? one=status
    integer, intent(in) :: one(*)
  end subroutine of_one

  subroutine of_each(column, columns) !? column=status, columns=status
    integer, intent(in) :: column(:), columns(:, :)
  end subroutine of_each

  subroutine of_many(columns, n) !? columns=status
    integer, intent(in) :: n, columns(MPI_STATUS_SIZE, n)
  end subroutine of_many

  subroutine of_first(first) !? first=none
    integer, intent(in) :: first(2)
  end subroutine of_first
end module statuses
