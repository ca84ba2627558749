/*
 * positions.c - all ranks but the last wait in one call of MPI after the other, and tell before what they pass to each.
 *
 *     mpirun -n 3 positions                  runs through all the calls and ends
 *     mpirun -n 3 positions --wait &         waits in each: mpidbg hang --launcher $!; SIGUSR1 to the last rank lets them go
 *
 *     MPIDBG-BLOCKED {"rank":0,"step":1,"call":"MPI_Recv","arguments":{"comm":{...},"peer":2,"tag":101}}
 */
#include "blocked-objects.h"

enum { MANY = 1 << 18 }; /* numbers in a message that is too large to be sent before it is received */

volatile int positions_step; /* the number of the call that this rank is in, from 1; for who looks from outside */

static int rank, size, last;
static double large[MANY], also_large[MANY];
static int numbers[64], received[64], counts[16], places[16];
static MPI_Datatype types[16];
static MPI_Win win;
static MPI_File file;
static MPI_Comm halves, inter, ring;
static MPI_Group everybody, last_alone;
static MPI_Request waited[1];
static MPI_Message message;
static char path[100];

struct arguments {
    const MPI_Comm *comm, *peer_comm;
    const int *peer, *tag, *source, *receive_tag, *root;
    const MPI_Win *win;
    const MPI_File *file;
    const MPI_Request *requests;
    int request_count;
};

#define NUMBER(value) (&(int){value})

static void add_rank(const char *field, const int *peer)
{
    if (peer == NULL)
        return;
    if (*peer == MPI_ANY_SOURCE)
        truth_add(",\"%s\":\"MPI_ANY_SOURCE\"", field);
    else if (*peer == MPI_PROC_NULL)
        truth_add(",\"%s\":\"MPI_PROC_NULL\"", field);
    else
        truth_add(",\"%s\":%d", field, *peer);
}

static void add_tag(const char *field, const int *tag)
{
    if (tag == NULL)
        return;
    if (*tag == MPI_ANY_TAG)
        truth_add(",\"%s\":\"MPI_ANY_TAG\"", field);
    else
        truth_add(",\"%s\":%d", field, *tag);
}

static void tell_call(int step, const char *call, struct arguments passed)
{
    if (!truth_is_wanted)
        return;
    truth_add("MPIDBG-BLOCKED {\"rank\":%d,\"step\":%d,\"call\":\"%s\",\"arguments\":{\"call\":\"%s\"", truth_rank, step,
              call, call);
    if (passed.comm != NULL)
        truth_add_comm_ref("comm", *passed.comm);
    if (passed.peer_comm != NULL)
        truth_add_comm_ref("peerComm", *passed.peer_comm);
    add_rank("peer", passed.peer);
    add_tag("tag", passed.tag);
    add_rank("source", passed.source);
    add_tag("receiveTag", passed.receive_tag);
    add_rank("root", passed.root);
    if (passed.win != NULL)
        truth_add_win_ref("win", *passed.win);
    if (passed.file != NULL)
        truth_add_ref("file", "file", TRUTH_FILE(*passed.file), "");
    if (passed.requests != NULL) {
        truth_add(",\"requests\":[");
        for (int i = 0; i < passed.request_count; i++)
            truth_add("%s{\"kind\":\"request\",\"handle\":\"0x%lx\"}", i > 0 ? "," : "", TRUTH_HANDLE(passed.requests[i]));
        truth_add("]");
    }
    truth_add("}}");
    truth_print();
}

#define TELL(name, ...) tell_call(telling, name, (struct arguments){__VA_ARGS__})
#define OCEAN .comm = &kept.ocean

/* What the last rank does for all others, one after the other. */
static void send_to_others(int tag, int count)
{
    for (int peer = 0; peer < last; peer++)
        MPI_Send(large, count, MPI_INT, peer, tag, kept.ocean);
}

