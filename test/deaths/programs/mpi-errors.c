/* mpi-errors.c CASE - errors of MPI that are fatal, go to handlers of the program's own, or are returned. The last rank is the one. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size, buffer[8], eight[8], *shared;
static MPI_Win win;

static void aborts(MPI_Comm *comm, int *code, ...)
{
    (void)code;
    MPI_Abort(*comm, 5); /* dies: handler aborts */
}

static void exits(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
    exit(6); /* dies: handler exits */
}

static void ends_by_abort(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
    abort(); /* dies: handler calls abort */
}

static void counts(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
    printf("own handler\n");
    fflush(stdout);
}

static void set(MPI_Comm comm, MPI_Comm_errhandler_function *function)
{
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(function, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Errhandler_free(&handler);
}

static void bad_send(MPI_Comm comm)
{
    MPI_Send(buffer, 1, MPI_INT, 17, 0, comm); /* dies: bad rank */
}

/* Its jumps go through a table. */
static void send_of(int kind, MPI_Comm comm)
{
    switch (kind) {
    case 0: buffer[0] = 3; break;
    case 1: buffer[1] = 5; break;
    case 2: buffer[2] = 7; break;
    case 3: buffer[3] = 2; break;
    case 4: buffer[1] = 8; break;
    case 5: buffer[0] = 9; break;
    }
    MPI_Send(buffer, 1, MPI_INT, 17, kind, comm); /* dies: after switch */
}

static void too_large_grid(void)
{
    const int dims[] = {17, 3}, periods[] = {0, 1};
    MPI_Comm grid;
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid); /* dies: grid */
}

/** Of four requests, two are used. */
static void wait_for_four(int rest)
{
    MPI_Request four[4];
    memset(four, rest, sizeof four);
    MPI_Irecv(buffer, 1, MPI_INT, 0, 3, MPI_COMM_SELF, four);
    MPI_Isend(eight, 1, MPI_INT, 0, 3, MPI_COMM_SELF, four + 1);
    MPI_Waitall(4, four, MPI_STATUSES_IGNORE); /* dies: four */
}

static void partitioned_send(void)
{
#if MPI_VERSION >= 4
    MPI_Request request;
    MPI_Psend_init(buffer, 4, 1, MPI_INT, 17, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &request); /* dies: partitioned */
#endif
}

static void exit_deeper(void)
{
    volatile char room[4096];
    room[0] = 3;
    exit(room[0]); /* dies: exits later */
}

