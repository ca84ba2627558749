/* messages.c CASE - messages that do not fit into their buffers. The last rank is the one; rank 0 sends 8 elements with tag 7, 4 with tag 8. */
#include <mpi.h>
#include <string.h>

static int rank, size, four[4], eight[8], more[4];

static void wait_for_two(const char *how, MPI_Comm ocean)
{
    MPI_Request two[2];
    MPI_Status statuses[2];
    int count, indices[2];
    MPI_Irecv(more, 4, MPI_INT, 0, 8, ocean, two);
    MPI_Irecv(four, 4, MPI_INT, strcmp(how, "waitall-any") == 0 ? MPI_ANY_SOURCE : 0, 7, ocean, two + 1);
    if (strcmp(how, "waitsome") == 0)
        for (;;)
            MPI_Waitsome(2, two, &count, indices, statuses); /* dies: waitsome */
    MPI_Waitall(2, two, strcmp(how, "waitall") == 0 ? MPI_STATUSES_IGNORE : statuses); /* dies: waitall */
}

static void die(const char *how, MPI_Comm ocean)
{
    MPI_Request request;
    if (strcmp(how, "receive") == 0)
        MPI_Recv(four, 4, MPI_INT, 0, 7, ocean, MPI_STATUS_IGNORE); /* dies: receive */
    else if (strcmp(how, "any") == 0)
        MPI_Recv(four, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, ocean, MPI_STATUS_IGNORE); /* dies: any */
    else if (strcmp(how, "after-another") == 0) {
        MPI_Comm_set_errhandler(ocean, MPI_ERRORS_RETURN);
        MPI_Recv(four, 4, MPI_INT, 0, 7, ocean, MPI_STATUS_IGNORE);
        MPI_Comm_set_errhandler(ocean, MPI_ERRORS_ARE_FATAL);
        MPI_Recv(four, 3, MPI_INT, 0, 8, ocean, MPI_STATUS_IGNORE); /* dies: another */
    } else if (strcmp(how, "wait") == 0) {
        MPI_Irecv(four, 4, MPI_INT, 0, 7, ocean, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE); /* dies: wait */
    } else
        wait_for_two(how, ocean);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    MPI_Comm ocean;
    MPI_Request sent[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &ocean);
    MPI_Comm_set_name(ocean, "ocean");
    MPI_Comm_rank(ocean, &rank);
    MPI_Comm_size(ocean, &size);
    if (rank == 0) {
        MPI_Isend(eight, 8, MPI_INT, size - 1, 7, ocean, sent);
        MPI_Isend(eight, 4, MPI_INT, size - 1, 8, ocean, sent + 1);
    }
    if (rank == size - 1)
        die(how, ocean);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
