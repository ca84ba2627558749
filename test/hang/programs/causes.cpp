// Hangs whose verdict has to reach the line or the variable that is wrong: causes CASE
#include "cases.h"
extern "C" int store_write(MPI_Comm comm);
#include "wrap/wrap.hpp"
#include <csignal>
#include <stdexcept>

struct Particle {
    double x[3];
    int id;
};

static void wrapped()
{
    wrap::communicator world;
    Particle theirs = {};
    begin();
    if (rank == 0) world.recv(1, 5, theirs); // wrapped: rank 0
    if (rank == 1) world.recv(0, 6, theirs); // wrapped: rank 1
}

static void in_library()
{
    begin();
    if (rank == 1) receive(0, 4, WORLD);
    else store_write(WORLD); // in_library: the others
}

static void sum() { MPI_Allreduce(&rank, &one, 1, MPI_INT, MPI_SUM, WORLD); }

static void at_end() { MPI_Finalize(); }
static void __attribute__((noinline)) read_table()
{
    if (rank == 1) std::exit(3); // exits: here
}
static void exits()
{
    std::atexit(at_end);
    begin();
    read_table();
    sum();
}

struct TableError : std::runtime_error {
    using std::runtime_error::runtime_error;
};
struct Session {
    ~Session() { MPI_Finalize(); }
};
static void __attribute__((noinline)) check_table()
{
    if (rank == 1) throw TableError("no such table");
}
static void __attribute__((noinline)) work()
{
    Session session;
    check_table();
    sum();
}
static void throws()
{
    begin();
    try {
        work();
    } catch (const std::exception &error) {
        std::exit(1);
    }
}

static void on_signal(int number)
{
    MPI_Finalize();
    std::exit(number);
}
static void interrupted()
{
    std::signal(SIGUSR1, on_signal);
    begin();
    if (rank == 1) std::raise(SIGUSR1); // interrupted: here
    sum();
}

static void catches()
{
    begin();
    try {
        check_table();
        sum();
    } catch (const std::exception &error) {
        MPI_Finalize();
        std::exit(1);
    }
}

