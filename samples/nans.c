/*
 * nans.c - rank 1 makes a NaN in a thread that it starts, in its first thread and in libm, divides by zero and overflows;
 * all make NaNs on purpose and test for them, and have a handler of SIGFPE.        mpirun -n 2 nans [FILE]
 *
 * With FILE the ranks begin when that file is there; FILE.N is there when rank N waits for it. Each rank prints "rank N", its numbers, the flags of exceptions that are
 * set in its first thread, and how often its handler was called.
 */
#include <fenv.h>
#include <math.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int rank;
static volatile sig_atomic_t handled;
static volatile double zero, big = 1e200;
static double ofThread;
static double grid[8][4];

static void handle(int signal)
{
    handled += signal == SIGFPE;
}

static void *work(void *infinity)
{
    double limit = *(double *)infinity;
    ofThread = limit - limit; /* stop: worker */
    return NULL;
}

static double normalized(double r, double norm)
{
    double residual = r / norm; /* stop: main */
    return residual;
}

int main(int argc, char **argv)
{
    struct sigaction action = {.sa_handler = handle};
    double onPurpose = nan(""), minus = -1, infinity = INFINITY, inLibrary = 1, infinite = 1, over = 1, first = 1;
    pthread_t thread;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    sigaction(SIGFPE, &action, NULL);
    if (argc > 1) {
        char waiting[4096];
        snprintf(waiting, sizeof waiting, "%s.%d", argv[1], rank);
        fclose(fopen(waiting, "w"));
        while (access(argv[1], F_OK) != 0)
            usleep(1000);
    }
    feclearexcept(FE_ALL_EXCEPT);
    grid[5][2] = onPurpose;
    int quiet = isnan(onPurpose) + isunordered(onPurpose, 1) + (onPurpose == onPurpose);
    if (rank == 1) {
        pthread_create(&thread, NULL, work, &infinity);
        pthread_join(thread, NULL);
        first = normalized(zero, zero);
        infinite = 3 / zero; /* stop: zero */
        inLibrary = log(minus); /* stop: library */
        over = big * big; /* stop: overflow */
    }
    printf("rank %d: %g %g %g %g %g %d flags %x handled %d\n", rank, first, ofThread, inLibrary, infinite, over, quiet,
           (unsigned)fetestexcept(FE_ALL_EXCEPT), (int)handled);
    MPI_Finalize();
    return 0;
}
