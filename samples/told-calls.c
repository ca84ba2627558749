/*
 * told-calls.c - MPI calls of every sort, and what each of them is, for `mpidbg calls`.
 *
 *     mpidbg run --collect calls -- mpirun -n 2 told-calls --wait &   waits, so that you can try:  mpidbg calls --launcher $!
 *
 * With --truth each rank tells its calls between two of MPI_Pcontrol, in order:
 *
 *     CALLS {"rank":0,"ocean":"0x84000001","calls":[{"name":"MPI_Send","line":77,"peer":1,...}]}
 */
#define TRUTH_LINE (1 << 20)
#include "truth.h"

/* Open MPI 4 has MPI 4's persistent collectives under names of its own. */
#if defined OPEN_MPI && !defined STANDARD_ABI && OMPI_MAJOR_VERSION < 5
#include <mpi-ext.h>
#ifdef OMPI_HAVE_MPI_EXT_PCOLLREQ
#define INIT(operation) MPIX_##operation##_init
#define INIT_NAME(operation) "MPIX_" operation "_init"
#endif
#elif MPI_VERSION >= 4
#define INIT(operation) MPI_##operation##_init
#define INIT_NAME(operation) "MPI_" operation "_init"
#endif

enum { NONE = -12345, COUNT = 100 };

static char told[1 << 16];
static int length;

/* Tells the arguments of the call in the line before. NONE: it has no such argument. */
static void tell(int line, const char *name, const char *comm, int peer, int tag, int root, long bytes, int instance)
{
    length += snprintf(told + length, sizeof told - (size_t)length, "%s{\"name\":\"%s\",\"line\":%d", length ? "," : "", name, line - 1);
    const struct { const char *name; long value; } fields[] = {{"peer", peer}, {"tag", tag}, {"root", root}, {"bytes", bytes}, {"instance", instance}};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (fields[i].value == MPI_ANY_SOURCE && i == 0)
            length += snprintf(told + length, sizeof told - (size_t)length, ",\"peer\":\"MPI_ANY_SOURCE\"");
        else if (fields[i].value == MPI_PROC_NULL && i == 0)
            length += snprintf(told + length, sizeof told - (size_t)length, ",\"peer\":\"MPI_PROC_NULL\"");
        else if (fields[i].value == MPI_ANY_TAG && i == 1)
            length += snprintf(told + length, sizeof told - (size_t)length, ",\"tag\":\"MPI_ANY_TAG\"");
        else if (fields[i].value != NONE)
            length += snprintf(told + length, sizeof told - (size_t)length, ",\"%s\":%ld", fields[i].name, fields[i].value);
    if (comm != NULL)
        length += snprintf(told + length, sizeof told - (size_t)length, ",\"comm\":\"%s\"", comm);
    length += snprintf(told + length, sizeof told - (size_t)length, "}");
}

/* Tells the request of the call that was told last. */
static void tell_request(MPI_Request request)
{
    length += snprintf(told + length - 1, sizeof told - (size_t)length, ",\"request\":\"0x%lx\"}", TRUTH_HANDLE(request)) - 1;
}