static void die(const char *how, MPI_Comm part)
{
    if (strcmp(how, "truncated") == 0)
        MPI_Recv(buffer, 4, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* dies: truncated */
    else if (strcmp(how, "partitioned") == 0)
        partitioned_send();
    else if (strcmp(how, "bad-rank") == 0)
        bad_send(MPI_COMM_WORLD);
    else if (strcmp(how, "in-part") == 0)
        bad_send(part);
    else if (strcmp(how, "after-switch") == 0)
        send_of(3, part);
    else if (strcmp(how, "grid") == 0)
        too_large_grid();
    else if (strcmp(how, "no-requests") == 0)
        wait_for_four(0);
    else if (strcmp(how, "unset-requests") == 0)
        wait_for_four(0x5a);
    else if (strcmp(how, "no-comm") == 0)
        bad_send(MPI_COMM_NULL);
    else if (strcmp(how, "win") == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
        MPI_Put(buffer, 1, MPI_INT, 9, 0, 1, MPI_INT, win); /* dies: window */
    } else if (strcmp(how, "file") == 0) {
        MPI_File file;
        MPI_File_open(MPI_COMM_SELF, "/tmp", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
        MPI_File_open(MPI_COMM_SELF, "/dev/null", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
        MPI_File_set_errhandler(file, MPI_ERRORS_ARE_FATAL);
        MPI_File_seek(file, -7, MPI_SEEK_SET); /* dies: file */
    } else if (strcmp(how, "no-file") == 0) {
        MPI_File file;
        MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_ARE_FATAL);
        MPI_File_open(MPI_COMM_SELF, "/no/such/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &file); /* dies: no file */
    } else if (strcmp(how, "displacement") == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
        MPI_Get(buffer, 1, MPI_INT, 0, -8, 1, MPI_INT, win); /* dies: displacement */
    } else if (strcmp(how, "root") == 0)
        MPI_Bcast(buffer, 1, MPI_INT, 11, part); /* dies: root */
    else if (strcmp(how, "cancel") == 0) {
        MPI_Request none = MPI_REQUEST_NULL;
        MPI_Cancel(&none); /* dies: cancel */
    } else if (strcmp(how, "own-error") == 0) {
        int class, code;
        MPI_Add_error_class(&class);
        MPI_Add_error_code(class, &code);
        MPI_Add_error_string(code, "the ice is thin");
        MPI_Comm_call_errhandler(part, code); /* dies: own error */
    } else if (strcmp(how, "handler-aborts") == 0) {
        set(MPI_COMM_WORLD, aborts);
        bad_send(MPI_COMM_WORLD);
    } else if (strcmp(how, "handler-exits") == 0) {
        set(MPI_COMM_WORLD, exits);
        bad_send(MPI_COMM_WORLD);
    } else if (strcmp(how, "handler-calls-abort") == 0) {
        set(MPI_COMM_WORLD, ends_by_abort);
        bad_send(MPI_COMM_WORLD);
    } else if (strcmp(how, "handler-goes-on") == 0) {
        set(MPI_COMM_WORLD, counts);
        bad_send(MPI_COMM_WORLD);
    } else if (strcmp(how, "handler-has-returned") == 0) {
        set(MPI_COMM_WORLD, counts);
        bad_send(MPI_COMM_WORLD);
        exit_deeper();
    } else if (strcmp(how, "returned") == 0) {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        for (int i = 0; i < 3; i++)
            printf("%d\n", MPI_Send(buffer, 1, MPI_INT, 17, 0, MPI_COMM_WORLD) != MPI_SUCCESS);
    } else if (strcmp(how, "returned-then-abort") == 0) {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        if (MPI_Send(buffer, 1, MPI_INT, 17, 0, MPI_COMM_WORLD) != MPI_SUCCESS)
            MPI_Abort(MPI_COMM_WORLD, 8); /* dies: abort */
    } else if (strcmp(how, "returned-code") == 0) {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        const int code = MPI_Send(buffer, 1, MPI_INT, 17, 0, MPI_COMM_WORLD);
        MPI_Abort(MPI_COMM_WORLD, code); /* dies: returned code */
    } else if (strcmp(how, "unread-message") == 0) {
        int ends[2];
        if (pipe(ends) == 0 && dup2(ends[1], 2) == 2)
            close(ends[0]);
        close(ends[1]);
        MPI_Send(buffer, 1, MPI_INT, 17, 0, MPI_COMM_WORLD); /* dies: unread message */
    } else if (strcmp(how, "no-file-code") == 0) {
        MPI_File file;
        const int code = MPI_File_open(MPI_COMM_SELF, "/no/such/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
        MPI_Abort(MPI_COMM_WORLD, code); /* dies: code of no file */
    } else if (strcmp(how, "abort") == 0)
        MPI_Abort(MPI_COMM_WORLD, 9); /* dies: plain abort */
    else if (strcmp(how, "abort-minus-1") == 0)
        MPI_Abort(MPI_COMM_WORLD, -1); /* dies: abort with -1 */
    else if (strcmp(how, "abort-part") == 0)
        MPI_Abort(part, 4); /* dies: abort of part */
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    MPI_Comm part;
    MPI_Request sent;
    int provided;
#if MPI_VERSION >= 4
    if (strcmp(how, "session") == 0) {
        MPI_Session session;
        MPI_Group group;
        MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
        MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
        MPI_Group_rank(group, &rank);
        MPI_Group_size(group, &size);
        if (rank == size - 1)
            MPI_Group_from_session_pset(session, "mpi://NONE", &group); /* dies: session */
        pause();
    }
#endif
    if (strcmp(how, "multiple") == 0)
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    else
        MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &part);
    MPI_Comm_set_name(part, "part");
    if (strcmp(how, "win") == 0 || strcmp(how, "displacement") == 0)
        MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &shared, &win);
    if (rank == 0 && strcmp(how, "truncated") == 0)
        MPI_Isend(eight, 8, MPI_INT, size - 1, 7, MPI_COMM_WORLD, &sent);
    if (rank == size - 1)
        die(strcmp(how, "multiple") == 0 ? "bad-rank" : how, part);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_free(&part);
    MPI_Finalize();
    return 0;
}
