/*
 * mismatch.c - a job that hangs in MPI:  mpirun -n 4 mismatch
 *
 * Rank 0 waits for a message with tag 12, but rank 1 has sent it with tag 112; the others wait for rank 0 in MPI_Barrier.
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, value = 42;
    MPI_Comm ocean;
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &ocean);
    MPI_Comm_set_name(ocean, "ocean");
    MPI_Comm_rank(ocean, &rank);
    MPI_Barrier(ocean);
    printf("rank %d begins\n", rank);
    fflush(stdout);
    if (rank == 1)
        MPI_Send(&value, 1, MPI_INT, 0, 112, ocean);
    if (rank == 0)
        MPI_Recv(&value, 1, MPI_INT, 1, 12, ocean, MPI_STATUS_IGNORE); /* stop: the tags differ */
    MPI_Barrier(ocean);
    MPI_Comm_free(&ocean);
    MPI_Finalize();
    return 0;
}
