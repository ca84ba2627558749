! handles-f08.f90 - handles of every kind in modern Fortran, with "use mpi_f08": each kind has a type of its own,
! so that a debugger knows it:    mpidbg show columns --launcher PID
module callbacks_f08
  use mpi_f08
  implicit none

contains

  subroutine keep_larger(invec, inoutvec, length, datatype)
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
    type(c_ptr), value :: invec, inoutvec
    integer :: length
    type(MPI_Datatype) :: datatype
    integer, pointer :: left(:), right(:)
    if (datatype == MPI_DATATYPE_NULL) return
    call c_f_pointer(invec, left, [length])
    call c_f_pointer(inoutvec, right, [length])
    right = max(left, right)
  end subroutine keep_larger

  subroutine on_error(comm, code)
    type(MPI_Comm) :: comm
    integer :: code
    print *, "MPI error", code, "of a communicator", comm%MPI_VAL
  end subroutine on_error

end module callbacks_f08

program handles
  use, intrinsic :: iso_c_binding, only: c_funloc, c_loc
  use mpi_f08
  use truth
  use callbacks_f08
  implicit none

  integer :: rank, size, left, right
  type(MPI_Comm) :: ocean
  type(MPI_Datatype) :: columns, pair
  type(MPI_Group) :: everybody, others
  type(MPI_Info) :: hints
  type(MPI_Op) :: larger
  type(MPI_Errhandler) :: reporting
  type(MPI_Request) :: receive, any_receive, send, prepared, none
  type(MPI_Message) :: probed
  type(MPI_Win) :: window
  type(MPI_File) :: file
  type(MPI_Status), target :: of_receive, of_probe
  integer, target :: numbers(100), incoming(100)
  double precision, target :: matrix(4, 6)
  integer(kind=MPI_ADDRESS_KIND) :: bytes
  character(len=40) :: path
  logical :: is_there

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  call truth_begin()
  left = mod(rank + size - 1, size)
  right = mod(rank + 1, size)
  numbers = rank

  call MPI_Comm_dup(MPI_COMM_WORLD, ocean)
  call MPI_Comm_set_name(ocean, "ocean")
  call MPI_Type_vector(6, 2, 4, MPI_DOUBLE_PRECISION, columns)
  call MPI_Type_set_name(columns, "columns")
  call MPI_Type_commit(columns)
  call MPI_Type_create_struct(2, [1, 3], [0_MPI_ADDRESS_KIND, 8_MPI_ADDRESS_KIND], &
                              [MPI_DOUBLE_PRECISION, MPI_INTEGER], pair)
  call MPI_Type_commit(pair)
  call MPI_Comm_group(ocean, everybody)
  call MPI_Group_excl(everybody, 1, [rank], others)
  call MPI_Info_create(hints)
  call MPI_Info_set(hints, "depth", "30 m")
  call MPI_Op_create(keep_larger, .true., larger)
  call MPI_Comm_create_errhandler(on_error, reporting)
  call MPI_Comm_set_errhandler(ocean, reporting)

  call MPI_Irecv(incoming(1), 5, MPI_INTEGER, left, 21, ocean, receive)
  call MPI_Irecv(incoming(6), 6, MPI_REAL, MPI_ANY_SOURCE, 22, ocean, any_receive)
  call MPI_Issend(numbers, 7, MPI_INTEGER, right, 23, ocean, send)
  call MPI_Send_init(matrix, 1, columns, right, 24, ocean, prepared)
  none = MPI_REQUEST_NULL
  call MPI_Sendrecv(numbers, 3, MPI_INTEGER, right, 25, incoming(20), 8, MPI_INTEGER, MPI_ANY_SOURCE, 25, ocean, &
                    of_receive)
  call MPI_Send(numbers, 9, MPI_INTEGER, right, 26, ocean)
  call MPI_Mprobe(left, 26, ocean, probed, of_probe)

  bytes = 400
  call MPI_Win_create(incoming, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, window)
  call MPI_Win_set_name(window, "window")
  call MPI_Win_fence(0, window)
  write (path, "(a, i0)") "/tmp/mpidbg-handles-f08-", rank
  call MPI_File_open(MPI_COMM_SELF, trim(path), MPI_MODE_CREATE + MPI_MODE_RDWR + MPI_MODE_DELETE_ON_CLOSE, &
                     MPI_INFO_NULL, file)

  call truth_datatype("columns", columns%MPI_VAL)
  call truth_datatype("pair", pair%MPI_VAL)
  call truth_datatype("MPI_DOUBLE_PRECISION", MPI_DOUBLE_PRECISION%MPI_VAL)
  call truth_datatype("MPI_INTEGER", MPI_INTEGER%MPI_VAL)
  call truth_group("everybody", everybody%MPI_VAL)
  call truth_group("others", others%MPI_VAL)
  call truth_info("hints", hints%MPI_VAL)
  call truth_op("larger", larger%MPI_VAL, c_funloc(keep_larger), "callbacks_f08::keep_larger", "fortran")
  call truth_predefined_op("MPI_SUM", MPI_SUM%MPI_VAL, "MPI_SUM")
  call truth_errhandler("reporting", reporting%MPI_VAL, ocean%MPI_VAL, c_funloc(on_error), &
                        "callbacks_f08::on_error")
  call truth_receive("receive", receive%MPI_VAL, c_loc(incoming(1)), 5, MPI_INTEGER%MPI_VAL, left, 21, ocean%MPI_VAL)
  call truth_receive("any_receive", any_receive%MPI_VAL, c_loc(incoming(6)), 6, MPI_REAL%MPI_VAL, MPI_ANY_SOURCE, &
                     22, ocean%MPI_VAL)
  call truth_send("send", send%MPI_VAL, "synchronous", .false., c_loc(numbers), 7, MPI_INTEGER%MPI_VAL, right, 23, &
                  ocean%MPI_VAL)
  call truth_send("prepared", prepared%MPI_VAL, "standard", .true., c_loc(matrix), 1, columns%MPI_VAL, right, 24, &
                  ocean%MPI_VAL)
  call truth_request("none", none%MPI_VAL)
  call truth_status("of_receive", c_loc(of_receive))
  call truth_message("probed", probed%MPI_VAL, ocean%MPI_VAL, c_loc(of_probe))
  call truth_win("window", window%MPI_VAL, MPI_COMM_WORLD%MPI_VAL, .true.)
  call truth_file("file", file%MPI_VAL, trim(path), MPI_COMM_SELF%MPI_VAL)

  call wait_for_debugger() ! stop: all handles made

  call MPI_Mrecv(incoming(40), 9, MPI_INTEGER, probed, of_probe)
  call MPI_Recv(incoming(60), 7, MPI_INTEGER, left, 23, ocean, of_receive)
  call MPI_Wait(send, of_receive)
  call MPI_Cancel(receive)
  call MPI_Wait(receive, of_receive)
  call MPI_Cancel(any_receive)
  call MPI_Wait(any_receive, of_receive)
  call MPI_Request_free(prepared)
  call MPI_Win_fence(0, window)
  call MPI_Win_free(window)
  call MPI_File_close(file)
  inquire (file=trim(path), exist=is_there)
  if (is_there) print *, trim(path), " is still there"
  call MPI_Errhandler_free(reporting)
  call MPI_Op_free(larger)
  call MPI_Info_free(hints)
  call MPI_Group_free(everybody)
  call MPI_Group_free(others)
  call MPI_Type_free(columns)
  call MPI_Type_free(pair)
  call MPI_Comm_free(ocean)
  call MPI_Finalize()
end program handles
