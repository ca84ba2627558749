! inferred.f90 - INTEGERs that are handles in all the places where Fortran can put them, with "use mpi". The program says
! by its calls what each is:    mpidbg show world statuses --launcher PID
module ocean_model
  use mpi
  implicit none

  type :: halo_type
    integer :: comm = MPI_COMM_NULL
    integer :: requests(2) = MPI_REQUEST_NULL
    integer :: statuses(MPI_STATUS_SIZE, 2)
    integer, allocatable :: types(:)
  end type halo_type

  type, extends(halo_type) :: deep_halo
    integer, pointer :: win
  end type deep_halo

  integer :: ocean_comm = MPI_COMM_NULL
  type(halo_type), target :: halos(2)

contains

  subroutine set_up(parent, halo)
    integer, intent(in) :: parent
    type(halo_type), intent(inout) :: halo
    integer :: ierror
    call MPI_Comm_dup(parent, halo%comm, ierror)
    allocate (halo%types(2))
    call MPI_Type_contiguous(3, MPI_INTEGER, halo%types(1), ierror)
    call MPI_Type_contiguous(5, MPI_REAL, halo%types(2), ierror)
    call MPI_Type_commit(halo%types(1), ierror)
    call MPI_Type_commit(halo%types(2), ierror)
  end subroutine set_up

end module ocean_model

program inferred
  use, intrinsic :: iso_c_binding, only: c_loc
  use mpi
  use truth
  use ocean_model
  implicit none

  integer :: kind, size, shape, floor ! what gdb takes for intrinsics
  integer :: left, right, rank, ierror, i
  integer, target :: statuses(MPI_STATUS_SIZE, 3), some(MPI_STATUS_SIZE, 0:1)
  integer, allocatable :: requests(:), comms(:, :), spare(:)
  integer, allocatable, target :: of_requests(:, :)
  integer, pointer :: groups(:), here
  integer, target :: two_groups(4), reversed_comm
  integer :: nothing, no_type, no_op, no_info, no_group, no_request, no_errhandler, no_file, no_message, no_win
  integer :: unsure
  type(deep_halo) :: deepest

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, i, ierror)
  call truth_begin()
  left = mod(rank + i - 1, i)
  right = mod(rank + 1, i)

  call MPI_Comm_dup(MPI_COMM_WORLD, ocean_comm, ierror)
  call MPI_Comm_set_name(ocean_comm, "ocean", ierror)
  call set_up(ocean_comm, halos(1))
  call set_up(halos(1)%comm, halos(2))

  call MPI_Type_vector(2, 1, 3, MPI_REAL, kind, ierror)
  call MPI_Type_commit(kind, ierror)
  call MPI_Comm_group(ocean_comm, size, ierror)
  call MPI_Info_create(shape, ierror)
  call MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, floor, ierror)

  allocate (requests(3), comms(2, 2), of_requests(MPI_STATUS_SIZE, 2))
  comms = MPI_COMM_NULL
  call MPI_Comm_dup(floor, comms(2, 1), ierror)
  call MPI_Comm_dup(MPI_COMM_SELF, comms(1, 2), ierror)
  groups => two_groups(1:4:2)
  two_groups = MPI_GROUP_NULL
  call MPI_Comm_group(MPI_COMM_SELF, groups(2), ierror)
  here => reversed_comm
  call MPI_Comm_dup(floor, here, ierror)

  do i = 1, 3
    call MPI_Sendrecv(rank, 1, MPI_INTEGER, right, 10 + i, left, 1, MPI_INTEGER, MPI_ANY_SOURCE, 10 + i, ocean_comm, &
                      statuses(:, i), ierror)
  end do
  left = statuses(MPI_SOURCE, 1)
  do i = 0, 1
    call MPI_Sendrecv(rank, 1, MPI_INTEGER, left, 20 + i, right, 1, MPI_INTEGER, MPI_ANY_SOURCE, 20 + i, ocean_comm, &
                      some(:, i), ierror)
  end do
  right = some(MPI_SOURCE, 0)
  call MPI_Sendrecv(MPI_BOTTOM, 0, MPI_INTEGER, left, 30, MPI_BOTTOM, 0, MPI_INTEGER, right, 30, ocean_comm, &
                    MPI_STATUS_IGNORE, ierror)
  call MPI_Allreduce(MPI_IN_PLACE, unsure, 1, MPI_INTEGER, MPI_MAX, ocean_comm, ierror)
  call MPI_Isend(rank, 1, MPI_INTEGER, right, 31, ocean_comm, requests(1), ierror)
  call MPI_Irecv(i, 1, MPI_INTEGER, left, 31, ocean_comm, requests(2), ierror)
  call MPI_Waitall(2, requests, of_requests, ierror)
  requests = MPI_REQUEST_NULL
  halos(2)%statuses(:, 2) = statuses(:, 3)

  call set_up(floor, deepest%halo_type)
  allocate (deepest%win)
  call MPI_Win_create_dynamic(MPI_INFO_NULL, floor, deepest%win, ierror)

  nothing = MPI_COMM_NULL
  no_type = MPI_DATATYPE_NULL
  no_op = MPI_OP_NULL
  no_info = MPI_INFO_NULL
  no_group = MPI_GROUP_NULL
  no_request = MPI_REQUEST_NULL
  no_errhandler = MPI_ERRHANDLER_NULL
  no_file = MPI_FILE_NULL
  no_message = MPI_MESSAGE_NULL
  no_win = MPI_WIN_NULL

  ! One variable for two things: nobody can say what it is now.
  call MPI_Type_contiguous(2, MPI_INTEGER, unsure, ierror)
  call MPI_Type_free(unsure, ierror)
  unsure = MPI_COMM_WORLD
  call MPI_Barrier(unsure, ierror)

  call exchange(ocean_comm, halos(2), deepest, requests, comms, kind)
  call MPI_Finalize(ierror)

