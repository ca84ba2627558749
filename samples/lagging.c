/*
 * lagging.c - the last rank leaves out a broadcast of which it is the root: it is one collective operation ahead, and all wait.
 *
 *     mpidbg run --collect calls -- mpirun -n 3 lagging &   waits for ever, so that you can try:  mpidbg hang --launcher $!
 *
 * Before the call that it will not come back from, each rank tells the how-manieth collective operation it is on "ocean":
 *
 *     COUNTED {"rank":0,"call":"MPI_Bcast","instance":4}
 */
#include "truth.h"

static int count;

static void tell(int rank, const char *call)
{
    printf("COUNTED {\"rank\":%d,\"call\":\"%s\",\"instance\":%d}\n", rank, call, count);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    int rank, size, number = 1, sum;
    truth_start(&argc, &argv, &rank, &size);
    MPI_Comm ocean;
    MPI_Comm_dup(MPI_COMM_WORLD, &ocean);
    MPI_Comm_set_name(ocean, "ocean");
    MPI_Barrier(ocean), count++;
    for (int i = 0; i < 2; i++)
        MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, ocean), count++;
    MPI_Barrier(MPI_COMM_WORLD); /* of another communicator */
    wait_for_debugger();         /* stop: about to lag */
    if (rank < size - 1) {
        count++, tell(rank, "MPI_Bcast");
        MPI_Bcast(&number, 1, MPI_INT, size - 1, ocean);
    }
    MPI_Reduce(&number, &sum, 1, MPI_INT, MPI_SUM, 0, ocean), count++;
    count++, tell(rank, "MPI_Barrier");
    MPI_Barrier(ocean);
    MPI_Comm_free(&ocean);
    MPI_Finalize();
    return 0;
}