static void receive_from_others(int tag)
{
    for (int peer = 0; peer < last; peer++)
        MPI_Recv(large, MANY, MPI_DOUBLE, peer, tag, kept.ocean, MPI_STATUS_IGNORE);
}

/* Each call in one function: with `telling`, its number, it says what it passes; else it makes the call. */

#define STEP(name) static void name(int telling)
#define LAST_SENDS(tag) \
    if (rank == last) { \
        send_to_others(tag, 1); \
        return; \
    }
#define LAST_RECEIVES(tag) \
    if (rank == last) { \
        receive_from_others(tag); \
        return; \
    }

STEP(in_recv)
{
    if (telling) {
        TELL("MPI_Recv", OCEAN, .peer = &last, .tag = NUMBER(101));
        return;
    }
    LAST_SENDS(101)
    MPI_Recv(numbers, 9, MPI_INT, last, 101, kept.ocean, MPI_STATUS_IGNORE);
}

STEP(in_recv_of_anything)
{
    if (telling) {
        TELL("MPI_Recv", OCEAN, .peer = NUMBER(MPI_ANY_SOURCE), .tag = NUMBER(MPI_ANY_TAG));
        return;
    }
    LAST_SENDS(102)
    MPI_Recv(numbers, 9, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, kept.ocean, MPI_STATUS_IGNORE);
}

STEP(in_send)
{
    if (telling) {
        TELL("MPI_Send", OCEAN, .peer = &last, .tag = NUMBER(103));
        return;
    }
    LAST_RECEIVES(103)
    MPI_Send(large, MANY, MPI_DOUBLE, last, 103, kept.ocean);
}

STEP(in_ssend)
{
    if (telling) {
        TELL("MPI_Ssend", OCEAN, .peer = &last, .tag = NUMBER(104));
        return;
    }
    LAST_RECEIVES(104)
    MPI_Ssend(numbers, 5, MPI_INT, last, 104, kept.ocean);
}

STEP(in_sendrecv)
{
    if (telling) {
        TELL("MPI_Sendrecv", OCEAN, .peer = &last, .tag = NUMBER(105), .source = &last, .receive_tag = NUMBER(106));
        return;
    }
    if (rank == last) {
        receive_from_others(105);
        send_to_others(106, 1);
        return;
    }
    MPI_Sendrecv(&numbers[32], 1, MPI_INT, last, 105, numbers, 7, MPI_INT, last, 106, kept.ocean, MPI_STATUS_IGNORE);
}

STEP(in_large_sendrecv)
{
    if (telling) {
        TELL("MPI_Sendrecv", OCEAN, .peer = &last, .tag = NUMBER(107), .source = NUMBER(MPI_ANY_SOURCE),
             .receive_tag = NUMBER(108));
        return;
    }
    if (rank == last) {
        receive_from_others(107);
        send_to_others(108, 1);
        return;
    }
    MPI_Sendrecv(large, MANY, MPI_DOUBLE, last, 107, numbers, 7, MPI_INT, MPI_ANY_SOURCE, 108, kept.ocean,
                 MPI_STATUS_IGNORE);
}

STEP(in_sendrecv_replace)
{
    if (telling) {
        TELL("MPI_Sendrecv_replace", OCEAN, .peer = &last, .tag = NUMBER(109), .source = &last,
             .receive_tag = NUMBER(110));
        return;
    }
    if (rank == last) {
        receive_from_others(109);
        send_to_others(110, 1);
        return;
    }
    MPI_Sendrecv_replace(numbers, 7, MPI_INT, last, 109, last, 110, kept.ocean, MPI_STATUS_IGNORE);
}

STEP(in_probe)
{
    if (telling) {
        TELL("MPI_Probe", OCEAN, .peer = &last, .tag = NUMBER(111));
        return;
    }
    LAST_SENDS(111)
    MPI_Probe(last, 111, kept.ocean, MPI_STATUS_IGNORE);
    MPI_Recv(numbers, 9, MPI_INT, last, 111, kept.ocean, MPI_STATUS_IGNORE);
}

