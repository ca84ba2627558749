/* loop.c - all threads of a parallel loop fault at once, in the last rank. What libraries then print is left to chance. */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>

static int *volatile nowhere;

static void smooth(void)
{
    _Atomic int come = 0;
#pragma omp parallel num_threads(4)
    {
        come++;
        while (come < omp_get_num_threads())
            continue;
        nowhere[omp_get_thread_num()] = 7; /* dies: loop */
    }
}

int main(int argc, char **argv)
{
    int rank, size, provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == size - 1 && freopen("/dev/null", "w", stdout) != NULL && freopen("/dev/null", "w", stderr) != NULL)
        smooth();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
