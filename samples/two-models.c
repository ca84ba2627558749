/*
 * two-models.c - a program of MPI 4 that calls MPI_Init and has a session, which ends first, or with --session-last goes on after
 * MPI_Finalize; then it has a message and a collective operation in a communicator of what is left.
 *
 *     mpidbg run --collect all -- mpirun -n 2 two-models --wait &   waits, so that you can try:  mpidbg calls --launcher $!
 */
#include "truth.h"

int main(int argc, char **argv)
{
    MPI_Session session;
    MPI_Group group;
    MPI_Comm of_session, rest;
    int number = 0, size;
    int is_last = 0;
    for (int i = 1; i < argc; i++) {
        is_last = is_last || strcmp(argv[i], "--session-last") == 0;
        truth_wait_is_wanted = truth_wait_is_wanted || strcmp(argv[i], "--wait") == 0;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &truth_rank);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "mpidbg-samples", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &of_session);
    MPI_Group_free(&group);
    MPI_Comm_set_name(of_session, "ocean");
    if (is_last) {
        rest = of_session;
        MPI_Finalize();
    } else {
        rest = MPI_COMM_WORLD;
        MPI_Comm_free(&of_session);
        MPI_Session_finalize(&session);
    }
    MPI_Comm_size(rest, &size);
    MPI_Sendrecv_replace(&number, 1, MPI_INT, (truth_rank + 1) % size, 7, MPI_ANY_SOURCE, 7, rest, MPI_STATUS_IGNORE);
    MPI_Barrier(rest);

    wait_for_debugger(); /* stop: waiting */

    if (is_last) {
        MPI_Comm_free(&of_session);
        MPI_Session_finalize(&session);
    } else {
        MPI_Finalize();
    }
    return 0;
}