contains

  subroutine exchange(comm, halo, deep, pending, others, element, missing)
    integer, intent(in) :: comm, others(2, *)
    type(halo_type), intent(inout), target :: halo
    class(deep_halo), intent(inout) :: deep
    integer, intent(inout) :: pending(:)
    integer, intent(in), optional :: element, missing
    integer :: local, ignored
    integer, target :: stat(MPI_STATUS_SIZE) ! gdb takes the name for that of a struct of C
    logical :: is_done

    local = comm
    if (present(element)) call MPI_Type_size(element, ignored, ierror)
    if (present(missing)) call MPI_Type_size(missing, ignored, ierror)
    call MPI_Comm_size(halo%comm, ignored, ierror)
    call MPI_Testall(3, pending, is_done, MPI_STATUSES_IGNORE, ierror)
    call MPI_Testall(2, halo%requests, is_done, halo%statuses, ierror)
    stat = statuses(:, 3)
    halo%statuses(:, 1) = statuses(:, 2)
    halo%statuses(:, 2) = statuses(:, 3)

    call truth_comm("comm", comm)
    call truth_comm("local", local)
    call truth_comm("ocean_comm", ocean_comm)
    call truth_comm("halo%comm", halo%comm)
    call truth_comm("halos(1)%comm", halos(1)%comm)
    call truth_comm("deep%comm", deep%comm)
    call truth_comm("deepest%comm", deepest%comm)
    call truth_comm("deep % halo_type % comm", deep%comm)
    call truth_comm("others(1,2)", others(1, 2))
    call truth_comm("floor", floor)
    call truth_comm("here", here)
    call truth_comm("nothing", nothing)
    call truth_comm("comms(1,1)", comms(1, 1), ask="comms")
    call truth_comm("comms(2,1)", comms(2, 1), ask="comms")
    call truth_comm("comms(1,2)", comms(1, 2), ask="comms")
    call truth_comm("comms(2,2)", comms(2, 2), ask="comms")
    call truth_datatype("MPI_REAL", MPI_REAL)
    call truth_datatype("MPI_INTEGER", MPI_INTEGER)
    call truth_datatype("kind", kind)
    call truth_datatype("halo%types(1)", halo%types(1))
    call truth_datatype("halo%types(2)", halo%types(2))
    call truth_datatype("deep%types(2)", deep%types(2))
    call truth_datatype("no_type", no_type)
    if (present(element)) call truth_datatype("element", element)
    call truth_group("size", size)
    call truth_group("groups(2)", groups(2))
    call truth_group("no_group", no_group)
    call truth_info("shape", shape)
    call truth_request("requests(3)", requests(3))
    call truth_request("pending(1)", pending(1))
    call truth_request("halo%requests(2)", halo%requests(2))
    call truth_request("no_request", no_request)
    call truth_status("statuses(:,1)", c_loc(statuses(1, 1)))
    call truth_status("statuses(:,2)", c_loc(statuses(1, 2)))
    call truth_status("statuses(:,3)", c_loc(statuses(1, 3)))
    call truth_status("stat", c_loc(stat(1)))
    call truth_status("some(:,0)", c_loc(some(1, 0)))
    call truth_status("some(:,1)", c_loc(some(1, 1)))
    call truth_status("of_requests(:,1)", c_loc(of_requests(1, 1)))
    call truth_status("of_requests(:,2)", c_loc(of_requests(1, 2)))
    call truth_status("halo%statuses(:,1)", c_loc(halo%statuses(1, 1)))
    call truth_status("halo%statuses(:,2)", c_loc(halo%statuses(1, 2)))

    call wait_for_debugger() ! stop: all handles in view
  end subroutine exchange

end program inferred
