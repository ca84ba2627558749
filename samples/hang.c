/*
 * hang.c - a job that never ends, to attach to:  mpirun -n 4 hang [RANK]
 *
 * Rank 1 (or the one that is named) does something else, outside MPI; the others wait for it in MPI_Barrier.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static volatile int keep_busy = 1; /* set it to 0 in a debugger, and the job goes on */

static void tell(int rank)
{
    printf("rank %d hangs\n", rank);
    fflush(stdout);
}

static void do_something_else(int rank, long rounds)
{
    tell(rank); /* in here: who reads it finds the rank in this function */
    while (keep_busy) {
        usleep(10000);
        rounds++; /* stop: still busy */
    }
}

int main(int argc, char **argv)
{
    int rank;
    int culprit = argc > 1 ? atoi(argv[1]) : 1;
    MPI_Comm ocean;
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &ocean);
    MPI_Comm_set_name(ocean, "ocean");
    MPI_Comm_rank(ocean, &rank);
    MPI_Barrier(ocean);
    if (rank == culprit)
        do_something_else(rank, 0);
    else
        tell(rank);
    MPI_Barrier(ocean);
    MPI_Comm_free(&ocean);
    MPI_Finalize();
    return 0;
}
