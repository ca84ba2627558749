/*
 * blocked.c - all ranks but the last wait inside MPI calls for the last, which is elsewhere.
 *
 *     mpirun -n 3 blocked                            runs through all the calls and ends
 *     mpirun -n 3 blocked --wait MPI_Barrier &       waits in the calls that you name, so that you can try:
 *                                                    mpidbg handles request --launcher $!
 *
 * With --wait, the last rank sleeps outside MPI before each call, until SIGUSR1 comes.
 */
#include "blocked-objects.h"

enum { MANY = 1 << 18 }; /* numbers in a message that is too large to be sent before it is received */

/* What a call makes: it may have set them already. */
MPI_Message blocked_message;
MPI_Comm blocked_comm;

volatile int blocked_step; /* the number of the call that this rank is in, from 1; for who looks from outside */

static int rank, size, last;
static double large[MANY];
static int numbers[64];
static MPI_Win shared;
static MPI_Comm halves; /* the last rank, and the others */

#define RECEIVE(buffer_, count_, type_, peer_, tag_, comm_) \
    &(struct truth_request){.operation = "receive", .buffer = buffer_, .count = count_, .datatype = type_, \
                            .peer = peer_, .tag = tag_, .comm = comm_}
#define SEND(mode_, buffer_, count_, type_, peer_, tag_, comm_) \
    &(struct truth_request){.operation = "send", .send_mode = mode_, .buffer = buffer_, .count = count_, \
                            .datatype = type_, .peer = peer_, .tag = tag_, .comm = comm_}

/* What the last rank does for all others, one after the other. */
static void send_to_others(int tag)
{
    for (int peer = 0; peer < last; peer++)
        MPI_Send(numbers, 1, MPI_INT, peer, tag, kept.ocean);
}

static void receive_from_others(int tag)
{
    for (int peer = 0; peer < last; peer++)
        MPI_Recv(large, MANY, MPI_DOUBLE, peer, tag, kept.ocean, MPI_STATUS_IGNORE);
}

/* Each call in one function: with `telling`, it says what will be pending; else it does it. */

static void in_recv(int telling)
{
    if (telling)
        tell_blocked(telling, "MPI_Recv", RECEIVE(numbers, 9, MPI_INT, last, 101, kept.ocean));
    else if (rank == last)
        send_to_others(101);
    else
        MPI_Recv(numbers, 9, MPI_INT, last, 101, kept.ocean, MPI_STATUS_IGNORE);
}

static void in_recv_of_columns_from_anybody(int telling)
{
    if (telling)
        tell_blocked(telling, "MPI_Recv", RECEIVE(large, 2, kept.column, MPI_ANY_SOURCE, 102, kept.ocean));
    else if (rank == last)
        for (int peer = 0; peer < last; peer++)
            MPI_Send(large, 1, kept.column, peer, 102, kept.ocean);
    else
        MPI_Recv(large, 2, kept.column, MPI_ANY_SOURCE, 102, kept.ocean, MPI_STATUS_IGNORE);
}

