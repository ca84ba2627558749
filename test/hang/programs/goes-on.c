/* Programs that look like hangs and go on, for as long as anybody looks. */
#include "cases.h"
#include <semaphore.h>
#include <signal.h>
#include <time.h>

static volatile int keep_busy = 1;
static volatile double sum;

static void compute(void)
{
    for (long i = 0; i < 3000000; i++) sum += i * 0.5;
}
static void compute_for_ever(void)
{
    while (keep_busy) compute();
}
static void rest(void) { usleep(20000); }
static void sleep_for_ever(void)
{
    while (keep_busy) sleep(1);
}
static int last(void) { return size - 1; }
static int left(void) { return (rank + last()) % size; }
static int right(void) { return (rank + 1) % size; }
static void allreduce(MPI_Comm comm) { MPI_Allreduce(&one, four, 1, MPI_INT, MPI_SUM, comm); }

/* What each step of an endless program does. */
static void slow_in_barrier(void) { rank == 2 ? compute_for_ever() : (void)MPI_Barrier(WORLD); }
static void sleeper(void) { rank == 1 ? sleep_for_ever() : receive(1, 5, WORLD); }
static void slow_in_allreduce(void) { rank == 0 ? compute_for_ever() : allreduce(WORLD); }
static void slow_root(void) { rank == 0 ? sleep_for_ever() : (void)MPI_Bcast(&one, 1, MPI_INT, 0, WORLD); }
static void slow_leaf(void)
{
    if (rank == 3) sleep_for_ever();
    MPI_Gather(&one, 1, MPI_INT, four, 1, MPI_INT, 0, WORLD);
    if (rank != 0) receive(0, 3, WORLD);
}
static void chain(void) { rank == 3 ? compute_for_ever() : receive(rank + 1, 5, WORLD); }
static void slow_receiver(void) { rank == 3 ? sleep_for_ever() : send_met(3, 5, WORLD); }
static void slow_probe(void)
{
    if (rank == 3) sleep_for_ever();
    MPI_Probe(3, MPI_ANY_TAG, WORLD, IGNORE);
}
static void slow_any(void) { rank == 3 ? sleep_for_ever() : receive(MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD); }
static void slow_waitany(void)
{
    MPI_Request requests[2];
    if (rank == 3) sleep_for_ever();
    MPI_Irecv(&four[0], 1, MPI_INT, left(), 5, WORLD, &requests[0]);
    MPI_Irecv(&four[1], 1, MPI_INT, 3, 5, WORLD, &requests[1]);
    MPI_Waitany(2, requests, &one, IGNORE);
}
static void slow_ibarrier(void)
{
    MPI_Request request;
    if (rank == 3) sleep_for_ever();
    MPI_Ibarrier(WORLD, &request);
    MPI_Wait(&request, IGNORE);
}
static void slow_finalize(void)
{
    if (rank == 3) sleep_for_ever();
}
/* The root has gone on, and waits for one that waits for another in between. */
static void root_has_gone(void)
{
    if (rank == 2) sleep_for_ever();
    MPI_Bcast(&one, 1, MPI_INT, 0, WORLD);
    if (rank == 0) receive(3, 1, WORLD);
    else send_now(0, 1, WORLD);
}
static void ping_pong(void)
{
    if (rank > 1) return;
    if (rank == 0) send_now(1, 7, WORLD);
    receive(1 - rank, 7, WORLD);
    if (rank == 1) send_now(0, 7, WORLD);
}
static void big_ping_pong(void)
{
    if (rank > 1) return;
    if (rank == 0) MPI_Send(big, BIG, MPI_INT, 1, 7, WORLD);
    MPI_Recv(big_too, BIG, MPI_INT, 1 - rank, 7, WORLD, IGNORE);
    if (rank == 1) MPI_Send(big, BIG, MPI_INT, 0, 7, WORLD);
}
static void token(void)
{
    if (rank == 0) send_now(right(), 1, WORLD);
    receive(left(), 1, WORLD);
    if (rank != 0) send_now(right(), 1, WORLD);
}
static void ssend_token(void)
{
    if (rank == 0) send_met(right(), 1, WORLD);
    receive(left(), 1, WORLD);
    if (rank != 0) send_met(right(), 1, WORLD);
}
static void shift(void)
{
    MPI_Sendrecv(&four[0], 1, MPI_INT, right(), 1, &four[1], 1, MPI_INT, left(), 1, WORLD, IGNORE);
}
static void pipeline(void)
{
    if (rank > 0) receive(rank - 1, 2, WORLD);
    rest();
    if (rank < last()) send_now(rank + 1, 2, WORLD);
}
static void server(void)
{
    if (rank != 0) {
        rest();
        send_met(0, rank, WORLD);
    } else
        receive(MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD);
}
static void answers(void)
{
    MPI_Status status;
    if (rank == 0) {
        MPI_Recv(&one, 1, MPI_INT, MPI_ANY_SOURCE, 1, WORLD, &status);
        send_now(status.MPI_SOURCE, 2, WORLD);
    } else {
        compute();
        send_now(0, 1, WORLD);
        receive(0, 2, WORLD);
    }
}
static void probing_server(void)
{
    MPI_Status status;
    if (rank != 0) {
        rest();
        send_met(0, rank, WORLD);
        return;
    }
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &status);
    receive(status.MPI_SOURCE, status.MPI_TAG, WORLD);
}
static void halo(void)
{
    MPI_Request requests[4];
    MPI_Irecv(&four[0], 1, MPI_INT, left(), 1, WORLD, &requests[0]);
    MPI_Irecv(&four[1], 1, MPI_INT, right(), 2, WORLD, &requests[1]);
    MPI_Isend(&four[2], 1, MPI_INT, right(), 1, WORLD, &requests[2]);
    MPI_Isend(&four[3], 1, MPI_INT, left(), 2, WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}
static void barriers(void) { MPI_Barrier(WORLD); }
static void allreduces(void) { allreduce(WORLD); }
static void bcasts(void) { MPI_Bcast(big, 1000, MPI_INT, 0, WORLD); }
static void reduces(void)
{
    MPI_Reduce(&one, four, 1, MPI_INT, MPI_SUM, 0, WORLD);
    if (rank == 0) rest();
    MPI_Barrier(WORLD);
}
static void alltoalls(void) { MPI_Alltoall(big, 1000, MPI_INT, big_too, 1000, MPI_INT, WORLD); }
static void scans(void)
{
    MPI_Scan(&one, four, 1, MPI_INT, MPI_SUM, WORLD);
    MPI_Barrier(WORLD);
}
static void mixed(void)
{
    MPI_Barrier(WORLD);
    MPI_Bcast(&one, 1, MPI_INT, 1, WORLD);
    allreduce(WORLD);
    shift();
}
static void dups(void)
{
    MPI_Comm comm = duplicate("short");
    MPI_Comm_free(&comm);
}
static void splits(void)
{
    MPI_Comm comm;
    MPI_Comm_split(WORLD, rank % 2, rank, &comm);
    allreduce(comm);
    MPI_Comm_free(&comm);
}
static MPI_Comm half(void)
{
    static MPI_Comm comm = MPI_COMM_NULL;
    if (comm == MPI_COMM_NULL) MPI_Comm_split(WORLD, rank / 2, rank, &comm);
    return comm;
}
static void halves(void) { allreduce(half()); }
static void slow_half(void)
{
    MPI_Comm comm = half();
    if (rank < 2) allreduce(comm);
    else if (rank == 2) compute_for_ever();
    else MPI_Barrier(comm);
}
static void test_loop(void)
{
    MPI_Request request;
    int done = 0;
    if (rank == 1) sleep_for_ever();
    MPI_Irecv(&one, 1, MPI_INT, 1, 1, WORLD, &request);
    while (!done) MPI_Test(&request, &done, IGNORE);
}
static void iprobe_loop(void)
{
    int done = 0;
    if (rank == 1) sleep_for_ever();
    while (!done) MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &done, IGNORE);
}
static void all_poll(void)
{
    MPI_Request request;
    int done = 0;
    MPI_Ibarrier(WORLD, &request);
    while (!done) MPI_Test(&request, &done, IGNORE);
}
static void *compute_and_send(void *unused)
{
    compute_for_ever();
    send_now((rank + 1) % size, 4, WORLD);
    return unused;
}
static void listener(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, compute_and_send, NULL);
    receive(left(), 4, WORLD);
    pthread_join(thread, NULL);
}
static void *listen(void *unused)
{
    receive(MPI_ANY_SOURCE, 99, WORLD);
    return unused;
}
static void listening_thread(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, listen, NULL);
    compute_for_ever();
}
static sem_t rung;
static void ring(union sigval unused)
{
    (void)unused;
    sem_post(&rung);
}
/* The thread that waits for the time has no code of the program. */
static void timer(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = ring};
    struct itimerspec later = {.it_value = {.tv_sec = 20}};
    timer_t clock;
    if (rank == 1) {
        sem_init(&rung, 0, 0);
        timer_create(CLOCK_MONOTONIC, &event, &clock);
        timer_settime(clock, 0, &later, NULL);
        sem_wait(&rung);
        timer_delete(clock);
    }
    MPI_Barrier(WORLD);
}
/* A lock in memory that ranks share: another process holds it, which computes. */
static void shared_lock(void)
{
    pthread_mutexattr_t shared;
    pthread_mutex_t *lock;
    MPI_Aint bytes;
    MPI_Win win;
    int unit;
    MPI_Win_allocate_shared(rank == 0 ? sizeof *lock : 0, 1, MPI_INFO_NULL, WORLD, &lock, &win);
    MPI_Win_shared_query(win, 0, &bytes, &unit, &lock);
    if (rank == 0) {
        pthread_mutexattr_init(&shared);
        pthread_mutexattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
        pthread_mutex_init(lock, &shared);
        pthread_mutex_lock(lock);
    }
    MPI_Barrier(WORLD);
    if (rank == 0) compute_for_ever();
    if (rank == 1) pthread_mutex_lock(lock);
    MPI_Barrier(WORLD);
}
static void locks(void)
{
    static MPI_Win win = MPI_WIN_NULL;
    if (win == MPI_WIN_NULL) MPI_Win_create(four, sizeof four, 1, MPI_INFO_NULL, WORLD, &win);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win);
    MPI_Win_unlock(0, win);
    if (rank == 0) rest();
}
/* Each in its own window, while rank 0 waits for all: the same calls again and again, and nothing of the program changes. */
static void own_locks(void)
{
    static MPI_Win win = MPI_WIN_NULL;
    int before;
    if (win == MPI_WIN_NULL) MPI_Win_create(four, sizeof four, 1, MPI_INFO_NULL, WORLD, &win);
    if (rank == 0) MPI_Barrier(WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
    MPI_Get_accumulate(&one, 1, MPI_INT, &before, 1, MPI_INT, rank, 0, 1, MPI_INT, MPI_SUM, win);
    MPI_Win_unlock(rank, win);
}
static void fences(void)
{
    static MPI_Win win = MPI_WIN_NULL;
    if (win == MPI_WIN_NULL) MPI_Win_create(four, sizeof four, 1, MPI_INFO_NULL, WORLD, &win);
    MPI_Win_fence(0, win);
    MPI_Put(&one, 1, MPI_INT, right(), 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
}
static void persistent(void)
{
    static MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    if (requests[0] == MPI_REQUEST_NULL) {
        MPI_Recv_init(&four[0], 1, MPI_INT, left(), 1, WORLD, &requests[0]);
        MPI_Send_init(&four[1], 1, MPI_INT, right(), 1, WORLD, &requests[1]);
    }
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}
static void sides(void)
{
    static MPI_Comm both = MPI_COMM_NULL;
    if (both == MPI_COMM_NULL) MPI_Intercomm_create(half(), 0, WORLD, rank < 2 ? 2 : 0, 3, &both);
    MPI_Barrier(both);
}

static const struct named_case steps[] = {
    {"slow_in_barrier", slow_in_barrier}, {"sleeper", sleeper}, {"slow_in_allreduce", slow_in_allreduce},
    {"slow_root", slow_root}, {"slow_leaf", slow_leaf}, {"chain", chain}, {"slow_receiver", slow_receiver},
    {"slow_probe", slow_probe}, {"slow_any", slow_any}, {"slow_waitany", slow_waitany}, {"slow_ibarrier", slow_ibarrier},
    {"slow_finalize", slow_finalize}, {"root_has_gone", root_has_gone}, {"ping_pong", ping_pong},
    {"big_ping_pong", big_ping_pong}, {"token", token}, {"ssend_token", ssend_token}, {"shift", shift},
    {"pipeline", pipeline}, {"server", server}, {"answers", answers}, {"probing_server", probing_server}, {"halo", halo},
    {"barriers", barriers}, {"allreduces", allreduces}, {"bcasts", bcasts}, {"reduces", reduces},
    {"alltoalls", alltoalls}, {"scans", scans}, {"mixed", mixed}, {"dups", dups}, {"splits", splits},
    {"halves", halves}, {"slow_half", slow_half}, {"test_loop", test_loop}, {"iprobe_loop", iprobe_loop},
    {"all_poll", all_poll}, {"listener", listener}, {"listening_thread", listening_thread}, {"locks", locks},
    {"own_locks", own_locks},
    {"fences", fences}, {"persistent", persistent}, {"sides", sides}, {"timer", timer},
    {"shared_lock", shared_lock}, {NULL, NULL},
};

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &size);
    for (const struct named_case *step = steps; step->name != NULL; step++)
        if (argc > 1 && strcmp(step->name, argv[1]) == 0) {
            begin();
            do step->run();
            while (step->run != slow_finalize);
            MPI_Finalize();
            return 0;
        }
    MPI_Abort(WORLD, 2);
}
