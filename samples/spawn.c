/*
 * spawn.c - a job that starts more processes while it runs:  mpirun -n 2 spawn
 *
 * The two new processes have an MPI_COMM_WORLD of their own. What reaches them has processes of two worlds.
 */
#include "truth.h"

int main(int argc, char **argv)
{
    MPI_Comm parents, family = MPI_COMM_NULL, reunion, across;
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parents);

    int is_child = parents != MPI_COMM_NULL;
    if (is_child) {
        MPI_Intercomm_merge(parents, 1, &reunion);
    } else {
        truth_begin(argc, argv);
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &family,
                       MPI_ERRCODES_IGNORE);
        MPI_Comm_set_name(family, "family");
        MPI_Intercomm_merge(family, 0, &reunion);
        MPI_Comm_set_name(reunion, "reunion");
    }

    /* Even and odd members: each has one process of either world (or more) */
    int rank;
    MPI_Comm_rank(reunion, &rank);
    MPI_Comm_split(reunion, rank % 2, -rank, &across);

    if (!is_child) {
        truth_comm("MPI_COMM_WORLD", MPI_COMM_WORLD);
        truth_comm("parents", parents);
        truth_comm("family", family);
        truth_comm("reunion", reunion);
        truth_comm("across", across);

        rank++; /* stop: all communicators made */
        wait_for_debugger();
    }

    MPI_Barrier(reunion);
    MPI_Comm_free(&across);
    MPI_Comm_free(&reunion);
    MPI_Finalize();
    return 0;
}
