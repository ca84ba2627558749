/*
 * owners.c - operations for which the MPI library makes objects of its own beside the program's, to look at in a debugger.
 *
 *     mpirun -n 4 owners              runs and ends
 *     mpirun -n 4 owners --wait &     waits, so that you can try:  mpidbg handles --launcher $!
 *
 * With --truth it tells which handles it has, by kind; see live.h.
 */
#include "live.h"

/* Open MPI 5.0 says that it is MPI 3.1, and has this of MPI 4.0. */
#define HAS_MPI_4 (MPI_VERSION >= 4 || OMPI_MAJOR_VERSION >= 5)

enum { MANY = 1 << 17 }; /* numbers in a message that is too large to be sent before it is received */
enum { LARGE = 11, BUFFERED, THERE, BACK, REPLACED_THERE, REPLACED_BACK, AGAIN, PARTS, FREED_ACTIVE, NEVER_SENT };

static double outgoing[MANY], incoming[4][MANY], both_ways[MANY];
static double memory[1024], target[1024], parts[3][20];

/* Those that the program has a handle of. */
static MPI_Request requests[64];
static int request_count;
#if HAS_MPI_4
static MPI_Request partitioned;
#endif

static MPI_Request *next_request(void)
{
    return &requests[request_count++];
}

static void started(MPI_Request persistent)
{
    MPI_Start(&persistent);
    *next_request() = persistent;
}

/* Sends that nobody receives yet, and receives that nobody sends to. */
static void start_transfers(MPI_Comm comm, int left, int right)
{
    MPI_Request persistent;
    MPI_Isend(outgoing, MANY, MPI_DOUBLE, right, LARGE, comm, next_request());
    MPI_Irecv(incoming[0], MANY, MPI_DOUBLE, left, NEVER_SENT, comm, next_request());
    MPI_Ssend_init(outgoing, 8, MPI_DOUBLE, right, AGAIN, comm, &persistent);
    started(persistent);
    MPI_Recv_init(incoming[1], MANY, MPI_DOUBLE, left, NEVER_SENT, comm, &persistent);
    started(persistent);
#if HAS_MPI_4
    MPI_Isendrecv(outgoing, MANY, MPI_DOUBLE, right, THERE, incoming[2], MANY, MPI_DOUBLE, left, BACK, comm,
                  next_request());
    MPI_Isendrecv_replace(both_ways, MANY, MPI_DOUBLE, right, REPLACED_THERE, left, REPLACED_BACK, comm,
                          next_request());
#endif
}

static void end_transfers(MPI_Comm comm, int left, int right)
{
    const int sent[] = {LARGE, AGAIN,
#if HAS_MPI_4
                        THERE, REPLACED_THERE,
#endif
                        BUFFERED, BUFFERED, BUFFERED, BUFFERED, BUFFERED};
    for (size_t i = 0; i < sizeof sent / sizeof *sent; i++)
        MPI_Recv(incoming[3], MANY, MPI_DOUBLE, left, sent[i], comm, MPI_STATUS_IGNORE);
#if HAS_MPI_4
    MPI_Send(outgoing, 8, MPI_DOUBLE, right, BACK, comm);
    MPI_Send(outgoing, 8, MPI_DOUBLE, right, REPLACED_BACK, comm);
#else
    (void)right;
#endif
#if HAS_MPI_4
    MPI_Pready(1, partitioned);
#endif
    for (int i = 1; i < 4; i += 2) /* nobody sends to these */
        MPI_Cancel(&requests[i]);
}

/* What waits in the program's buffer is the library's, but for the request that MPI_Ibsend gave out and nobody freed. */
static void start_buffered(MPI_Comm comm, int right)
{
    MPI_Request freed;
    for (int i = 0; i < 3; i++)
        MPI_Bsend(outgoing, MANY, MPI_DOUBLE, right, BUFFERED, comm);
    MPI_Ibsend(outgoing, MANY, MPI_DOUBLE, right, BUFFERED, comm, next_request());
    MPI_Ibsend(outgoing, MANY, MPI_DOUBLE, right, BUFFERED, comm, &freed);
    MPI_Request_free(&freed);
}

/* Collectives that the last rank has not come to. */
static void start_collectives(MPI_Comm comm, MPI_Comm *duplicate)
{
    static double in[4096], out[8 * 4096];
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Ibarrier(comm, next_request());
    MPI_Ibcast(in, 4096, MPI_DOUBLE, size - 1, comm, next_request());
    MPI_Iallreduce(in, out, 4096, MPI_DOUBLE, MPI_SUM, comm, next_request());
    MPI_Iallgather(in, 512, MPI_DOUBLE, out, 512, MPI_DOUBLE, comm, next_request());
    MPI_Ialltoall(in, 4096 / size, MPI_DOUBLE, out, 4096 / size, MPI_DOUBLE, comm, next_request());
    MPI_Igather(in, 4096, MPI_DOUBLE, out, 4096, MPI_DOUBLE, size - 1, comm, next_request());
    MPI_Comm_idup(comm, duplicate, next_request());
#if HAS_MPI_4
    MPI_Request persistent;
    MPI_Allreduce_init(in, out, 64, MPI_DOUBLE, MPI_SUM, comm, MPI_INFO_NULL, &persistent);
    started(persistent);
#endif
}

