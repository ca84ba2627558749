/*
 * What the handle benchmark asks about: every rank holds 100 live objects of its own, of all kinds, waits outside MPI,
 * and prints `ready RANK PID`. Ranks: 4.
 */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

/* What no MPI (statuses), or not every MPI (files), keeps a list of; the benchmark reads these variables. */
MPI_File files[2];
MPI_Status status;

static int numbers[64], received[24][64];

static void keep_first(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)in, (void)inout, (void)length, (void)type;
}

static void on_comm_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
}

/* 12 */
static MPI_Comm make_comms(int rank, int size)
{
    MPI_Comm ocean, dup[4], parity, even_odd, grid, line, graph, neighbours, alone;
    const int dims[2] = {2, size / 2}, periods[2] = {1, 0}, degrees[4] = {1, 2, 3, 4}, edges[4] = {1, 0, 3, 2};
    const int right = (rank + 1) % size, left = (rank + size - 1) % size, weight = 3;
    MPI_Comm_dup(MPI_COMM_WORLD, &ocean);
    MPI_Comm_set_name(ocean, "ocean");
    for (int i = 0; i < 4; i++)
        MPI_Comm_dup(ocean, &dup[i]);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &parity);
    MPI_Intercomm_create(parity, 0, MPI_COMM_WORLD, 1 - rank % 2, 7, &even_odd);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, periods, 0, &line);
    MPI_Graph_create(MPI_COMM_WORLD, 4, degrees, edges, 0, &graph);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &left, &weight, 1, &right, &weight, MPI_INFO_NULL, 0, &neighbours);
    MPI_Comm_dup(MPI_COMM_SELF, &alone);
    return ocean;
}

/* 24: each constructor, of a basic type and of a vector */
static void make_datatypes(int rank, int size)
{
    MPI_Datatype made[24], *next = made, base = MPI_DOUBLE;
    const int lengths[3] = {1, 2, 3}, places[3] = {0, 4, 9}, sizes[2] = {8, 12}, part[2] = {4, 6}, from[2] = {2, 3};
    const int distribution[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC}, grid[2] = {2, size / 2};
    const int defaults[2] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG};
    const MPI_Aint bytes[3] = {0, 200, 500};
    for (int i = 0; i < 2; i++, base = made[1]) {
        const MPI_Datatype members[3] = {MPI_INT, base, MPI_CHAR};
        MPI_Type_contiguous(3, base, next++);
        MPI_Type_vector(4, 2, 3, base, next++);
        MPI_Type_create_hvector(4, 2, 800, base, next++);
        MPI_Type_indexed(3, lengths, places, base, next++);
        MPI_Type_create_hindexed(3, lengths, bytes, base, next++);
        MPI_Type_create_indexed_block(3, 2, places, base, next++);
        MPI_Type_create_hindexed_block(3, 2, bytes, base, next++);
        MPI_Type_create_struct(3, lengths, bytes, members, next++);
        MPI_Type_create_subarray(2, sizes, part, from, MPI_ORDER_C, base, next++);
        MPI_Type_create_darray(size, rank, 2, sizes, distribution, defaults, grid, MPI_ORDER_C, base, next++);
        MPI_Type_create_resized(base, -8, 2000, next++);
        MPI_Type_dup(base, next++);
    }
    for (int i = 0; i < 24; i++) {
        MPI_Type_commit(&made[i]);
        (void)MPI_Type_c2f(made[i]); /* Open MPI keeps a list of those types only that Fortran may know */
    }
}

/* 10 groups, 10 infos (where there are sessions, one of these instead of an info), 6 operations, 6 error handlers */
static void make_small_objects(MPI_Comm ocean, int rank, int size)
{
    MPI_Group everybody, part[9];
    MPI_Info info[10];
    MPI_Op op[6];
    MPI_Errhandler handler[6];
    int reverse[1][3] = {{size - 1, 0, -1}};
    MPI_Comm_group(ocean, &everybody);
    for (int i = 0; i < 8; i++)
        MPI_Group_excl(everybody, 1, &(int){i % size}, &part[i]);
    MPI_Group_range_incl(everybody, 1, reverse, &part[8]);
#if MPI_VERSION >= 4
    MPI_Session session;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    const int infos = 9;
#else
    const int infos = 10;
#endif
    for (int i = 0; i < infos; i++) {
        MPI_Info_create(&info[i]);
        MPI_Info_set(info[i], "access_style", "read_once");
        MPI_Info_set(info[i], "cb_nodes", "4");
        MPI_Info_set(info[i], "striping_factor", "16");
    }
    for (int i = 0; i < 6; i++) {
        MPI_Op_create(keep_first, rank % 2, &op[i]);
        MPI_Comm_create_errhandler(on_comm_error, &handler[i]);
    }
    MPI_Comm_set_errhandler(ocean, handler[0]);
}

/* 4 windows, 2 files */
static void make_windows_and_files(MPI_Comm ocean)
{
    MPI_Win win[4];
    void *base;
    char path[100];
    MPI_Win_create(numbers, sizeof numbers, sizeof numbers[0], MPI_INFO_NULL, ocean, &win[0]);
    MPI_Win_allocate(4096, 8, MPI_INFO_NULL, ocean, &base, &win[1]);
    MPI_Win_allocate_shared(4096, 8, MPI_INFO_NULL, ocean, &base, &win[2]);
    MPI_Win_create_dynamic(MPI_INFO_NULL, ocean, &win[3]);
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "/tmp/mpidbg-bench-%d-%d", (int)getpid(), i);
        MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &files[i]);
        unlink(path); /* however the program ends, nothing stays */
    }
}

/* 24 requests, 2 messages */
static void communicate(MPI_Comm ocean, int rank, int size)
{
    MPI_Request request[24];
    MPI_Message message[2];
    const int right = (rank + 1) % size, left = (rank + size - 1) % size;
    for (int i = 0; i < 12; i++)
        MPI_Irecv(received[i], 64, MPI_INT, left, 100 + i, ocean, &request[i]);
    for (int i = 12; i < 16; i++)
        MPI_Irecv(received[i], 64, MPI_INT, MPI_ANY_SOURCE, 100 + i, ocean, &request[i]);
    for (int i = 16; i < 20; i++)
        MPI_Recv_init(received[i], 64, MPI_INT, left, 100 + i, ocean, &request[i]);
    for (int i = 20; i < 24; i++)
        MPI_Issend(numbers, 64, MPI_INT, right, 200 + i, ocean, &request[i]);
    for (int i = 0; i < 2; i++) {
        MPI_Send(numbers, 4, MPI_INT, right, 300 + i, ocean);
        MPI_Mprobe(left, 300 + i, ocean, &message[i], &status);
    }
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm ocean = make_comms(rank, size);
    make_datatypes(rank, size);
    make_small_objects(ocean, rank, size);
    make_windows_and_files(ocean);
    communicate(ocean, rank, size);
    MPI_Barrier(MPI_COMM_WORLD);
    printf("ready %d %d\n", rank, (int)getpid());
    fflush(stdout);
    for (;;)
        pause();
}
