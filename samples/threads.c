/*
 * threads.c - in all ranks but the last, several threads wait in different MPI calls at once (MPI_THREAD_MULTIPLE).
 *
 *     mpirun -n 3 threads              runs and ends
 *     mpirun -n 3 threads --wait &     waits, so that you can try:  mpidbg stacks --launcher $!
 *
 * With --wait, the last rank sleeps outside MPI until SIGUSR1 comes; each other one says that it waits when all its threads run.
 */
#include "blocked-objects.h"
#include <pthread.h>
#include <sched.h>

enum { RECV, RECV_FROM_ANYBODY, WAITALL, SSEND, BARRIER, IBARRIER, PROBE, THREADS };

volatile int threads_inside; /* how many have come to their call; for who looks from outside */

static int rank, size, last;
static MPI_Comm comms[THREADS];
static int numbers[THREADS][64];

#define TRANSFER(operation_, mode_, buffer_, count_, peer_, tag_, comm_) \
    &(struct truth_request){.operation = operation_, .send_mode = mode_, .buffer = buffer_, .count = count_, \
                            .datatype = MPI_INT, .peer = peer_, .tag = tag_, .comm = comm_}

static void tell_threads(void)
{
    tell_blocked(RECV, "MPI_Recv", TRANSFER("receive", NULL, numbers[RECV], 9, last, 201, comms[RECV]));
    tell_blocked(RECV_FROM_ANYBODY, "MPI_Recv",
                 TRANSFER("receive", NULL, numbers[RECV_FROM_ANYBODY], 8, MPI_ANY_SOURCE, MPI_ANY_TAG, comms[RECV_FROM_ANYBODY]));
    tell_blocked(WAITALL, "MPI_Waitall", TRANSFER("receive", NULL, &numbers[WAITALL][0], 2, last, 202, comms[WAITALL]));
    tell_blocked(WAITALL, "MPI_Waitall", TRANSFER("receive", NULL, &numbers[WAITALL][8], 3, last, 203, comms[WAITALL]));
    tell_blocked(SSEND, "MPI_Ssend", TRANSFER("send", "synchronous", numbers[SSEND], 5, last, 204, comms[SSEND]));
    tell_blocked(IBARRIER, "MPI_Wait", &(struct truth_request){.operation = "collective", .comm = comms[IBARRIER]});
}

static void *run(void *argument)
{
    const int thread = (int)(intptr_t)argument;
    int *const data = numbers[thread];
    const MPI_Comm comm = comms[thread];
    MPI_Request requests[2];
    MPI_Status statuses[2];
    __sync_fetch_and_add(&threads_inside, 1);
    switch (thread) { /* stop: about to wait */
    case RECV:
        MPI_Recv(data, 9, MPI_INT, last, 201, comm, MPI_STATUS_IGNORE);
        break;
    case RECV_FROM_ANYBODY:
        MPI_Recv(data, 8, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
        break;
    case WAITALL:
        MPI_Irecv(&data[0], 2, MPI_INT, last, 202, comm, &requests[0]);
        MPI_Irecv(&data[8], 3, MPI_INT, last, 203, comm, &requests[1]);
        MPI_Waitall(2, requests, statuses);
        break;
    case SSEND:
        MPI_Ssend(data, 5, MPI_INT, last, 204, comm);
        break;
    case BARRIER:
        MPI_Barrier(comm);
        break;
    case IBARRIER:
        MPI_Ibarrier(comm, &requests[0]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        break;
    default:
        MPI_Probe(last, 205, comm, &statuses[0]);
        MPI_Recv(data, 1, MPI_INT, last, 205, comm, MPI_STATUS_IGNORE);
    }
    return NULL;
}

/* What the last rank does for all others. */
static void answer_others(void)
{
    int received[64];
    for (int peer = 0; peer < last; peer++) {
        MPI_Send(numbers, 9, MPI_INT, peer, 201, comms[RECV]);
        MPI_Send(numbers, 8, MPI_INT, peer, 206, comms[RECV_FROM_ANYBODY]);
        MPI_Send(numbers, 2, MPI_INT, peer, 202, comms[WAITALL]);
        MPI_Send(numbers, 3, MPI_INT, peer, 203, comms[WAITALL]);
        MPI_Recv(received, 5, MPI_INT, peer, 204, comms[SSEND], MPI_STATUS_IGNORE);
        MPI_Send(numbers, 1, MPI_INT, peer, 205, comms[PROBE]);
    }
    MPI_Barrier(comms[BARRIER]);
    MPI_Request request;
    MPI_Ibarrier(comms[IBARRIER], &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    int provided;
    pthread_t threads[THREADS];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    truth_begin(argc, argv);
    if (provided < MPI_THREAD_MULTIPLE) {
        fprintf(stderr, "threads: this MPI has no MPI_THREAD_MULTIPLE\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    last = size - 1;
    make_kept(rank, size);
    for (int i = 0; i < THREADS; i++) {
        char name[32];
        snprintf(name, sizeof name, "thread %d", i);
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
        MPI_Comm_set_name(comms[i], name);
    }
    tell_kept(rank, size);
    if (rank != last)
        tell_threads();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == last) {
        say_blocking();
        wait_for_signal(); /* stop: elsewhere */
        answer_others();
    } else {
        for (int i = 0; i < THREADS; i++)
            pthread_create(&threads[i], NULL, run, (void *)(intptr_t)i);
        while (threads_inside < THREADS)
            sched_yield();
        say_blocking();
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
    }
    for (int i = 0; i < THREADS; i++)
        MPI_Comm_free(&comms[i]);
    free_kept();
    MPI_Finalize();
    return 0;
}
