! constants.f90 - the constants of MPI that are known by their addresses, passed on by the program as wrappers of MPI calls do,
! and the null handle of each kind. Every argument is named as the constant it is given, `here` is none. With "use mpi";
! constants-mpif and constants-f08 are the same program with -DMPIF and -DF08.
#ifdef F08
#define MPI_MODULE use mpi_f08
#define NUMBER(handle) handle%MPI_VAL
#else
#ifdef MPIF
#define MPI_MODULE
#else
#define MPI_MODULE use mpi
#endif
#define NUMBER(handle) handle
#endif

program constants
  MPI_MODULE
  use truth
  implicit none
#ifdef MPIF
  include "mpif.h"
#endif
  external :: passed
  integer :: ierror, here(4) = 0

  call MPI_Init(ierror)
  call truth_begin()
  call passed(MPI_BOTTOM, MPI_IN_PLACE, MPI_STATUS_IGNORE, MPI_STATUSES_IGNORE, MPI_ERRCODES_IGNORE, MPI_ARGV_NULL, &
              MPI_ARGVS_NULL, MPI_UNWEIGHTED, MPI_WEIGHTS_EMPTY, here)
  call MPI_Finalize(ierror)
end program constants

subroutine passed(bottom, in_place, status_ignore, statuses_ignore, errcodes_ignore, argv_null, argvs_null, unweighted, &
                  weights_empty, here)
  use, intrinsic :: iso_c_binding, only: c_null_ptr
  MPI_MODULE
  use truth
  implicit none
#ifdef MPIF
  include "mpif.h"
#endif
  real(8) :: bottom(*), in_place
#ifdef F08
  type(MPI_Status) :: status_ignore, statuses_ignore(*)
#else
  integer :: status_ignore(MPI_STATUS_SIZE), statuses_ignore(MPI_STATUS_SIZE, *)
#endif
  integer :: errcodes_ignore(*), unweighted(*), weights_empty(*), here(4)
  character(len=1) :: argv_null(*), argvs_null(1, *)
#ifdef F08
  type(MPI_Comm) :: no_comm
  type(MPI_Datatype) :: no_type
  type(MPI_Errhandler) :: no_errhandler
  type(MPI_File) :: no_file
  type(MPI_Group) :: no_group
  type(MPI_Info) :: no_info
  type(MPI_Message) :: no_message
  type(MPI_Op) :: no_op
  type(MPI_Request) :: no_request
  type(MPI_Win) :: no_win
#else
  integer :: no_comm, no_type, no_errhandler, no_file, no_group, no_info, no_message, no_op, no_request, no_win
#endif

  no_comm = MPI_COMM_NULL
  no_type = MPI_DATATYPE_NULL
  no_errhandler = MPI_ERRHANDLER_NULL
  no_file = MPI_FILE_NULL
  no_group = MPI_GROUP_NULL
  no_info = MPI_INFO_NULL
  no_message = MPI_MESSAGE_NULL
  no_op = MPI_OP_NULL
  no_request = MPI_REQUEST_NULL
  no_win = MPI_WIN_NULL

  call truth_comm("no_comm", NUMBER(no_comm))
  call truth_datatype("no_type", NUMBER(no_type))
  call truth_null_errhandler("no_errhandler", NUMBER(no_errhandler))
  call truth_file("no_file", NUMBER(no_file), "", NUMBER(MPI_COMM_SELF))
  call truth_group("no_group", NUMBER(no_group))
  call truth_info("no_info", NUMBER(no_info))
  call truth_message("no_message", NUMBER(no_message), NUMBER(MPI_COMM_SELF), c_null_ptr)
  call truth_predefined_op("no_op", NUMBER(no_op), "MPI_OP_NULL")
  call truth_request("no_request", NUMBER(no_request))
  call truth_win("no_win", NUMBER(no_win), NUMBER(MPI_COMM_SELF), .false.)
  call wait_for_debugger() ! stop: constants passed
end subroutine passed
