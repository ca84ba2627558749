/* dlopened-part.c - what dlopened.c loads: the part of the program that uses MPI. */
#include "truth.h"

/* Only for this file, and for all. */
static int soundings = 40;
int fathoms = 2;
enum tide { ebb = 5, flood };
typedef struct chart { enum tide tide; int depths[3]; } chart;
static chart coast = {flood, {1, 2, 3}};
static int reef(void)
{
    return coast.depths[0];
}

int sail(int argc, char **argv)
{
    MPI_Comm ocean, reversed;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    truth_begin(argc, argv);

    MPI_Comm_dup(MPI_COMM_WORLD, &ocean);
    MPI_Comm_set_name(ocean, "ocean");
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);

    truth_comm("MPI_COMM_WORLD", MPI_COMM_WORLD);
    truth_comm("MPI_COMM_SELF", MPI_COMM_SELF);
    truth_comm("MPI_COMM_NULL", MPI_COMM_NULL);
    truth_comm("ocean", ocean);
    truth_comm("reversed", reversed);

    soundings += fathoms * reef();
    rank++; /* stop: all communicators made */
    wait_for_debugger();

    MPI_Comm_free(&reversed);
    MPI_Comm_free(&ocean);
    MPI_Finalize();
    return 0;
}
