/* What the engine benchmark debugs: initialises MPI, stops, and then has lines to step over that do next to nothing. */
#include <mpi.h>

int main(int argc, char **argv)
{
    volatile unsigned long steps = 0;
    MPI_Init(&argc, &argv);
    steps++; /* stop: behind MPI_Init */
    for (;;) {
        steps += 1;
        steps += 2;
        steps += 3;
    }
}