STEP(in_mprobe)
{
    if (telling) {
        TELL("MPI_Mprobe", OCEAN, .peer = NUMBER(MPI_ANY_SOURCE), .tag = NUMBER(112));
        return;
    }
    LAST_SENDS(112)
    MPI_Mprobe(MPI_ANY_SOURCE, 112, kept.ocean, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(numbers, 9, MPI_INT, &message, MPI_STATUS_IGNORE);
}

/* The requests are made when they are told, so that their handles are known. */

STEP(in_wait)
{
    if (telling) {
        MPI_Irecv(numbers, 3, MPI_INT, last, 113, kept.ocean, &waited[0]);
        TELL("MPI_Wait", .requests = waited, .request_count = 1);
        return;
    }
    LAST_SENDS(113)
    MPI_Wait(&waited[0], MPI_STATUS_IGNORE);
}

static MPI_Request group_of[3][3];

static void make_group(int which)
{
    for (int i = 0; i < 3; i++)
        MPI_Irecv(&received[i], 1, MPI_INT, last, 120 + 3 * which + i, kept.ocean, &group_of[which][i]);
}

static void send_group(int which)
{
    for (int i = 0; i < 3; i++)
        send_to_others(120 + 3 * which + i, 1);
}

STEP(in_waitall)
{
    if (telling) {
        make_group(0);
        TELL("MPI_Waitall", .requests = group_of[0], .request_count = 3);
    } else if (rank == last) {
        send_group(0);
    } else {
        MPI_Waitall(3, group_of[0], MPI_STATUSES_IGNORE);
    }
}

STEP(in_waitany)
{
    int index;
    if (telling) {
        make_group(1);
        TELL("MPI_Waitany", .requests = group_of[1], .request_count = 3);
    } else if (rank == last) {
        send_group(1);
    } else {
        MPI_Waitany(3, group_of[1], &index, MPI_STATUS_IGNORE);
        MPI_Waitall(3, group_of[1], MPI_STATUSES_IGNORE);
    }
}

STEP(in_waitsome)
{
    int done, indices[3];
    if (telling) {
        make_group(2);
        TELL("MPI_Waitsome", .requests = group_of[2], .request_count = 3);
    } else if (rank == last) {
        send_group(2);
    } else {
        MPI_Waitsome(3, group_of[2], &done, indices, MPI_STATUSES_IGNORE);
        MPI_Waitall(3, group_of[2], MPI_STATUSES_IGNORE);
    }
}

/* Collective operations: the last rank makes the same call, late. Of some only the root waits. */

#define COLLECTIVE(function, name, waits, call, ...) \
    STEP(function) \
    { \
        if (!telling) \
            call; \
        else if (waits) \
            TELL(name, __VA_ARGS__); \
    }

COLLECTIVE(in_barrier, "MPI_Barrier", 1, MPI_Barrier(kept.ocean), OCEAN)
COLLECTIVE(in_bcast, "MPI_Bcast", 1, MPI_Bcast(numbers, 64, MPI_INT, last, kept.ocean), OCEAN, .root = &last)
COLLECTIVE(in_large_bcast, "MPI_Bcast", 1, MPI_Bcast(large, MANY, MPI_DOUBLE, last, kept.ocean), OCEAN, .root = &last)
COLLECTIVE(in_gather, "MPI_Gather", rank == 0, MPI_Gather(numbers, 1, MPI_INT, received, 1, MPI_INT, 0, kept.ocean),
           OCEAN, .root = NUMBER(0))
COLLECTIVE(in_gatherv, "MPI_Gatherv", rank == 0,
           MPI_Gatherv(numbers, 2, MPI_INT, numbers + 8, counts, places, MPI_INT, 0, kept.ocean), OCEAN,
           .root = NUMBER(0))
COLLECTIVE(in_scatter, "MPI_Scatter", 1, MPI_Scatter(numbers, 1, MPI_INT, received, 1, MPI_INT, last, kept.ocean), OCEAN,
           .root = &last)
COLLECTIVE(in_scatterv, "MPI_Scatterv", 1,
           MPI_Scatterv(numbers, counts, places, MPI_INT, numbers + 8, 2, MPI_INT, last, kept.ocean), OCEAN,
           .root = &last)
COLLECTIVE(in_reduce, "MPI_Reduce", rank == 0, MPI_Reduce(numbers, received, 1, MPI_INT, kept.combine, 0, kept.ocean),
           OCEAN, .root = NUMBER(0))
COLLECTIVE(in_allreduce, "MPI_Allreduce", 1, MPI_Allreduce(numbers, received, 4, MPI_INT, MPI_SUM, kept.ocean), OCEAN)
COLLECTIVE(in_allgather, "MPI_Allgather", 1, MPI_Allgather(numbers, 1, MPI_INT, received, 1, MPI_INT, kept.ocean), OCEAN)
COLLECTIVE(in_allgatherv, "MPI_Allgatherv", 1,
           MPI_Allgatherv(numbers, 2, MPI_INT, numbers + 8, counts, places, MPI_INT, kept.ocean), OCEAN)
COLLECTIVE(in_alltoall, "MPI_Alltoall", 1, MPI_Alltoall(numbers, 1, MPI_INT, numbers + 32, 1, MPI_INT, kept.ocean), OCEAN)
COLLECTIVE(in_alltoallv, "MPI_Alltoallv", 1,
           MPI_Alltoallv(numbers, counts, places, MPI_INT, numbers + 32, counts, places, MPI_INT, kept.ocean), OCEAN)
COLLECTIVE(in_alltoallw, "MPI_Alltoallw", 1,
           MPI_Alltoallw(numbers, counts, places, types, numbers + 32, counts, places, types, kept.ocean), OCEAN)
COLLECTIVE(in_reduce_scatter, "MPI_Reduce_scatter", 1,
           MPI_Reduce_scatter(numbers, numbers + 32, counts, MPI_INT, MPI_SUM, kept.ocean), OCEAN)
COLLECTIVE(in_reduce_scatter_block, "MPI_Reduce_scatter_block", 1,
           MPI_Reduce_scatter_block(numbers, numbers + 32, 2, MPI_INT, MPI_SUM, kept.ocean), OCEAN)
COLLECTIVE(in_neighbor_allgather, "MPI_Neighbor_allgather", rank == 0,
           MPI_Neighbor_allgather(numbers, 1, MPI_INT, numbers + 32, 1, MPI_INT, ring), .comm = &ring)
COLLECTIVE(in_neighbor_alltoall, "MPI_Neighbor_alltoall", rank == 0,
           MPI_Neighbor_alltoall(numbers, 1, MPI_INT, numbers + 32, 1, MPI_INT, ring), .comm = &ring)
COLLECTIVE(in_inter_barrier, "MPI_Barrier", 1, MPI_Barrier(inter), .comm = &inter)
COLLECTIVE(in_inter_bcast, "MPI_Bcast", 1, MPI_Bcast(numbers, 64, MPI_INT, rank == last ? MPI_ROOT : 0, inter),
           .comm = &inter, .root = NUMBER(0))

/* In this communicator the last rank is the first, for which the others wait. */
COLLECTIVE(in_scan, "MPI_Scan", 1, MPI_Scan(numbers, received, 1, MPI_INT, MPI_SUM, kept.calm), .comm = &kept.calm)
COLLECTIVE(in_exscan, "MPI_Exscan", 1, MPI_Exscan(numbers, received, 1, MPI_INT, MPI_SUM, kept.calm), .comm = &kept.calm)

#define MAKES_COMM(function, name, call, ...) \
    STEP(function) \
    { \
        MPI_Comm made; \
        if (telling) { \
            TELL(name, __VA_ARGS__); \
        } else { \
            call; \
            MPI_Comm_free(&made); \
        } \
    }

MAKES_COMM(in_comm_dup, "MPI_Comm_dup", MPI_Comm_dup(kept.ocean, &made), OCEAN)
MAKES_COMM(in_comm_split, "MPI_Comm_split", MPI_Comm_split(kept.ocean, 0, rank, &made), OCEAN)
MAKES_COMM(in_comm_split_type, "MPI_Comm_split_type",
           MPI_Comm_split_type(kept.ocean, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made), OCEAN)
MAKES_COMM(in_comm_create, "MPI_Comm_create", MPI_Comm_create(kept.ocean, everybody, &made), OCEAN)
MAKES_COMM(in_comm_create_group, "MPI_Comm_create_group", MPI_Comm_create_group(kept.ocean, everybody, 7, &made), OCEAN,
           .tag = NUMBER(7))
MAKES_COMM(in_cart_create, "MPI_Cart_create", MPI_Cart_create(kept.ocean, 1, &size, NUMBER(0), 0, &made), OCEAN)
MAKES_COMM(in_intercomm_create, "MPI_Intercomm_create",
           MPI_Intercomm_create(halves, 0, kept.ocean, rank == last ? 0 : last, 115, &made), .comm = &halves,
           .peer_comm = &kept.ocean, .peer = &last, .tag = NUMBER(115))
MAKES_COMM(in_intercomm_merge, "MPI_Intercomm_merge", MPI_Intercomm_merge(inter, rank == last, &made), .comm = &inter)

/* Windows and files. */

STEP(in_win_create)
{
    MPI_Win made;
    if (telling) {
        TELL("MPI_Win_create", OCEAN);
    } else {
        MPI_Win_create(numbers, sizeof numbers, 1, MPI_INFO_NULL, kept.ocean, &made);
        MPI_Win_free(&made);
    }
}

STEP(in_win_allocate)
{
    MPI_Win made;
    void *base;
    if (telling) {
        TELL("MPI_Win_allocate", OCEAN);
    } else {
        MPI_Win_allocate(64, 1, MPI_INFO_NULL, kept.ocean, &base, &made);
        MPI_Win_free(&made);
    }
}

STEP(in_win_fence)
{
    if (telling) {
        TELL("MPI_Win_fence", .win = &win);
    } else {
        MPI_Win_fence(0, win);
        MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    }
}

/* The last rank has locked its part of the window. */
STEP(in_win_lock)
{
    if (telling) {
        TELL("MPI_Win_lock", .win = &win, .peer = &last);
    } else if (rank == last) {
        MPI_Win_unlock(last, win);
        MPI_Barrier(kept.ocean); /* some libraries lock a window only while its owner is in a call */
    } else {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, last, 0, win);
        MPI_Put(numbers, 1, MPI_INT, last, 0, 1, MPI_INT, win);
        MPI_Win_unlock(last, win);
        MPI_Barrier(kept.ocean);
    }
}