static void in_wait(int telling)
{
    MPI_Request request;
    if (telling) {
        tell_blocked(telling, "MPI_Wait", RECEIVE(numbers, 3, MPI_INT, last, 103, kept.ocean));
    } else if (rank == last) {
        send_to_others(103);
    } else {
        MPI_Irecv(numbers, 3, MPI_INT, last, 103, kept.ocean, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

static void in_waitall(int telling)
{
    MPI_Request requests[3];
    MPI_Status statuses[3];
    if (telling) {
        tell_blocked(telling, "MPI_Waitall", RECEIVE(&numbers[0], 4, MPI_INT, last, 104, kept.ocean));
        tell_blocked(telling, "MPI_Waitall", RECEIVE(&numbers[8], 5, MPI_INT, MPI_ANY_SOURCE, 105, kept.ocean));
        tell_blocked(telling, "MPI_Waitall", SEND("synchronous", &numbers[16], 6, MPI_INT, last, 106, kept.ocean));
    } else if (rank == last) {
        send_to_others(104);
        send_to_others(105);
        receive_from_others(106);
    } else {
        MPI_Irecv(&numbers[0], 4, MPI_INT, last, 104, kept.ocean, &requests[0]);
        MPI_Irecv(&numbers[8], 5, MPI_INT, MPI_ANY_SOURCE, 105, kept.ocean, &requests[1]);
        MPI_Issend(&numbers[16], 6, MPI_INT, last, 106, kept.ocean, &requests[2]);
        MPI_Waitall(3, requests, statuses);
    }
}

static void in_waitany(int telling)
{
    MPI_Request requests[2];
    int index;
    if (telling) {
        tell_blocked(telling, "MPI_Waitany", RECEIVE(&numbers[0], 2, MPI_INT, last, 107, kept.ocean));
        tell_blocked(telling, "MPI_Waitany", RECEIVE(&numbers[8], 2, MPI_INT, last, 108, kept.ocean));
    } else if (rank == last) {
        send_to_others(107);
        send_to_others(108);
    } else {
        MPI_Irecv(&numbers[0], 2, MPI_INT, last, 107, kept.ocean, &requests[0]);
        MPI_Irecv(&numbers[8], 2, MPI_INT, last, 108, kept.ocean, &requests[1]);
        MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
        MPI_Wait(&requests[1 - index], MPI_STATUS_IGNORE);
    }
}

static void in_send(int telling)
{
    if (telling)
        tell_blocked(telling, "MPI_Send", SEND("standard", large, MANY, MPI_DOUBLE, last, 109, kept.ocean));
    else if (rank == last)
        receive_from_others(109);
    else
        MPI_Send(large, MANY, MPI_DOUBLE, last, 109, kept.ocean);
}

static void in_ssend(int telling)
{
    if (telling)
        tell_blocked(telling, "MPI_Ssend", SEND("synchronous", numbers, 5, MPI_INT, last, 110, kept.ocean));
    else if (rank == last)
        receive_from_others(110);
    else
        MPI_Ssend(numbers, 5, MPI_INT, last, 110, kept.ocean);
}

static void in_sendrecv(int telling)
{
    if (telling) {
        tell_blocked(telling, "MPI_Sendrecv", RECEIVE(numbers, 7, MPI_INT, last, 112, kept.ocean));
    } else if (rank == last) {
        receive_from_others(111);
        send_to_others(112);
    } else {
        MPI_Sendrecv(&numbers[32], 1, MPI_INT, last, 111, numbers, 7, MPI_INT, last, 112, kept.ocean, MPI_STATUS_IGNORE);
    }
}

static void in_probe(int telling)
{
    MPI_Status status;
    if (telling) {
        tell_blocked(telling, "MPI_Probe", NULL);
    } else if (rank == last) {
        send_to_others(113);
    } else {
        MPI_Probe(last, 113, kept.ocean, &status);
        MPI_Recv(numbers, 9, MPI_INT, last, 113, kept.ocean, MPI_STATUS_IGNORE);
    }
}

/* As mpi4py receives. */
static void in_mprobe(int telling)
{
    MPI_Status status;
    if (telling) {
        tell_making(telling, "MPI_Mprobe", "blocked_message", "message");
    } else if (rank == last) {
        send_to_others(114);
    } else {
        MPI_Mprobe(MPI_ANY_SOURCE, 114, kept.ocean, &blocked_message, &status);
        MPI_Mrecv(numbers, 9, MPI_INT, &blocked_message, MPI_STATUS_IGNORE);
    }
}

static void in_barrier(int telling)
{
    if (telling)
        tell_blocked(telling, "MPI_Barrier", NULL);
    else
        MPI_Barrier(kept.ocean);
}

static void in_bcast(int telling)
{
    if (telling)
        tell_blocked(telling, "MPI_Bcast", NULL);
    else
        MPI_Bcast(numbers, 64, MPI_INT, last, kept.ocean);
}

static void in_allreduce(int telling)
{
    int sum[4];
    if (telling)
        tell_blocked(telling, "MPI_Allreduce", NULL);
    else
        MPI_Allreduce(numbers, sum, 4, MPI_INT, kept.combine, kept.ocean);
}

static void in_ibarrier(int telling)
{
    MPI_Request request;
    if (telling) {
        tell_blocked(telling, "MPI_Wait", &(struct truth_request){.operation = "collective", .comm = kept.ocean});
    } else {
        MPI_Ibarrier(kept.ocean, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

static void in_comm_dup(int telling)
{
    MPI_Comm duplicate;
    if (telling) {
        tell_blocked(telling, "MPI_Comm_dup", NULL);
    } else {
        MPI_Comm_dup(kept.ocean, &duplicate);
        MPI_Comm_free(&duplicate);
    }
}

static void in_comm_split(int telling)
{
    MPI_Comm part;
    if (telling) {
        tell_blocked(telling, "MPI_Comm_split", NULL);
    } else {
        MPI_Comm_split(kept.ocean, 0, rank, &part);
        MPI_Comm_free(&part);
    }
}

static void in_comm_idup(int telling)
{
    MPI_Request request;
    if (telling) {
        tell_making(telling, "MPI_Comm_idup", "blocked_comm", "comm");
    } else {
        MPI_Comm_idup(kept.ocean, &blocked_comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Comm_free(&blocked_comm);
    }
}

static void in_cart_create(int telling)
{
    MPI_Comm cart;
    int is_periodic = 0;
    if (telling) {
        tell_blocked(telling, "MPI_Cart_create", NULL);
    } else {
        MPI_Cart_create(kept.ocean, 1, &size, &is_periodic, 0, &cart);
        MPI_Comm_free(&cart);
    }
}

static void in_dist_graph_create(int telling)
{
    MPI_Comm graph;
    int degree = 1, next = (rank + 1) % size;
    if (telling) {
        tell_blocked(telling, "MPI_Dist_graph_create", NULL);
    } else {
        MPI_Dist_graph_create(kept.ocean, 1, &rank, &degree, &next, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
        MPI_Comm_free(&graph);
    }
}

static void in_intercomm_create(int telling)
{
    MPI_Comm inter;
    if (telling) {
        tell_blocked(telling, "MPI_Intercomm_create", NULL);
    } else {
        MPI_Intercomm_create(halves, 0, kept.ocean, rank == last ? 0 : last, 115, &inter);
        MPI_Comm_free(&inter);
    }
}

static void in_win_allocate(int telling)
{
    MPI_Win win;
    void *base;
    if (telling) {
        tell_blocked(telling, "MPI_Win_allocate", NULL);
    } else {
        MPI_Win_allocate(64, 1, MPI_INFO_NULL, kept.ocean, &base, &win);
        MPI_Win_free(&win);
    }
}

static void in_win_create(int telling)
{
    MPI_Win win;
    if (telling) {
        tell_blocked(telling, "MPI_Win_create", NULL);
    } else {
        MPI_Win_create(numbers, sizeof numbers, 1, MPI_INFO_NULL, kept.ocean, &win);
        MPI_Win_free(&win);
    }
}

static void in_win_fence(int telling)
{
    if (telling) {
        tell_blocked(telling, "MPI_Win_fence", NULL);
    } else {
        MPI_Win_fence(0, shared);
        MPI_Win_fence(MPI_MODE_NOSUCCEED, shared);
    }
}

/* The last rank has locked its part of the window. */
static void in_win_lock(int telling)
{
    if (telling) {
        tell_blocked(telling, "MPI_Win_lock", NULL);
    } else if (rank == last) {
        MPI_Win_unlock(last, shared);
        MPI_Barrier(kept.ocean); /* some libraries lock a window only while its owner is in a call */
    } else {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, last, 0, shared);
        MPI_Put(numbers, 1, MPI_INT, last, 0, 1, MPI_INT, shared);
        MPI_Win_unlock(last, shared);
        MPI_Barrier(kept.ocean);
    }
}

static void in_win_wait(int telling)
{
    MPI_Group world, other;
    int ranks[] = {0, last};
    if (telling) {
        tell_blocked(telling, "MPI_Win_wait", NULL);
        return;
    }
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    if (rank == last) {
        MPI_Group_incl(world, 1, &ranks[0], &other);
        MPI_Win_start(other, 0, shared);
        MPI_Put(numbers, 1, MPI_INT, 0, 0, 1, MPI_INT, shared);
        MPI_Win_complete(shared);
        MPI_Group_free(&other);
    } else if (rank == 0) {
        MPI_Group_incl(world, 1, &ranks[1], &other);
        MPI_Win_post(other, 0, shared);
        MPI_Win_wait(shared);
        MPI_Group_free(&other);
    }
    MPI_Group_free(&world);
    MPI_Barrier(kept.ocean);
}

static void in_file_open(int telling)
{
    MPI_File file;
    char path[100];
    int leader = rank == 0 ? (int)getpid() : 0;
    if (telling) {
        tell_blocked(telling, "MPI_File_open", NULL);
        return;
    }
    MPI_Allreduce(MPI_IN_PLACE, &leader, 1, MPI_INT, MPI_SUM, kept.ocean);
    snprintf(path, sizeof path, "/tmp/mpidbg-blocked-%d-all", leader);
    MPI_File_open(kept.ocean, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_File_close(&file);
}

static const struct {
    const char *name;
    void (*call)(int telling);
} calls[] = {
    {"MPI_Recv", in_recv},
    {"MPI_Recv_from_anybody", in_recv_of_columns_from_anybody},
    {"MPI_Wait", in_wait},
    {"MPI_Waitall", in_waitall},
    {"MPI_Waitany", in_waitany},
    {"MPI_Send", in_send},
    {"MPI_Ssend", in_ssend},
    {"MPI_Sendrecv", in_sendrecv},
    {"MPI_Probe", in_probe},
    {"MPI_Mprobe", in_mprobe},
    {"MPI_Barrier", in_barrier},
    {"MPI_Bcast", in_bcast},
    {"MPI_Allreduce", in_allreduce},
    {"MPI_Ibarrier", in_ibarrier},
    {"MPI_Comm_dup", in_comm_dup},
    {"MPI_Comm_split", in_comm_split},
    {"MPI_Comm_idup", in_comm_idup},
    {"MPI_Cart_create", in_cart_create},
    {"MPI_Dist_graph_create", in_dist_graph_create},
    {"MPI_Intercomm_create", in_intercomm_create},
    {"MPI_Win_create", in_win_create},
    {"MPI_Win_allocate", in_win_allocate},
    {"MPI_Win_fence", in_win_fence},
    {"MPI_Win_lock", in_win_lock},
    {"MPI_Win_wait", in_win_wait},
    {"MPI_File_open", in_file_open},
};

enum { CALLS = sizeof calls / sizeof *calls };

static int is_chosen(int call, int argc, char **argv)
{
    int names = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], calls[call].name) == 0)
            return 1;
        names += argv[i][0] != '-';
    }
    return names == 0;
}

int main(int argc, char **argv)
{
    truth_start(&argc, &argv, &rank, &size);
    last = size - 1;
    make_kept(rank, size);
    MPI_Win_create(numbers, sizeof numbers, sizeof numbers[0], MPI_INFO_NULL, kept.ocean, &shared);
    MPI_Win_set_name(shared, "shared");
    MPI_Comm_split(kept.ocean, rank == last, rank, &halves);

    void (*chosen[CALLS])(int telling);
    int count = 0;
    for (int i = 0; i < CALLS; i++)
        if (is_chosen(i, argc, argv))
            chosen[count++] = calls[i].call;
    tell_kept(rank, size);
    for (int i = 0; rank != last && i < count; i++)
        chosen[i](i + 1);
    MPI_Barrier(MPI_COMM_WORLD);
    say_blocking();

    for (int i = 0; i < count; i++) {
        if (chosen[i] == in_win_lock) {
            if (rank == last)
                MPI_Win_lock(MPI_LOCK_EXCLUSIVE, last, 0, shared);
            MPI_Barrier(kept.ocean);
        }
        if (rank == last)
            wait_for_signal(); /* stop: elsewhere */
        blocked_step = i + 1;
        chosen[i](0); /* stop: about to wait */
        blocked_step = 0;
    }
    MPI_Comm_free(&halves);
    MPI_Win_free(&shared);
    free_kept();
    MPI_Finalize();
    return 0;
}
