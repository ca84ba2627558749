/*
 * ring.c - hello world with a token: it goes around all processes, and each adds its rank.
 *
 *     mpicc -g -O0 ring.c -o ring && mpirun -n 4 ring
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);

    MPI_Comm ocean;
    MPI_Comm_dup(MPI_COMM_WORLD, &ocean);
    MPI_Comm_set_name(ocean, "ocean");

    int rank, size;
    MPI_Comm_rank(ocean, &rank);
    MPI_Comm_size(ocean, &size);

    int next = (rank + 1) % size;
    int previous = (rank + size - 1) % size;
    int token = 0;

    for (int lap = 1; lap <= 3; lap++) {
        if (rank == 0) {
            MPI_Send(&token, 1, MPI_INT, next, lap, ocean);
            MPI_Recv(&token, 1, MPI_INT, previous, lap, ocean, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(&token, 1, MPI_INT, previous, lap, ocean, MPI_STATUS_IGNORE);
            token += rank;
            MPI_Send(&token, 1, MPI_INT, next, lap, ocean);
        }
        printf("rank %d of %d, lap %d: token %d\n", rank, size, lap, token); /* stop: token arrived */
    }

    MPI_Comm_free(&ocean);
    MPI_Finalize();
    return 0;
}
