/*
 * ahead.c - a ring whose messages have the phase in their tags; one rank counts a phase too many.     mpirun -n 4 ahead
 *
 * From the third lap on, the tags of rank 1 are 100 higher than its neighbours expect: all wait in MPI_Waitall.
 */
#include <mpi.h>
#include <stdio.h>

enum { cells = 600 };

static double out[2][cells], in[2][cells];

int main(int argc, char **argv)
{
    int rank, size, phase = 0;
    MPI_Comm ring;
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &ring);
    MPI_Comm_set_name(ring, "ring");
    MPI_Comm_rank(ring, &rank);
    MPI_Comm_size(ring, &size);
    for (int lap = 0; lap < 4; lap++) {
        MPI_Request requests[4];
        int left = (rank + size - 1) % size, right = (rank + 1) % size;
        phase += rank == 1 && lap == 2 ? 2 : 1;
        MPI_Irecv(in[0], cells, MPI_DOUBLE, left, 100 * phase + 1, ring, &requests[0]);
        MPI_Irecv(in[1], cells, MPI_DOUBLE, right, 100 * phase + 2, ring, &requests[1]);
        MPI_Isend(out[0], cells, MPI_DOUBLE, right, 100 * phase + 1, ring, &requests[2]);
        MPI_Isend(out[1], cells, MPI_DOUBLE, left, 100 * phase + 2, ring, &requests[3]);
        if (lap == 2) {
            printf("rank %d is in phase %d\n", rank, phase);
            fflush(stdout);
        }
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE); /* stop: one rank is ahead */
    }
    MPI_Comm_free(&ring);
    MPI_Finalize();
    return 0;
}