STEP(in_win_wait)
{
    if (telling) {
        TELL("MPI_Win_wait", .win = &win);
    } else if (rank == last) {
        MPI_Group others;
        MPI_Group_difference(everybody, last_alone, &others);
        MPI_Win_start(others, 0, win);
        MPI_Win_complete(win);
        MPI_Group_free(&others);
    } else {
        MPI_Win_post(last_alone, 0, win);
        MPI_Win_wait(win);
    }
}

static MPI_Win free_soon;

STEP(in_win_free)
{
    if (telling)
        TELL("MPI_Win_free", .win = &free_soon);
    else
        MPI_Win_free(&free_soon);
}

STEP(in_file_open)
{
    MPI_File made;
    if (telling) {
        TELL("MPI_File_open", OCEAN);
    } else {
        MPI_File_open(kept.ocean, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &made);
        MPI_File_close(&made);
    }
}

STEP(in_file_write_all)
{
    if (telling)
        TELL("MPI_File_write_all", .file = &file);
    else
        MPI_File_write_all(file, numbers, 4, MPI_INT, MPI_STATUS_IGNORE);
}

STEP(in_file_set_size)
{
    if (telling)
        TELL("MPI_File_set_size", .file = &file);
    else
        MPI_File_set_size(file, 100);
}

