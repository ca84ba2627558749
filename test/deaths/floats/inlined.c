/* inlined.c - a NaN made in a function that is inlined, whose names the function that calls it uses for others. Compiled with -O2. */
#include <mpi.h>

static volatile double zero, result;

static double ratio(double r, double norm)
{
    return r / norm; /* traps: inlined */
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1) {
        const double r = 17, norm = zero;
        result = ratio(norm, norm) + r;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
