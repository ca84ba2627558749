/*
 * duplicates.c - communicators that MPI_Comm_idup is making, in places of freed ones, to look at in a debugger.
 *
 *     mpirun -n 4 duplicates              runs and ends
 *     mpirun -n 4 duplicates --wait &     waits, so that you can try:  mpidbg show 'pending[0]' --launcher $!
 *
 * With --truth it tells which communicators it has, see live.h, and what the one is that is made and not waited for.
 */
#include "live.h"

enum { FREED = 16, CALLS_AT_LEAST = 100 };

MPI_Comm pending[3]; /* the last rank has not come to them */
MPI_Comm complete;   /* whose request is not waited for */
static MPI_Request requests[4];

/* Starts duplicating world, and the intercommunicator between the last rank and the others. */
static void start(MPI_Comm world, MPI_Comm inter)
{
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Comm_idup(world, &pending[0], &requests[0]);
#if MPI_VERSION >= 4
    MPI_Comm_idup_with_info(world, info, &pending[1], &requests[1]);
#else
    MPI_Comm_idup(world, &pending[1], &requests[1]);
#endif
    MPI_Comm_idup(inter, &pending[2], &requests[2]);
    MPI_Info_free(&info);
}

int main(int argc, char **argv)
{
    int rank, size, is_complete = 0;
    MPI_Comm freed[FREED], half, inter;
    truth_start(&argc, &argv, &rank, &size);
    const int last = size - 1, is_last = rank == last;

    for (int i = 0; i < FREED; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &freed[i]);
    MPI_Comm_split(MPI_COMM_WORLD, is_last, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, is_last ? 0 : last, 1, &inter);
    for (int i = 0; i < FREED; i++)
        MPI_Comm_free(&freed[i]);

    MPI_Comm_idup(MPI_COMM_WORLD, &complete, &requests[3]);
    while (!is_complete)
        MPI_Request_get_status(requests[3], &is_complete, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    if (!is_last) {
        start(MPI_COMM_WORLD, inter);
        /* The others of the intercommunicator's group agree as far as they can without the last. */
        for (int i = 0; i < CALLS_AT_LEAST; i++) {
            MPI_Request_get_status(requests[2], &is_complete, MPI_STATUS_IGNORE);
            MPI_Barrier(half);
        }
    }

    truth_comm("complete", complete);
    if (live_begin()) {
        LIVE("comm", TRUTH_HANDLE(complete), TRUTH_HANDLE(half), TRUTH_HANDLE(inter));
        live_end();
    }
    wait_for_debugger(); /* stop: duplicates pending */

    if (is_last)
        start(MPI_COMM_WORLD, inter);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 3; i++)
        MPI_Comm_free(&pending[i]);
    MPI_Comm_free(&complete);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