STEP(in_file_close)
{
    if (telling)
        TELL("MPI_File_close", .file = &file);
    else
        MPI_File_close(&file);
}

static void (*const calls[])(int telling) = {
    in_recv,           in_recv_of_anything,   in_send,         in_ssend,          in_sendrecv,
    in_large_sendrecv, in_sendrecv_replace,   in_probe,        in_mprobe,         in_wait,
    in_waitall,        in_waitany,            in_waitsome,     in_barrier,        in_bcast,
    in_large_bcast,    in_gather,             in_gatherv,      in_scatter,        in_scatterv,
    in_reduce,         in_allreduce,          in_allgather,    in_allgatherv,     in_alltoall,
    in_alltoallv,      in_alltoallw,          in_scan,         in_exscan, in_reduce_scatter, in_reduce_scatter_block,
    in_neighbor_allgather, in_neighbor_alltoall, in_inter_barrier, in_inter_bcast, in_comm_dup,
    in_comm_split,     in_comm_split_type,    in_comm_create,  in_comm_create_group, in_cart_create,
    in_intercomm_create, in_intercomm_merge,  in_win_create,   in_win_allocate,   in_win_fence,
    in_win_lock,       in_win_wait,           in_win_free,     in_file_open,      in_file_write_all,
    in_file_set_size,  in_file_close,
};

