/*
 * conditions.c - reduces COUNT times over a communicator called "land", and tells how long that took: what a condition costs at
 * each hit that does not stop (bench/conditions.ts).
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, sum, count = argc > 1 ? atoi(argv[1]) : 300;
    MPI_Comm land, ocean;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &land);
    MPI_Comm_dup(MPI_COMM_WORLD, &ocean);
    MPI_Comm_set_name(land, "land");
    MPI_Comm_set_name(ocean, "ocean");
    double begin = MPI_Wtime();
    for (int i = 0; i < count; i++)
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, land);
    double seconds = MPI_Wtime() - begin;
    printf("LOOP %d %.6f\n", rank, seconds);
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
