/* What the engine benchmark debugs: initialises MPI, stops, and then has lines to step over that do next to nothing.
   With an argument it says that it is there, to be attached to, and sleeps; with "hang" rank 0 waits for rank 1 instead, and
   all others in a barrier. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    volatile unsigned long steps = 0;
    MPI_Init(&argc, &argv);
    if (argc > 1) {
        printf("ready\n");
        fflush(stdout);
        if (strcmp(argv[1], "hang") == 0) {
            int rank, one;
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            if (rank == 0)
                MPI_Recv(&one, 1, MPI_INT, 1, 12, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Barrier(MPI_COMM_WORLD);
        }
        for (;;)
            sleep(1);
    }
    steps++; /* stop: behind MPI_Init */
    for (;;) {
        steps += 1;
        steps += 2;
        steps += 3;
    }
}
