/*
 * sessions.c - a program of MPI 4 that never calls MPI_Init: it has sessions only, and what it makes from them.
 *
 *     mpidbg run --collect all -- mpirun -n 2 sessions --wait &   waits, so that you can try:  mpidbg calls --launcher $!
 */
#include "truth.h"

int main(int argc, char **argv)
{
    MPI_Session brief, session; /* watch: session */
    MPI_Group group;
    MPI_Comm comm; /* watch: comm */
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &brief);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "mpidbg-samples", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
    MPI_Session_finalize(&brief);
    MPI_Comm_rank(comm, &truth_rank);
    MPI_Barrier(comm);

    truth_wait_is_wanted = argc > 1 && strcmp(argv[1], "--wait") == 0;
    wait_for_debugger(); /* stop: waiting */

    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    return 0;
}
