/*
 * duplicating.c - in all ranks but the last, threads work at once (MPI_THREAD_MULTIPLE) on what the last has no part in yet:
 * each but one duplicates a communicator of its own and tests the request, one waits for a message.
 *
 *     mpirun -n 3 duplicating              runs and ends
 *     mpirun -n 3 duplicating --wait &     waits, so that you can try:  mpidbg handles --launcher $!
 *
 * With --wait, the last rank sleeps outside MPI until SIGUSR1 comes. With --truth it tells which requests and messages it has.
 */
#include "live.h"
#include <pthread.h>
#include <unistd.h>

enum { DUPLICATES = 2, KEPT = 31, AWAITED };

volatile int threads_inside; /* how many have started what they do; for who looks from outside */

MPI_Message half_made = MPI_MESSAGE_NULL;
MPI_Request pending[DUPLICATES];

static MPI_Comm seas[DUPLICATES], copies[DUPLICATES];
static int rank, last;
static pthread_barrier_t begun; /* all requests are there */

static void *duplicate(void *argument)
{
    const int i = (int)(intptr_t)argument;
    int is_complete = 0;
    MPI_Comm_idup(seas[i], &copies[i], &pending[i]);
    pthread_barrier_wait(&begun);
    __sync_fetch_and_add(&threads_inside, 1);
    for (MPI_Request request = pending[i]; !is_complete; usleep(1000)) /* a core is not for it alone */
        MPI_Test(&request, &is_complete, MPI_STATUS_IGNORE);
    return NULL;
}

static void *take(void *unused)
{
    (void)unused;
    int number;
    pthread_barrier_wait(&begun);
    __sync_fetch_and_add(&threads_inside, 1);
    MPI_Mprobe(last, AWAITED, MPI_COMM_WORLD, &half_made, MPI_STATUS_IGNORE);
    MPI_Mrecv(&number, 1, MPI_INT, &half_made, MPI_STATUS_IGNORE);
    return NULL;
}

int main(int argc, char **argv)
{
    int size, provided, number = 7;
    MPI_Message kept;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided < MPI_THREAD_MULTIPLE)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    last = size - 1;
    truth_begin(argc, argv);
    for (int i = 0; i < DUPLICATES; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &seas[i]);

    if (rank == last) {
        for (int peer = 0; peer < last; peer++)
            MPI_Send(&number, 1, MPI_INT, peer, KEPT, MPI_COMM_WORLD);
        wait_for_debugger();
        for (int i = 0; i < DUPLICATES; i++)
            MPI_Comm_idup(seas[i], &copies[i], &pending[i]);
        for (int peer = 0; peer < last; peer++)
            MPI_Send(&number, 1, MPI_INT, peer, AWAITED, MPI_COMM_WORLD);
        for (int i = 0; i < DUPLICATES; i++)
            MPI_Wait(&pending[i], MPI_STATUS_IGNORE);
    } else {
        pthread_t threads[DUPLICATES + 1];
        MPI_Mprobe(last, KEPT, MPI_COMM_WORLD, &kept, MPI_STATUS_IGNORE);
        pthread_barrier_init(&begun, NULL, DUPLICATES + 2);
        for (int i = 0; i < DUPLICATES; i++)
            pthread_create(&threads[i], NULL, duplicate, (void *)(intptr_t)i);
        pthread_create(&threads[DUPLICATES], NULL, take, NULL);
        pthread_barrier_wait(&begun);
        if (live_begin()) {
            LIVE("request", TRUTH_HANDLE(pending[0]), TRUTH_HANDLE(pending[1]));
            LIVE("message", TRUTH_HANDLE(kept));
            live_end();
        }
        wait_for_debugger();
        for (int i = 0; i <= DUPLICATES; i++)
            pthread_join(threads[i], NULL);
        MPI_Mrecv(&number, 1, MPI_INT, &kept, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < DUPLICATES; i++) {
        MPI_Comm_free(&copies[i]);
        MPI_Comm_free(&seas[i]);
    }
    MPI_Finalize();
    return 0;
}
