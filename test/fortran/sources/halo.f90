! Modules, types, host and use association, keyword arguments, continuation in the middle of everything.
module halo_types
  use mpi
  implicit none
  integer, parameter :: real_type = MPI_DOUBLE_PRECISION !? real_type=datatype
  integer :: world !? world=comm
  integer :: steps, tag_base = 100 !? steps=none, tag_base=none
  type :: neighbours
    integer :: comm = MPI_COMM_NULL
    integer :: count, requests(8)
    integer, dimension(:), allocatable :: types
  end type neighbours
  type, extends(neighbours) :: halo
    integer :: column_type, window
  contains
    procedure :: init => halo_init
    procedure, nopass :: free_type
  end type halo
  interface exchange
    module procedure exchange_one, exchange_many
  end interface
contains
  subroutine halo_init(self, comm, n)
    class(halo), intent(inout) :: self !? self%comm=comm, self%count=none, self%requests=request, self%types=datatype
    integer, intent(in) :: comm, n !? comm=comm, n=none
    integer :: ierr !? ierr=none
    self%comm = comm !? self%column_type=datatype, self%window=win
    call MPI_Type_vector(n, 1, n, MPI_DOUBLE_PRECISION, &
                         self%column_type, ierr)
    call MPI_Type_commit(self % column_type, ierr)
    call mpi_win_create_dynamic(MPI_INFO_NULL, self%comm, self%window, ierr)
    allocate (self%types(2))
    self%types = (/ MPI_INTEGER, MPI_REAL /)
  end subroutine
  subroutine free_type(type)
    integer :: type !? type=datatype
    integer :: ierr
    call MPI_Type_free(type, ierr)
  end subroutine
  subroutine exchange_one(h, field)
    type(halo) :: h
    real(8) :: field(:, :)
    integer :: ierr, status(MPI_STATUS_SIZE) !? status=status
    call MPI_Sendrecv(field(1, 1), 1, h%column_type, 0, 1, &
      & field(1, 2), 1, h%column_type, 0, 1, h%comm, sta&
      &tus, ierr)
  end subroutine
  subroutine exchange_many(h, field, times)
    type(halo) :: h
    real(8) :: field(:, :)
    integer :: times, i, ierr !? times=none, i=none
    do i = 1, times; call exchange(h, field); end do
    call MPI_Waitall(8, array_of_requests=h%requests, ierror=ierr, array_of_statuses=MPI_STATUSES_IGNORE)
  end subroutine
end module halo_types

program main
  use halo_types, only: halo, neighbours, everyone => world, exchange
  use mpi, only: MPI_COMM_WORLD
  implicit none
  type(halo), target :: h
  integer :: ierr, rank, size, color, half, spare, group, op, info !? rank=none, size=none, color=none, half=comm
  integer :: not_a_handle !? not_a_handle=none, spare=comm, group=group, op=op, info=info
  character(len=*), parameter :: text = 'call MPI_Comm_dup(a, not_a_handle, ierr)'
  type(neighbours) :: made !? made%comm=comm
  external :: add_up
  call MPI_Init(ierr)
  everyone = MPI_COMM_WORLD !? everyone=comm
  call MPI_Comm_rank(everyone, rank, ierr); call MPI_Comm_size(everyone, size, ierr)
  color = mod(rank, 2) ! call MPI_Comm_dup(a, not_a_handle, ierr)
  CALL mpi_comm_SPLIT (everyone , color , rank , half , ierr)
  spare = half
  if (spare /= MPI_COMM_NULL) call h%init(spare, 4)
  call MPI_Comm_group(half, group, ierr)
  call MPI_Op_create(add_up, .true., op, ierr)
  call MPI_Info_create(info, ierr)
  associate (inner => h%comm, n => h%count)
    call MPI_Barrier(inner, ierr) !? inner=comm, n=none
  end associate
  block
    integer :: half(2) !? half=request
    call MPI_Startall(2, half, ierr)
  end block
  call exchange(h, reshape([0d0], [1, 1]), 3)
  call h%free_type(h%column_type)
  made = neighbours(comm=half, count=1, requests=[(MPI_REQUEST_NULL, color=1,8)], types=[MPI_REAL])
end program main

subroutine add_up(a, b, n, kind)
  integer :: n, kind !? n=none, kind=datatype
  integer :: a(n), b(n) !? a=none
  b = b + a
end subroutine add_up
