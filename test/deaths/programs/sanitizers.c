/* sanitizers.c CASE - errors that a sanitizer of the compiler finds. The last rank is the one; all others wait for it. */
#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static void die(const char *how, int size)
{
    volatile int past = 4, *nowhere = NULL;
    if (strcmp(how, "heap") == 0) {
        int *few = malloc(4 * sizeof *few);
        few[past] = 1; /* dies: heap */
        free(few);
    }
    if (strcmp(how, "integer") == 0)
        past = INT_MAX - 1 + past; /* dies: integer */
    if (strcmp(how, "null") == 0)
        *nowhere = size; /* dies: null */
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == size - 1)
        die(argc > 1 ? argv[1] : "", size);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
