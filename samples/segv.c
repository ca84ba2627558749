/* segv.c - rank 1 (or the one that is named) follows a null pointer:  mpirun -n 4 segv [RANK] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int read_depth(const int *depth)
{
    return *depth; /* stop: follows the pointer */
}

int main(int argc, char **argv)
{
    int rank, depth = 4000;
    int culprit = argc > 1 ? atoi(argv[1]) : 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    depth = read_depth(rank == culprit ? NULL : &depth);
    printf("rank %d: depth %d\n", rank, depth);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
