/* Ranks that wait for their own threads, for their own message, or on a communicator that the others have freed: own-locks CASE */
#include "cases.h"

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;

static void locks_twice(void)
{
    begin();
    if (rank == 2) {
        pthread_mutex_lock(&first);
        pthread_mutex_lock(&first); /* locks_twice: here */
    }
    MPI_Barrier(WORLD);
}

static void *takes_second(void *unused)
{
    pthread_mutex_lock(&second);
    pthread_barrier_wait(&both);
    pthread_mutex_lock(&first); /* crossed: the thread */
    return unused;
}
/* Two threads, two locks, each in another order. */
static void crossed(void)
{
    pthread_t thread;
    begin();
    if (rank == 1) {
        pthread_barrier_init(&both, NULL, 2);
        pthread_create(&thread, NULL, takes_second, NULL);
        pthread_mutex_lock(&first);
        pthread_barrier_wait(&both);
        pthread_mutex_lock(&second); /* crossed: here */
    }
    MPI_Barrier(WORLD);
}

static void *receives(void *unused)
{
    receive(0, 5, WORLD);
    return unused;
}
static void joins(void)
{
    pthread_t thread;
    begin();
    if (rank == 1) {
        pthread_create(&thread, NULL, receives, NULL);
        pthread_join(thread, NULL); /* joins: here */
    }
    MPI_Barrier(WORLD);
}

static void *takes_first(void *unused)
{
    pthread_mutex_lock(&first);
    return unused;
}
/* The thread that has the lock has ended without giving it back. */
static void abandoned(void)
{
    pthread_t thread;
    begin();
    if (rank == 2) {
        pthread_create(&thread, NULL, takes_first, NULL);
        pthread_join(thread, NULL);
        pthread_mutex_lock(&first); /* abandoned: here */
    }
    MPI_Barrier(WORLD);
}

static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;

static void *receives_as_writer(void *unused)
{
    pthread_rwlock_wrlock(&table);
    pthread_barrier_wait(&both);
    receive(0, 5, WORLD);
    return unused;
}
static void written(void)
{
    pthread_t thread;
    begin();
    if (rank == 1) {
        pthread_barrier_init(&both, NULL, 2);
        pthread_create(&thread, NULL, receives_as_writer, NULL);
        pthread_barrier_wait(&both);
        pthread_rwlock_rdlock(&table); /* written: here */
    }
    MPI_Barrier(WORLD);
}

static void critical(void)
{
    begin();
    if (rank == 1) {
#pragma omp parallel num_threads(2)
        {
#pragma omp critical /* critical: here */
            receive(0, 5, WORLD);
        }
    }
    MPI_Barrier(WORLD);
}

static void to_itself(void)
{
    begin();
    send_met(rank, 1, WORLD); /* to_itself: here */
}

/* MPI_Comm_free is collective, though nobody waits in it. */
static void freed_in_part(void)
{
    MPI_Comm ocean = duplicate("ocean"), scratch = duplicate("scratch");
    begin();
    if (rank != 3) MPI_Comm_free(&scratch);
    if (rank == 3) MPI_Barrier(scratch); /* freed_in_part: rank 3 */
    MPI_Barrier(ocean); /* freed_in_part: the others */
}

static const struct named_case cases[] = {
    {"locks_twice", locks_twice}, {"crossed", crossed},           {"joins", joins},
    {"abandoned", abandoned},     {"written", written},           {"to_itself", to_itself},
    {"critical", critical},       {"freed_in_part", freed_in_part}, {NULL, NULL},
};

int main(int argc, char **argv) { return run_case(argc, argv, cases); }
