/* Ranks that read windows in loops, of which some wait for what never comes, and some work: windows CASE */
#include "cases.h"

static MPI_Win win;
static int *own;
static const int free_now = 0, taken = 1, step = 1;

/* One part for each rank, of a few numbers that are 0. */
static void allocate(const char *name)
{
    MPI_Win_allocate(64, sizeof(int), MPI_INFO_NULL, WORLD, &own, &win);
    MPI_Win_set_name(win, name);
    memset(own, 0, 64);
    begin();
}

static int fetched(int target)
{
    int value;
    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win);
    MPI_Get(&value, 1, MPI_INT, target, 0, 1, MPI_INT, win);
    MPI_Win_unlock(target, win);
    return value;
}

static void await_flag(void) { while (fetched(0) == 0) sched_yield(); }

/* Nobody sets the flag. */
static void remote_flag(void)
{
    allocate("flags");
    if (rank != 0) await_flag();
    MPI_Barrier(WORLD);
}

static void acquire(void)
{
    int was = 1;
    while (was != 0) {
        MPI_Compare_and_swap(&taken, &free_now, &was, MPI_INT, 0, 0, win);
        MPI_Win_flush(0, win);
    }
}
/* Who has the lock waits for those that want it. */
static void own_lock(void)
{
    allocate("mutex");
    MPI_Win_lock_all(0, win);
    if (rank == 1) acquire();
    MPI_Barrier(WORLD);
    if (rank != 1) acquire();
    MPI_Barrier(WORLD);
}

/* One keeps its lock of the window while it asks, and all others wait for that lock. */
static void asks_under_lock(void)
{
    int value = 0;
    allocate("flags");
    if (rank == 1) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Barrier(WORLD);
    if (rank == 1) while (value == 0) { MPI_Get(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win); MPI_Win_flush(0, win); }
    else MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    MPI_Barrier(WORLD);
}

/* Every number that is fetched is work. */
static void work_counter(void)
{
    allocate("next");
    MPI_Win_lock_all(0, win);
    for (int next = 0; next < 2000000000;) {
        MPI_Fetch_and_op(&step, &next, MPI_INT, 0, 0, MPI_SUM, win);
        MPI_Win_flush(0, win);
    }
    MPI_Barrier(WORLD);
}

/* Two pass a turn to each other, as others wait for them. */
static void turns(void)
{
    allocate("turn");
    MPI_Win_lock_all(0, win);
    for (int turn = 0; rank < 2 && turn < 1000000000; turn++) {
        int seen = -1, next = turn + 1;
        while (seen != turn) {
            if (turn % 2 != rank) break;
            MPI_Fetch_and_op(NULL, &seen, MPI_INT, 0, 0, MPI_NO_OP, win);
            MPI_Win_flush(0, win);
        }
        if (turn % 2 == rank) MPI_Accumulate(&next, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_REPLACE, win);
        MPI_Win_flush(0, win);
    }
    MPI_Barrier(WORLD);
}

static const struct named_case cases[] = {
    {"remote_flag", remote_flag},   {"own_lock", own_lock}, {"asks_under_lock", asks_under_lock},
    {"work_counter", work_counter}, {"turns", turns},       {NULL, NULL},
};

int main(int argc, char **argv) { return run_case(argc, argv, cases); }
