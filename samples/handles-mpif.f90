! handles-mpif.f90 - handles of many kinds in old Fortran, with include "mpif.h": nothing declares MPI's calls, and a
! handle is an INTEGER:    mpidbg show datatype.f:columns --launcher PID
program handles
  use, intrinsic :: iso_c_binding, only: c_loc
  use truth
  implicit none
  include "mpif.h"

  integer :: rank, size, left, right, ierror
  integer :: ocean
  integer :: columns, pair
  integer :: everybody, others
  integer :: hints
  integer :: receive, any_receive, send, prepared, none
  integer :: probed
  integer :: window
  integer :: file
  integer, target :: of_receive(MPI_STATUS_SIZE), of_probe(MPI_STATUS_SIZE)
  integer, target :: numbers(100), incoming(100)
  double precision, target :: matrix(4, 6)
  integer(kind=MPI_ADDRESS_KIND) :: bytes
  character(len=40) :: path
  logical :: is_there

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
  call truth_begin()
  left = mod(rank + size - 1, size)
  right = mod(rank + 1, size)
  numbers = rank

  call MPI_Comm_dup(MPI_COMM_WORLD, ocean, ierror)
  call MPI_Comm_set_name(ocean, "ocean", ierror)
  call MPI_Type_vector(6, 2, 4, MPI_DOUBLE_PRECISION, columns, ierror)
  call MPI_Type_set_name(columns, "columns", ierror)
  call MPI_Type_commit(columns, ierror)
  call MPI_Type_create_struct(2, [1, 3], [0_MPI_ADDRESS_KIND, 8_MPI_ADDRESS_KIND], &
                              [MPI_DOUBLE_PRECISION, MPI_INTEGER], pair, ierror)
  call MPI_Type_commit(pair, ierror)
  call MPI_Comm_group(ocean, everybody, ierror)
  call MPI_Group_excl(everybody, 1, [rank], others, ierror)
  call MPI_Info_create(hints, ierror)
  call MPI_Info_set(hints, "depth", "30 m", ierror)

  call MPI_Irecv(incoming(1), 5, MPI_INTEGER, left, 21, ocean, receive, ierror)
  call MPI_Irecv(incoming(6), 6, MPI_REAL, MPI_ANY_SOURCE, 22, ocean, any_receive, ierror)
  call MPI_Issend(numbers, 7, MPI_INTEGER, right, 23, ocean, send, ierror)
  call MPI_Send_init(matrix, 1, columns, right, 24, ocean, prepared, ierror)
  none = MPI_REQUEST_NULL
  call MPI_Sendrecv(numbers, 3, MPI_INTEGER, right, 25, incoming(20), 8, MPI_INTEGER, MPI_ANY_SOURCE, 25, ocean, &
                    of_receive, ierror)
  call MPI_Send(numbers, 9, MPI_INTEGER, right, 26, ocean, ierror)
  call MPI_Mprobe(left, 26, ocean, probed, of_probe, ierror)

  bytes = 400
  call MPI_Win_create(incoming, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, window, ierror)
  call MPI_Win_set_name(window, "window", ierror)
  call MPI_Win_fence(0, window, ierror)
  write (path, "(a, i0)") "/tmp/mpidbg-handles-mpif-", rank
  call MPI_File_open(MPI_COMM_SELF, trim(path), MPI_MODE_CREATE + MPI_MODE_RDWR + MPI_MODE_DELETE_ON_CLOSE, &
                     MPI_INFO_NULL, file, ierror)

  call truth_datatype("datatype.f:columns", columns)
  call truth_datatype("datatype.f:pair", pair)
  call truth_datatype("MPI_DOUBLE_PRECISION", MPI_DOUBLE_PRECISION)
  call truth_datatype("MPI_INTEGER", MPI_INTEGER)
  call truth_group("group.f:everybody", everybody)
  call truth_group("group.f:others", others)
  call truth_info("info.f:hints", hints)
  call truth_predefined_op("MPI_SUM", MPI_SUM, "MPI_SUM")
  call truth_receive("request.f:receive", receive, c_loc(incoming(1)), 5, MPI_INTEGER, left, 21, ocean)
  call truth_receive("request.f:any_receive", any_receive, c_loc(incoming(6)), 6, MPI_REAL, MPI_ANY_SOURCE, &
                     22, ocean)
  call truth_send("request.f:send", send, "synchronous", .false., c_loc(numbers), 7, MPI_INTEGER, right, 23, &
                  ocean)
  call truth_send("request.f:prepared", prepared, "standard", .true., c_loc(matrix), 1, columns, right, 24, &
                  ocean)
  call truth_request("request.f:none", none)
  call truth_status("status:of_receive", c_loc(of_receive))
  call truth_message("message.f:probed", probed, ocean, c_loc(of_probe))
  call truth_win("win.f:window", window, MPI_COMM_WORLD, .true.)
  call truth_file("file.f:file", file, trim(path), MPI_COMM_SELF)

  call wait_for_debugger() ! stop: all handles made

  call MPI_Mrecv(incoming(40), 9, MPI_INTEGER, probed, of_probe, ierror)
  call MPI_Recv(incoming(60), 7, MPI_INTEGER, left, 23, ocean, of_receive, ierror)
  call MPI_Wait(send, of_receive, ierror)
  call MPI_Cancel(receive, ierror)
  call MPI_Wait(receive, of_receive, ierror)
  call MPI_Cancel(any_receive, ierror)
  call MPI_Wait(any_receive, of_receive, ierror)
  call MPI_Request_free(prepared, ierror)
  call MPI_Win_fence(0, window, ierror)
  call MPI_Win_free(window, ierror)
  call MPI_File_close(file, ierror)
  inquire (file=trim(path), exist=is_there)
  if (is_there) print *, trim(path), " is still there"
  call MPI_Info_free(hints, ierror)
  call MPI_Group_free(everybody, ierror)
  call MPI_Group_free(others, ierror)
  call MPI_Type_free(columns, ierror)
  call MPI_Type_free(pair, ierror)
  call MPI_Comm_free(ocean, ierror)
  call MPI_Finalize(ierror)
end program handles