/* An operation that is given up, and more bytes than an int can tell. */
static void unusual(MPI_Comm ocean)
{
    static int numbers[COUNT];
    MPI_Request request;
    MPI_Datatype huge;
    MPI_Irecv(numbers, COUNT, MPI_INT, 0, 4711, ocean, &request);
    tell(__LINE__, "MPI_Irecv", "ocean", 0, 4711, NONE, COUNT * sizeof(int), NONE);
    tell_request(request);
    MPI_Cancel(&request);
    tell(__LINE__, "MPI_Cancel", NULL, NONE, NONE, NONE, NONE, NONE);
    tell_request(request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    tell(__LINE__, "MPI_Wait", NULL, NONE, NONE, NONE, NONE, NONE);
    MPI_Type_contiguous(1 << 30, MPI_INT, &huge);
    tell(__LINE__, "MPI_Type_contiguous", NULL, NONE, NONE, NONE, NONE, NONE);
    MPI_Type_commit(&huge);
    tell(__LINE__, "MPI_Type_commit", NULL, NONE, NONE, NONE, NONE, NONE);
    MPI_Send(numbers, 3, huge, MPI_PROC_NULL, 9, ocean);
    tell(__LINE__, "MPI_Send", "ocean", MPI_PROC_NULL, 9, NONE, 3L << 32, NONE);
    MPI_Type_free(&huge);
    tell(__LINE__, "MPI_Type_free", NULL, NONE, NONE, NONE, NONE, NONE);
    /* MPI refuses to free this one: it goes on as it was. */
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_Barrier(MPI_COMM_WORLD);
    tell(__LINE__, "MPI_Barrier", "MPI_COMM_WORLD", NONE, NONE, NONE, NONE, 1);
    MPI_Comm_free(&world);
    tell(__LINE__, "MPI_Comm_free", "MPI_COMM_WORLD", NONE, NONE, NONE, NONE, NONE);
    MPI_Barrier(MPI_COMM_WORLD);
    tell(__LINE__, "MPI_Barrier", "MPI_COMM_WORLD", NONE, NONE, NONE, NONE, 2);
}

/* With MPI_NO_OP nothing of the origin is read: its datatype may be none. */
static void one_sided(int rank)
{
    int number = rank, result = 0;
    MPI_Win win;
    MPI_Win_create(&number, sizeof number, sizeof number, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    tell(__LINE__, "MPI_Win_create", "MPI_COMM_WORLD", NONE, NONE, NONE, NONE, NONE);
    MPI_Win_fence(0, win);
    tell(__LINE__, "MPI_Win_fence", NULL, NONE, NONE, NONE, NONE, NONE);
    MPI_Get_accumulate(NULL, 2, MPI_DATATYPE_NULL, &result, 1, MPI_INT, rank, 0, 1, MPI_INT, MPI_NO_OP, win);
    tell(__LINE__, "MPI_Get_accumulate", NULL, rank, NONE, NONE, sizeof(int), NONE);
    MPI_Win_fence(0, win);
    tell(__LINE__, "MPI_Win_fence", NULL, NONE, NONE, NONE, NONE, NONE);
    MPI_Win_free(&win);
    tell(__LINE__, "MPI_Win_free", NULL, NONE, NONE, NONE, NONE, NONE);
}

static void messages(int rank, int size, MPI_Comm ocean)
{
    const int right = (rank + 1) % size, left = (rank + size - 1) % size;
    int numbers[COUNT] = {0}, more[COUNT], has_come = 0;
    MPI_Request requests[2];
    MPI_Isend(numbers, COUNT, MPI_INT, right, 7, ocean, &requests[0]);
    tell(__LINE__, "MPI_Isend", "ocean", right, 7, NONE, COUNT * sizeof(int), NONE);
    MPI_Irecv(more, COUNT, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, ocean, &requests[1]);
    tell(__LINE__, "MPI_Irecv", "ocean", MPI_ANY_SOURCE, MPI_ANY_TAG, NONE, COUNT * sizeof(int), NONE);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    tell(__LINE__, "MPI_Waitall", NULL, NONE, NONE, NONE, NONE, NONE);
    MPI_Send(numbers, 0, MPI_DOUBLE, MPI_PROC_NULL, 9, MPI_COMM_WORLD);
    tell(__LINE__, "MPI_Send", "MPI_COMM_WORLD", MPI_PROC_NULL, 9, NONE, 0, NONE);
    MPI_Sendrecv(numbers, 3, MPI_DOUBLE, right, 5, more, 3, MPI_DOUBLE, left, 5, ocean, MPI_STATUS_IGNORE);
    tell(__LINE__, "MPI_Sendrecv", "ocean", right, 5, NONE, 3 * sizeof(double), NONE);
    for (int i = 0; i < 4; i++)
        MPI_Iprobe(left, 99, ocean, &has_come, MPI_STATUS_IGNORE);
    tell(__LINE__, "MPI_Iprobe", "ocean", left, 99, NONE, NONE, NONE);
#if MPI_VERSION >= 4
    MPI_Psend_init(numbers, 4, COUNT / 4, MPI_INT, right, 8, ocean, MPI_INFO_NULL, &requests[0]);
    tell(__LINE__, "MPI_Psend_init", "ocean", right, 8, NONE, COUNT * sizeof(int), NONE);
    MPI_Precv_init(more, 4, COUNT / 4, MPI_INT, left, 8, ocean, MPI_INFO_NULL, &requests[1]);
    tell(__LINE__, "MPI_Precv_init", "ocean", left, 8, NONE, COUNT * sizeof(int), NONE);
    MPI_Startall(2, requests);
    tell(__LINE__, "MPI_Startall", NULL, NONE, NONE, NONE, NONE, NONE);
    MPI_Pready_range(0, 3, requests[0]);
    tell(__LINE__, "MPI_Pready_range", NULL, NONE, NONE, NONE, NONE, NONE);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    tell(__LINE__, "MPI_Waitall", NULL, NONE, NONE, NONE, NONE, NONE);
    for (int i = 0; i < 2; i++)
        MPI_Request_free(&requests[i]);
    tell(__LINE__, "MPI_Request_free", NULL, NONE, NONE, NONE, NONE, NONE);
    tell(__LINE__ - 1, "MPI_Request_free", NULL, NONE, NONE, NONE, NONE, NONE);
#endif
}

static void collectives(int rank, MPI_Comm *ocean)
{
    int number = rank, sum;
    MPI_Comm brief;
    MPI_Request request;
    MPI_Bcast(&number, 1, MPI_INT, 1, *ocean);
    tell(__LINE__, "MPI_Bcast", "ocean", NONE, NONE, 1, sizeof(int), 1);
    MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, *ocean);
    tell(__LINE__, "MPI_Allreduce", "ocean", NONE, NONE, NONE, sizeof(int), 2);
    MPI_Ibarrier(*ocean, &request);
    tell(__LINE__, "MPI_Ibarrier", "ocean", NONE, NONE, NONE, NONE, 3);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    tell(__LINE__, "MPI_Wait", NULL, NONE, NONE, NONE, NONE, NONE);
    MPI_Comm_dup(*ocean, &brief);
    tell(__LINE__, "MPI_Comm_dup", "ocean", NONE, NONE, NONE, NONE, NONE);
    MPI_Barrier(brief);
    tell(__LINE__, "MPI_Barrier", "", NONE, NONE, NONE, NONE, 1);
    MPI_Comm_free(&brief);
    tell(__LINE__, "MPI_Comm_free", "", NONE, NONE, NONE, NONE, NONE);
    MPI_Comm_dup(*ocean, &brief);
    tell(__LINE__, "MPI_Comm_dup", "ocean", NONE, NONE, NONE, NONE, NONE);
    MPI_Barrier(brief);
    tell(__LINE__, "MPI_Barrier", "", NONE, NONE, NONE, NONE, 1);
    MPI_Comm_free(&brief);
    tell(__LINE__, "MPI_Comm_free", "", NONE, NONE, NONE, NONE, NONE);
}

/* Each start counts as one more collective; a started message does not. */
static void persistent(int rank, MPI_Comm *ocean)
{
#ifdef INIT
    MPI_Comm brief;
    MPI_Request requests[4];
    int number = rank, sum;
    MPI_Comm_dup(*ocean, &brief);
    tell(__LINE__, "MPI_Comm_dup", "ocean", NONE, NONE, NONE, NONE, NONE);
    INIT(Bcast)(&number, 1, MPI_INT, 1, *ocean, MPI_INFO_NULL, &requests[0]);
    tell(__LINE__, INIT_NAME("Bcast"), "ocean", NONE, NONE, 1, sizeof(int), NONE);
    INIT(Allreduce)(&number, &sum, 1, MPI_INT, MPI_SUM, *ocean, MPI_INFO_NULL, &requests[1]);
    tell(__LINE__, INIT_NAME("Allreduce"), "ocean", NONE, NONE, NONE, sizeof(int), NONE);
    MPI_Send_init(&number, 1, MPI_INT, MPI_PROC_NULL, 9, *ocean, &requests[2]);
    tell(__LINE__, "MPI_Send_init", "ocean", MPI_PROC_NULL, 9, NONE, sizeof(int), NONE);
    INIT(Barrier)(brief, MPI_INFO_NULL, &requests[3]);
    tell(__LINE__, INIT_NAME("Barrier"), "", NONE, NONE, NONE, NONE, NONE);
    MPI_Start(&requests[0]);
    tell(__LINE__, "MPI_Start", "ocean", NONE, NONE, NONE, NONE, 4);
    tell_request(requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    tell(__LINE__, "MPI_Wait", NULL, NONE, NONE, NONE, NONE, NONE);
    MPI_Start(&requests[2]);
    tell(__LINE__, "MPI_Start", NULL, NONE, NONE, NONE, NONE, NONE);
    MPI_Wait(&requests[2], MPI_STATUS_IGNORE);
    tell(__LINE__, "MPI_Wait", NULL, NONE, NONE, NONE, NONE, NONE);
    MPI_Startall(3, requests);
    tell(__LINE__, "MPI_Startall", "ocean", NONE, NONE, NONE, NONE, 5);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    tell(__LINE__, "MPI_Waitall", NULL, NONE, NONE, NONE, NONE, NONE);
    /* Two communicators are counted, but there is one number only. */
    MPI_Startall(4, requests);
    tell(__LINE__, "MPI_Startall", NULL, NONE, NONE, NONE, NONE, NONE);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    tell(__LINE__, "MPI_Waitall", NULL, NONE, NONE, NONE, NONE, NONE);
    MPI_Start(&requests[3]);
    tell(__LINE__, "MPI_Start", "", NONE, NONE, NONE, NONE, 2);
    MPI_Wait(&requests[3], MPI_STATUS_IGNORE);
    tell(__LINE__, "MPI_Wait", NULL, NONE, NONE, NONE, NONE, NONE);
    for (int i = 0; i < 4; i++) {
        MPI_Request_free(&requests[i]);
        tell(__LINE__, "MPI_Request_free", NULL, NONE, NONE, NONE, NONE, NONE);
    }
    /* It may get the handle of one that was freed. */
    MPI_Send_init(&number, 1, MPI_INT, MPI_PROC_NULL, 9, *ocean, &requests[0]);
    tell(__LINE__, "MPI_Send_init", "ocean", MPI_PROC_NULL, 9, NONE, sizeof(int), NONE);
    MPI_Start(&requests[0]);
    tell(__LINE__, "MPI_Start", NULL, NONE, NONE, NONE, NONE, NONE);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    tell(__LINE__, "MPI_Wait", NULL, NONE, NONE, NONE, NONE, NONE);
    MPI_Request_free(&requests[0]);
    tell(__LINE__, "MPI_Request_free", NULL, NONE, NONE, NONE, NONE, NONE);
    MPI_Barrier(*ocean);
    tell(__LINE__, "MPI_Barrier", "ocean", NONE, NONE, NONE, NONE, 9);
    MPI_Comm_free(&brief);
    tell(__LINE__, "MPI_Comm_free", "", NONE, NONE, NONE, NONE, NONE);
#else
    (void)rank, (void)ocean;
#endif
}

int main(int argc, char **argv)
{
    int rank, size, number = 0;
    truth_start(&argc, &argv, &rank, &size);
    MPI_Comm ocean;
    MPI_Comm_dup(MPI_COMM_WORLD, &ocean);
    MPI_Comm_set_name(ocean, "ocean");
    MPI_Comm_set_errhandler(ocean, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Pcontrol(2, "more", 1.5);
    messages(rank, size, ocean);
    unusual(ocean);
    one_sided(rank);
    collectives(rank, &ocean);
    persistent(rank, &ocean);
    MPI_Send(&number, 1, MPI_INT, size + 5, 1, ocean);
    tell(__LINE__, "MPI_Send", "ocean", size + 5, 1, NONE, NONE, NONE);
    MPI_Pcontrol(0);

    if (truth_is_wanted) {
        truth_add("CALLS {\"rank\":%d,\"ocean\":\"0x%lx\",\"calls\":[%s]}", rank, TRUTH_HANDLE(ocean), told);
        truth_print();
    }
    wait_for_debugger(); /* stop: waiting */

    MPI_Comm_free(&ocean);
    MPI_Finalize();
    return 0;
}