enum { CALLS = sizeof calls / sizeof *calls };

static void make_objects(void)
{
    int leader = rank == 0 ? (int)getpid() : 0, next = (rank + 1) % size;
    make_kept(rank, size);
    for (int i = 0; i < 16; i++) {
        counts[i] = 2;
        places[i] = 2 * i;
        types[i] = MPI_INT;
    }
    MPI_Comm_group(kept.ocean, &everybody);
    MPI_Group_incl(everybody, 1, &last, &last_alone);
    MPI_Win_create(numbers, sizeof numbers, sizeof numbers[0], MPI_INFO_NULL, kept.ocean, &win);
    MPI_Win_set_name(win, "shared");
    MPI_Win_create(also_large, 64, 8, MPI_INFO_NULL, kept.ocean, &free_soon);
    MPI_Comm_split(kept.ocean, rank == last, rank, &halves);
    MPI_Comm_set_name(halves, "halves");
    MPI_Intercomm_create(halves, 0, kept.ocean, rank == last ? 0 : last, 99, &inter);
    MPI_Comm_set_name(inter, "inter");
    MPI_Dist_graph_create(kept.ocean, 1, &rank, NUMBER(1), &next, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &ring);
    MPI_Comm_set_name(ring, "ring");
    MPI_Allreduce(MPI_IN_PLACE, &leader, 1, MPI_INT, MPI_SUM, kept.ocean);
    snprintf(path, sizeof path, "/tmp/mpidbg-positions-%d", leader);
    MPI_File_open(kept.ocean, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    truth_begin(argc, argv);
    last = size - 1;
    make_objects();
    tell_kept(rank, size);
    for (int i = 0; rank != last && i < CALLS; i++)
        calls[i](i + 1);
    MPI_Barrier(MPI_COMM_WORLD);
    say_blocking();
    for (int i = 0; i < CALLS; i++) {
        if (calls[i] == in_win_lock) {
            if (rank == last)
                MPI_Win_lock(MPI_LOCK_EXCLUSIVE, last, 0, win);
            MPI_Barrier(kept.ocean);
        }
        if (rank == last)
            wait_for_signal();
        positions_step = i + 1;
        calls[i](0);
        positions_step = 0;
        /* Nobody is ahead of others, also of calls in which some do not wait. */
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Comm_free(&ring);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&halves);
    MPI_Group_free(&last_alone);
    MPI_Group_free(&everybody);
    MPI_Win_free(&win);
    free_kept();
    MPI_Finalize();
    return 0;
}
