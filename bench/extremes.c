/* What bench/extremes.ts debugs: extremes CASE COUNT. A case that waits says "ready" in each rank, and sleeps. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static double *numbers;
static volatile long hits;

static void wait_here(void)
{
    printf("ready\n");
    fflush(stdout);
    for (;;)
        sleep(1);
}

static void *sleep_on(void *nothing)
{
    for (;;)
        sleep(1);
    return nothing;
}

static long dive(long depth)
{
    volatile long below = depth;
    if (depth == 0)
        wait_here();
    else
        below += dive(depth - 1);
    return below;
}

static void *dive_apart(void *depth)
{
    dive(*(const long *)depth);
    return NULL;
}

int main(int argc, char **argv)
{
    const char *what = argc > 2 ? argv[1] : "";
    const long count = argc > 2 ? atol(argv[2]) : 0;
    MPI_Init(&argc, &argv);
    if (!strcmp(what, "threads")) {
        for (long i = 0; i < count; i++) {
            pthread_t thread;
            if (pthread_create(&thread, NULL, sleep_on, NULL) != 0)
                MPI_Abort(MPI_COMM_WORLD, 1);
        }
        wait_here();
    }
    if (!strcmp(what, "recursion"))
        dive(count);
    if (!strcmp(what, "thread-recursion")) {
        pthread_t thread;
        pthread_attr_t deep;
        pthread_attr_init(&deep);
        pthread_attr_setstacksize(&deep, 128 * (size_t)count);
        if (pthread_create(&thread, &deep, dive_apart, (void *)&count) != 0)
            MPI_Abort(MPI_COMM_WORLD, 1);
        pthread_join(thread, NULL);
    }
    if (!strcmp(what, "array")) {
        numbers = malloc(count * sizeof *numbers);
        for (long i = 0; i < count; i++)
            numbers[i] = (double)i;
        wait_here();
    }
    if (!strcmp(what, "hits"))
        for (long i = 0; i < count; i++)
            hits++; /* stop: at the last of many hits */
    if (!strcmp(what, "output"))
        for (long i = 0; i < count; i++)
            printf("line %ld of this rank\n", i);
    MPI_Finalize();
    return 0;
}
