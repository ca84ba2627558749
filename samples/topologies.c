/*
 * topologies.c - files on communicators with and without a topology. MPI libraries keep notes of their own at a
 * communicator, beside the program's attributes: here are notes of every kind, and attributes that look like them.
 *
 *     mpirun -n 4 topologies              runs and ends
 *     mpirun -n 4 topologies --wait &     waits, so that you can try:  mpidbg show plain --launcher $!
 */
#include "truth-file.h"

/* The first numbers of a struct that describes a topology, in memory of the program's. */
static struct {
    int kind, unused, counts[2];
    void *lists[8];
} lookalikes[] = {{.kind = 1}, {.kind = 2, .counts = {1, 0}}, {.kind = 3}};

static int keep(MPI_Comm comm, int keyval, void *value, void *state)
{
    (void)comm, (void)keyval, (void)value, (void)state;
    return MPI_SUCCESS;
}

enum { plain_comm, cart_comm, graph_comm, dist_comm, lonely_comm, weighted_comm, alike_comm, made_comms };
static MPI_Comm made[made_comms], files_closed[made_comms], files_open[made_comms], duplicates[made_comms];
static MPI_File opened[made_comms + 1];

static void make_all(int rank, int size)
{
    int dims[2] = {0, 0}, periods[2] = {1, 0}, index[64], edges[64];
    const int right = (rank + 1) % size, left = (rank + size - 1) % size, weight = 10 + rank;
    MPI_Comm_dup(MPI_COMM_WORLD, &made[plain_comm]);
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &made[cart_comm]);
    for (int i = 0; i < size; i++)
        index[i] = i + 1, edges[i] = (i + 1) % size;
    MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &made[graph_comm]);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &left, MPI_UNWEIGHTED, 1, &right, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                   &made[dist_comm]);
    /* Nobody has a neighbour */
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, &left, MPI_WEIGHTS_EMPTY, 0, &right, MPI_WEIGHTS_EMPTY,
                                   MPI_INFO_NULL, 0, &made[lonely_comm]);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &left, &weight, 1, &right, &weight, MPI_INFO_NULL, 0,
                                   &made[weighted_comm]);
    MPI_Comm_dup(MPI_COMM_WORLD, &made[alike_comm]);
    for (size_t i = 0; i < sizeof lookalikes / sizeof *lookalikes; i++) {
        int copied, deleted;
        MPI_Comm_create_keyval(MPI_COMM_DUP_FN, keep, &copied, NULL);
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &deleted, NULL);
        truth_keyval(copied, TRUTH_POINTER);
        truth_keyval(deleted, TRUTH_POINTER);
        MPI_Comm_set_attr(made[alike_comm], copied, &lookalikes[i]);
        MPI_Comm_set_attr(made[alike_comm], deleted, &lookalikes[i]);
    }
}

/* Each communicator has three more of its kind: one on which a file was open, one on which it still is, and a duplicate of
 * that. MPICH notes at each of them which hosts write; what it notes begins with how many communicators share it. */
static void use_files(int rank)
{
    char path[100];
    int leader = (int)getpid();
    MPI_Bcast(&leader, 1, MPI_INT, 0, MPI_COMM_WORLD);
    snprintf(path, sizeof path, "/tmp/mpidbg-topologies-%d", leader);
    const int mode = MPI_MODE_CREATE | MPI_MODE_RDWR;
    MPI_File file;
    for (int i = 0; i < made_comms; i++) {
        MPI_Comm_dup(made[i], &files_closed[i]);
        MPI_Comm_dup(made[i], &files_open[i]);
        MPI_File_open(files_closed[i], path, mode, MPI_INFO_NULL, &file);
        MPI_File_close(&file);
        MPI_File_open(files_open[i], path, mode, MPI_INFO_NULL, &opened[i]);
        MPI_Comm_dup(files_open[i], &duplicates[i]);
    }
    MPI_File_open(MPI_COMM_SELF, path, mode, MPI_INFO_NULL, &file);
    MPI_File_close(&file);
    MPI_File_open(MPI_COMM_WORLD, path, mode, MPI_INFO_NULL, &opened[made_comms]);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        unlink(path);
}

static void tell(const char *array, MPI_Comm comms[made_comms])
{
    char expression[30];
    for (int i = 0; i < made_comms; i++) {
        snprintf(expression, sizeof expression, "%s[%d]", array, i);
        truth_comm(expression, comms[i]);
    }
}

int main(int argc, char **argv)
{
    int rank, size;
    truth_start(&argc, &argv, &rank, &size);

    make_all(rank, size);
    use_files(rank);
    MPI_Comm plain = files_open[plain_comm];

    truth_comm("MPI_COMM_WORLD", MPI_COMM_WORLD);
    truth_comm("MPI_COMM_SELF", MPI_COMM_SELF);
    truth_comm("plain", plain);
    tell("made", made);
    tell("files_closed", files_closed);
    tell("files_open", files_open);
    tell("duplicates", duplicates);

    rank++; /* stop: all topologies made */
    wait_for_debugger();

    for (int i = 0; i <= made_comms; i++)
        MPI_File_close(&opened[i]);
    for (int i = 0; i < made_comms; i++) {
        MPI_Comm_free(&made[i]);
        MPI_Comm_free(&files_closed[i]);
        MPI_Comm_free(&files_open[i]);
        MPI_Comm_free(&duplicates[i]);
    }
    MPI_Finalize();
    return 0;
}