/*
 * Whoever has a window answers only inside MPI: what is asked of him is pending. Open MPI keeps no list of these, and some
 * of its releases wait in the call for who is outside.
 */
__attribute__((unused)) static void start_one_sided(MPI_Win win, int right)
{
    double one = 1;
    MPI_Datatype column;
    MPI_Type_vector(4, 1, 2, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    for (int i = 0; i < 20; i++) {
        MPI_Put(memory, 512, MPI_DOUBLE, right, 0, 512, MPI_DOUBLE, win);
        MPI_Put(memory, 1, column, right, 0, 1, column, win);
        MPI_Get(memory + 600, 1, column, right, 0, 1, column, win);
        MPI_Accumulate(memory, 512, MPI_DOUBLE, right, 0, 512, MPI_DOUBLE, MPI_SUM, win);
        MPI_Get_accumulate(&one, 1, MPI_DOUBLE, memory + 1000, 1, MPI_DOUBLE, right, i, 1, MPI_DOUBLE, MPI_SUM, win);
        MPI_Fetch_and_op(&one, memory + 1001 + i % 8, MPI_DOUBLE, right, i, MPI_SUM, win);
    }
    MPI_Rput(memory, 512, MPI_DOUBLE, right, 0, 512, MPI_DOUBLE, win, next_request());
    MPI_Rput(memory, 1, column, right, 0, 1, column, win, next_request());
    MPI_Rget(memory + 600, 1, column, right, 0, 1, column, win, next_request());
    MPI_Raccumulate(memory, 512, MPI_DOUBLE, right, 0, 512, MPI_DOUBLE, MPI_SUM, win, next_request());
    MPI_Rget_accumulate(memory, 1, MPI_DOUBLE, memory + 1010, 1, MPI_DOUBLE, right, 8, 1, MPI_DOUBLE, MPI_SUM, win,
                        next_request());
    MPI_Type_free(&column);
}

#if HAS_MPI_4
/* Partitioned ones: started, and freed before its peer has come. */
static void start_partitioned(MPI_Comm comm, int left, int right)
{
    MPI_Request made, freed, freed_active;
    MPI_Psend_init(parts[0], 2, 10, MPI_DOUBLE, right, PARTS, comm, MPI_INFO_NULL, &partitioned);
    started(partitioned);
    MPI_Pready(0, partitioned);
    MPI_Precv_init(parts[1], 2, 10, MPI_DOUBLE, left, PARTS, comm, MPI_INFO_NULL, &made);
    started(made);
    MPI_Precv_init(parts[2], 2, 10, MPI_DOUBLE, left, NEVER_SENT, comm, MPI_INFO_NULL, &freed);
    MPI_Request_free(&freed);
    MPI_Precv_init(parts[2], 2, 10, MPI_DOUBLE, left, FREED_ACTIVE, comm, MPI_INFO_NULL, &freed_active);
    MPI_Start(&freed_active);
    MPI_Request_free(&freed_active);
}
#endif

int main(int argc, char **argv)
{
    int rank, size;
    truth_start(&argc, &argv, &rank, &size);
    const int right = (rank + 1) % size, left = (rank + size - 1) % size, is_last = rank == size - 1;

    MPI_Comm ocean, meeting, duplicate = MPI_COMM_NULL;
    MPI_Win win;
    MPI_Comm_dup(MPI_COMM_WORLD, &ocean);
    MPI_Comm_dup(MPI_COMM_WORLD, &meeting);
    MPI_Win_create(target, sizeof target, sizeof target[0], MPI_INFO_NULL, ocean, &win);
    int attached_size = 5 * (sizeof outgoing + MPI_BSEND_OVERHEAD);
    void *attached = malloc(attached_size);
    MPI_Buffer_attach(attached, attached_size);
    MPI_Win_lock_all(0, win);
    MPI_Barrier(MPI_COMM_WORLD);

    start_transfers(ocean, left, right);
    start_buffered(ocean, right);
#if HAS_MPI_4
    start_partitioned(ocean, left, right);
#endif
    if (!is_last)
        start_collectives(meeting, &duplicate);
#ifndef OPEN_MPI
    start_one_sided(win, right);
#endif

    if (live_begin()) {
        unsigned long had[sizeof requests / sizeof *requests];
        int count = 0;
        for (int i = 0; i < request_count; i++)
            if (!live_is_constant(requests[i]))
                had[count++] = TRUTH_HANDLE(requests[i]);
        live_kind("request", count, had);
        /* MPI_Comm_idup, for which the last rank is missing, is still making the third. */
        const unsigned long comms[] = {TRUTH_HANDLE(ocean), TRUTH_HANDLE(meeting)};
        live_kind("comm", 2, comms);
        LIVE("win", TRUTH_HANDLE(win));
        live_end();
    }
    memory[0] = rank; /* stop: all operations started */
    wait_for_debugger();

    if (is_last)
        start_collectives(meeting, &duplicate);
    end_transfers(ocean, left, right);
    MPI_Waitall(request_count, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < request_count; i++)
        if (requests[i] != MPI_REQUEST_NULL) /* persistent */
            MPI_Request_free(&requests[i]);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Buffer_detach(&attached, &attached_size);
    free(attached);
    MPI_Comm_free(&ocean);
    MPI_Comm_free(&meeting);
    MPI_Comm_free(&duplicate);
    MPI_Finalize();
    return 0;
}
