/* What the engine benchmark debugs: initialises MPI, stops, and then has lines to step over that do next to nothing.
   With an argument it says that it is there, and sleeps, to be attached to. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    volatile unsigned long steps = 0;
    MPI_Init(&argc, &argv);
    if (argc > 1) {
        printf("ready\n");
        fflush(stdout);
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
