/*
 * freed.c - handles that stand for nothing any more: one of each kind, freed last of all, so that nothing takes its place.
 *
 *     mpirun -n 2 freed              runs and ends
 *     mpirun -n 2 freed --wait &     waits, so that you can try:  mpidbg show comm win file --launcher $!
 */
#include "blocked-objects.h"

int main(int argc, char **argv)
{
    int rank, size, numbers[4] = {0};
    truth_start(&argc, &argv, &rank, &size);
    const int right = (rank + 1) % size, left = (rank + size - 1) % size;
    make_kept(rank, size);

    MPI_Comm comm, freed_comm;
    MPI_Datatype datatype, freed_datatype;
    MPI_Errhandler errhandler, freed_errhandler;
    MPI_File file, freed_file;
    MPI_Group group, freed_group, world;
    MPI_Info info, freed_info;
    MPI_Message message, freed_message;
    MPI_Op op, freed_op;
    MPI_Request request, freed_request;
    MPI_Win win, freed_win;
    char path[100];
    MPI_Win_create(numbers, sizeof numbers, 1, MPI_INFO_NULL, kept.ocean, &win);
    snprintf(path, sizeof path, "/tmp/mpidbg-freed-%d", (int)getpid());
    MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Type_vector(3, 1, 2, MPI_INT, &datatype);
    MPI_Type_commit(&datatype);
    MPI_Comm_create_errhandler(on_comm_error, &errhandler);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &right, &group);
    MPI_Group_free(&world);
    MPI_Info_create(&info);
    MPI_Op_create(keep_larger, 1, &op);
    MPI_Send(numbers, 4, MPI_INT, right, 77, kept.ocean);
    MPI_Mprobe(left, 77, kept.ocean, &message, MPI_STATUS_IGNORE);
    MPI_Recv_init(numbers, 1, MPI_INT, left, 78, kept.calm, &request);
#if MPI_VERSION >= 4
    MPI_Session session, freed_session;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    freed_session = session;
    MPI_Session_finalize(&session);
#endif
    tell_kept(rank, size); /* its last calls make objects for a moment */
    MPI_Barrier(MPI_COMM_WORLD);

    freed_win = win, freed_file = file, freed_comm = comm, freed_datatype = datatype, freed_errhandler = errhandler;
    freed_group = group, freed_info = info, freed_op = op, freed_message = message, freed_request = request;
    MPI_Win_free(&win);
    MPI_File_close(&file);
    MPI_Comm_free(&comm);
    MPI_Type_free(&datatype);
    MPI_Errhandler_free(&errhandler);
    MPI_Group_free(&group);
    MPI_Info_free(&info);
    MPI_Op_free(&op);
    MPI_Mrecv(numbers, 4, MPI_INT, &message, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);

#define FREED(kind, handle) truth_bad_handle("freed_" kind, kind, handle, "MPIDBG_ERR_NOT_FOUND")
    FREED("comm", TRUTH_HANDLE(freed_comm));
    FREED("datatype", TRUTH_HANDLE(freed_datatype));
    FREED("errhandler", TRUTH_HANDLE(freed_errhandler));
    FREED("file", TRUTH_FILE(freed_file));
    FREED("group", TRUTH_HANDLE(freed_group));
    FREED("info", TRUTH_HANDLE(freed_info));
    FREED("message", TRUTH_HANDLE(freed_message));
    FREED("op", TRUTH_HANDLE(freed_op));
    FREED("request", TRUTH_HANDLE(freed_request));
    FREED("win", TRUTH_HANDLE(freed_win));
#if MPI_VERSION >= 4
    FREED("session", TRUTH_HANDLE(freed_session));
#endif

    numbers[0] = rank; /* stop: all freed */
    wait_for_debugger();
    free_kept();
    MPI_Finalize();
    return 0;
}
