/* Hangs of windows and of threads. */
#include "cases.h"

static MPI_Win win;

static void make_window(void) { MPI_Win_create(four, sizeof four, 1, MPI_INFO_NULL, WORLD, &win); }

static void no_fence(void)
{
    make_window();
    begin();
    if (rank != 3) MPI_Win_fence(0, win);
}

static void lock_held(void)
{
    make_window();
    begin();
    if (rank == 1) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        MPI_Put(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
        MPI_Win_flush(0, win);
        send_now(2, 1, WORLD);
        receive(2, 2, WORLD); /* comes when rank 2 has had the lock */
        MPI_Win_unlock(0, win);
    }
    if (rank == 2) {
        receive(1, 1, WORLD);
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        MPI_Put(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
        MPI_Win_unlock(0, win);
        send_now(1, 2, WORLD);
    }
    MPI_Barrier(WORLD);
}

static void group_of(int other, MPI_Group *group)
{
    MPI_Group all;
    MPI_Comm_group(WORLD, &all);
    MPI_Group_incl(all, 1, &other, group);
}

static void no_post(void)
{
    MPI_Group group;
    make_window();
    group_of(1, &group);
    begin();
    if (rank == 0) {
        MPI_Win_start(group, 0, win);
        MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
        MPI_Win_complete(win);
    }
}

static void no_complete(void)
{
    MPI_Group group;
    make_window();
    group_of(0, &group);
    begin();
    if (rank == 1) {
        MPI_Win_post(group, 0, win);
        MPI_Win_wait(win);
    }
}

static void no_win_free(void)
{
    make_window();
    begin();
    if (rank != 2) MPI_Win_free(&win);
}

static void *receive_two(void *unused)
{
    receive(0, 2, WORLD);
    return unused;
}

/* Both threads of rank 0 wait for messages of rank 0. */
static void own_threads(void)
{
    pthread_t thread;
    begin();
    if (rank != 0) return;
    pthread_create(&thread, NULL, receive_two, NULL);
    receive(0, 1, WORLD);
    pthread_join(thread, NULL);
}

/* The first threads wait for the second ones, at the end of the loop. */
static void team(void)
{
    begin();
    if (rank > 1) return;
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < 2; i++)
        if (i == 1) receive(1 - rank, 1, WORLD);
}

static void *barrier(void *comm)
{
    MPI_Barrier(*(MPI_Comm *)comm);
    return NULL;
}

/* Two threads of rank 3 wait, for each of them another rank is missing. */
static void two_waits(void)
{
    pthread_t thread;
    MPI_Comm other = duplicate("other");
    begin();
    if (rank == 3) pthread_create(&thread, NULL, barrier, &other);
    if (rank == 3) receive(0, 1, WORLD);
    if (rank == 1 || rank == 2) MPI_Barrier(other);
}

static const struct named_case cases[] = {
    {"no_fence", no_fence}, {"lock_held", lock_held}, {"no_post", no_post}, {"no_complete", no_complete},
    {"no_win_free", no_win_free}, {"own_threads", own_threads}, {"two_waits", two_waits}, {"team", team}, {NULL, NULL},
};

int main(int argc, char **argv) { return run_case(argc, argv, cases); }