static int phase = 4;
static bool goes_on = false;
static void ahead()
{
    MPI_Request requests[4];
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    begin();
    if (rank == 1) phase++;
    MPI_Irecv(big, 4, MPI_INT, left, 10 * phase + 1, WORLD, &requests[0]); // ahead: the first
    MPI_Irecv(big + 4, 4, MPI_INT, right, 10 * phase + 2, WORLD, &requests[1]);
    MPI_Isend(four, 4, MPI_INT, right, 10 * phase + 1, WORLD, &requests[2]);
    MPI_Isend(four, 4, MPI_INT, left, 10 * phase + 2, WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    if (!goes_on) return;
    phase = 9; // Only rank 3 comes here: its neighbours agree with it.
    MPI_Irecv(big, 4, MPI_INT, left, 10 * phase + 1, WORLD, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
}

static void further()
{
    goes_on = true;
    ahead();
}

static void own_message()
{
    MPI_Request request;
    begin();
    if (rank == 0) MPI_Isend(four, 1, MPI_INT, 0, 8, WORLD, &request);
    if (rank == 1) receive(0, 8, WORLD);
    MPI_Barrier(WORLD);
}

static void both_differ()
{
    MPI_Comm halo = duplicate("halo");
    begin();
    if (rank == 0) send_now(1, 9, halo);
    if (rank == 1) receive(0, 8, WORLD);
    MPI_Barrier(WORLD);
}

static void not_started()
{
    MPI_Request requests[2];
    MPI_Recv_init(four, 1, MPI_INT, (rank + 1) % size, 4, WORLD, &requests[0]);
    MPI_Send_init(four + 8, 1, MPI_INT, (rank + size - 1) % size, 4, WORLD, &requests[1]);
    begin();
    MPI_Startall(rank == 1 ? 1 : 2, requests);
    if (rank != 1) MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Barrier(WORLD);
}

static void copies()
{
    MPI_Comm ours, theirs;
    MPI_Comm_dup(WORLD, &ours);
    MPI_Comm_dup(WORLD, &theirs);
    begin();
    MPI_Barrier(rank == 1 ? theirs : ours);
}

static void any_of()
{
    MPI_Request requests[3];
    int index;
    begin();
    if (rank == 1) {
        MPI_Irecv(four, 1, MPI_INT, 0, 3, WORLD, &requests[0]);
        MPI_Irecv(four, 1, MPI_INT, 2, 3, WORLD, &requests[1]);
        MPI_Irecv(four + 1, 1, MPI_INT, 3, 3, WORLD, &requests[2]);
        // The first time one comes: a null handle is left.
        for (int i = 0; i < 2; i++) MPI_Waitany(3, requests, &index, IGNORE);
    }
    if (rank == 3) send_now(1, 3, WORLD);
    MPI_Barrier(WORLD);
}

/* Each thread of rank 0 would end what the other one waits for. */
static pthread_mutex_t own_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t is_locked;
static void *sends_locked(void *)
{
    pthread_barrier_wait(&is_locked);
    pthread_mutex_lock(&own_lock); // locked: here
    send_now(1, 4, WORLD);
    return NULL;
}
static void locked()
{
    pthread_t sender;
    begin();
    if (rank == 0) {
        pthread_barrier_init(&is_locked, NULL, 2);
        pthread_create(&sender, NULL, sends_locked, NULL);
        pthread_mutex_lock(&own_lock);
        pthread_barrier_wait(&is_locked);
        receive(1, 4, WORLD);
    }
    if (rank == 1) receive(0, 4, WORLD);
    MPI_Barrier(WORLD);
}

/* All partitions are ready, but the tags differ. */
static void announced()
{
#if MPI_VERSION >= 4
    MPI_Request request = MPI_REQUEST_NULL;
    if (rank == 0) MPI_Psend_init(big, 4, 100, MPI_INT, 1, 3, WORLD, MPI_INFO_NULL, &request);
    if (rank == 1) MPI_Precv_init(big, 4, 100, MPI_INT, 0, 4, WORLD, MPI_INFO_NULL, &request);
    begin();
    if (rank < 2) MPI_Start(&request);
    if (rank == 0) MPI_Pready_range(0, 3, request);
    MPI_Wait(&request, IGNORE);
    MPI_Barrier(WORLD);
#endif
}

/* One gives less than the others take: MPICH's ring stands still, Open MPI ends the job. */
static void less()
{
    int count = rank == 1 ? 1 : 20000;
    begin();
    MPI_Allgather(big, count, MPI_DOUBLE, big_too, count, MPI_DOUBLE, WORLD); // less: all
}

/* Other counts have made another tree: the roots are equal. */
static void more()
{
    int count = rank == 2 ? 400000 : 100;
    begin();
    MPI_Bcast(big, count, MPI_INT, 0, WORLD);
    sum();
}

/* Others have been through it: rank 2 is the one to look at. */
static void gather_skipped()
{
    begin();
    if (rank != 2) MPI_Gather(big, 100000, MPI_INT, big_too, 100000, MPI_INT, 0, WORLD);
    sum();
}
/* Between ranks 0-1 and 2-3: rank 2 gives rank 0 nothing, and goes on to an operation of all. */
static void left_between_groups()
{
    MPI_Comm half, between;
    MPI_Comm_split(WORLD, rank / 2, rank, &half);
    MPI_Intercomm_create(half, 0, WORLD, rank < 2 ? 2 : 0, 3, &between);
    const int gives[2] = {rank == 2 ? 0 : 1, 1}, takes[2] = {1, 1}, places[2] = {0, 1};
    MPI_Request request;
    begin();
    MPI_Ialltoallv(big, gives, places, MPI_INT, big_too, takes, places, MPI_INT, between, &request);
    MPI_Wait(&request, IGNORE);
    MPI_Barrier(WORLD);
}
static void bcast_skipped()
{
    begin();
    if (rank != 2) MPI_Bcast(four, 4, MPI_INT, 0, WORLD);
    sum();
}
static void bcast_met_by_receive()
{
    begin();
    if (rank == 3) receive(0, 0, WORLD);
    MPI_Bcast(four, 4, MPI_INT, 0, WORLD);
    sum();
}
static void reduce_root()
{
    static int root = 0;
    begin();
    if (rank == 3) root = 3;
    MPI_Reduce(big, big_too, 100000, MPI_INT, MPI_SUM, root, WORLD); // reduce_root: here
    sum();
}

static void on_terminate()
{
    MPI_Finalize();
    std::abort();
}
static void __attribute__((noinline)) terminates()
{
    std::set_terminate(on_terminate);
    begin();
    if (rank == 1) throw TableError("no such table"); // terminates: here
    sum();
}

/* Each takes from itself, and gives to the next. */
static void own_edge()
{
    MPI_Comm graph;
    int source = rank, next = (rank + 1) % size, weight = 1;
    MPI_Dist_graph_create_adjacent(WORLD, 1, &source, &weight, 1, &next, &weight, MPI_INFO_NULL, 0, &graph);
    MPI_Comm_set_name(graph, "graph");
    begin();
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, four, 1, MPI_INT, graph); // own_edge: here
}

/* With MPICH, ranks 2 and 3 leave MPI_Comm_disconnect. */
static void disconnects()
{
    MPI_Comm mine;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Comm_dup(WORLD, &mine);
    MPI_Comm_set_name(mine, "mine");
    begin();
    if (rank == 0) MPI_Ssend_init(&one, 1, MPI_INT, 1, 44, mine, &request);
    if (rank == 1) MPI_Recv_init(four, 1, MPI_INT, 0, 44, mine, &request);
    if (rank == 0) MPI_Start(&request);
    if (rank == 0) MPI_Wait(&request, IGNORE); // disconnects: rank 0
    MPI_Comm_disconnect(&mine);                // disconnects: rank 1
}

static const named_case cases[] = {
    {"wrapped", wrapped},
    {"in_library", in_library},
    {"exits", exits},
    {"throws", throws},
    {"interrupted", interrupted},
    {"terminates", terminates},
    {"catches", catches},
    {"ahead", ahead},
    {"further", further},
    {"own_message", own_message},
    {"both_differ", both_differ},
    {"not_started", not_started},
    {"copies", copies},
    {"any_of", any_of},
    {"locked", locked},
    {"announced", announced},
    {"less", less},
    {"more", more},
    {"gather_skipped", gather_skipped},
    {"left_between_groups", left_between_groups},
    {"bcast_skipped", bcast_skipped},
    {"bcast_met_by_receive", bcast_met_by_receive},
    {"reduce_root", reduce_root},
    {"own_edge", own_edge},
    {"disconnects", disconnects},
    {NULL, NULL},
};

int main(int argc, char **argv) { return run_case(argc, argv, cases); }
