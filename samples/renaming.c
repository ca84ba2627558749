/*
 * renaming.c - reduces over communicators that it names, renames, frees and makes again, so that one handle stands for several
 * communicators and one name for several handles; rank 0 prints what MPI_Comm_get_name says at each call:
 *
 *     CALL 1 ocean
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { COMMS = 4, STEPS = 80 };
static const char *const names[] = {"ocean", "land", "oceans", "", "ocea"};

/* The same in all ranks. */
static unsigned next(unsigned below)
{
    static unsigned state = 20261128;
    state = state * 1103515245u + 12345u;
    return (state >> 16) % below;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, sum;
    MPI_Comm comms[COMMS + 1];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < COMMS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    comms[COMMS] = MPI_COMM_WORLD;
    for (int step = 1; step <= STEPS; step++) {
        int i = (int)next(COMMS + 1);
        switch (next(4)) {
        case 0:
            MPI_Comm_set_name(comms[i], names[next(5)]);
            break;
        case 1:
            if (i == COMMS)
                break;
            MPI_Comm_free(&comms[i]);
            MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
            if (next(2))
                MPI_Comm_set_name(comms[i], "ocean");
            break;
        case 2:
            /* Gives back two at once, so that they come back in another order. */
            for (int k = 0; k < 2; k++)
                MPI_Comm_free(&comms[k]);
            for (int k = 0; k < 2; k++) {
                MPI_Comm_dup(MPI_COMM_SELF, &comms[k]);
                MPI_Comm_set_name(comms[k], names[next(5)]);
            }
            break;
        default:
            break;
        }
        char name[MPI_MAX_OBJECT_NAME];
        int length;
        MPI_Comm_get_name(comms[i], name, &length);
        if (rank == 0)
            printf("CALL %d %s\n", step, name);
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comms[i]);
    }
    for (int i = 0; i < COMMS; i++)
        MPI_Comm_free(&comms[i]);
    MPI_Finalize();
    return 0;
}
