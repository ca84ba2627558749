/*
 * windows.c - windows of every sort and in every epoch, to look at in a debugger.
 *
 *     mpirun -n 4 windows              runs and ends
 *     mpirun -n 4 windows --wait &     waits, so that you can try:  mpidbg show created --launcher $!
 *
 * Give it an even number of processes.
 */
#include "truth-win.h"

MPI_Win never_set; /* a global is 0 at the start: no window at all */

static double memory[100];
static int more_memory[11][20];

static void on_win_error(MPI_Win *win, int *code, ...)
{
    (void)win;
    fprintf(stderr, "windows: MPI error %d\n", *code);
}

static MPI_Win make_window(MPI_Comm comm, int part)
{
    MPI_Win win;
    MPI_Win_create(more_memory[part], sizeof more_memory[part], sizeof(int), MPI_INFO_NULL, comm, &win);
    return win;
}

/* The group of one process of a communicator. */
static MPI_Group group_of(MPI_Comm comm, int rank)
{
    MPI_Group all, one;
    MPI_Comm_group(comm, &all);
    MPI_Group_incl(all, 1, &rank, &one);
    MPI_Group_free(&all);
    return one;
}

int main(int argc, char **argv)
{
    int rank, size;
    truth_start_even(&argc, &argv, &rank, &size);
    MPI_Comm ocean, parity;
    MPI_Comm_dup(MPI_COMM_WORLD, &ocean);
    MPI_Comm_set_name(ocean, "ocean");
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &parity);
    const int right = (rank + 1) % size;

    /* Windows of every flavor; of different sizes on each process; empty; without locks; with an error handler */
    MPI_Win created, allocated, dynamic, shared, empty, of_some, without_locks, watched;
    void *base;
    MPI_Win_create(memory, (10 + rank) * sizeof(double), sizeof(double), MPI_INFO_NULL, ocean, &created);
    MPI_Win_set_name(created, "created");
    MPI_Win_allocate(256, 4, MPI_INFO_NULL, ocean, &base, &allocated);
    MPI_Win_create_dynamic(MPI_INFO_NULL, ocean, &dynamic);
    MPI_Win_attach(dynamic, memory, sizeof memory);
    MPI_Comm node; /* those who can share memory: all, one would think, but Debian's MPICH 5.0 thinks each for himself */
    MPI_Comm_split_type(ocean, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
    MPI_Comm_set_name(node, "node");
    MPI_Win_allocate_shared(128, 8, MPI_INFO_NULL, node, &base, &shared);
    MPI_Win_set_name(shared, "shared memory");
    MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, ocean, &empty);
    for (int turn = 0; turn < 2; turn++) { /* Open MPI 4.1 gives both windows the same file when they are made at once */
        if (rank % 2 == turn)
            MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, parity, &of_some);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Info no_locks;
    MPI_Info_create(&no_locks);
    MPI_Info_set(no_locks, "no_locks", "true");
    MPI_Win_create(memory, sizeof memory, 2, no_locks, ocean, &without_locks);
    MPI_Info_free(&no_locks);
    MPI_Errhandler watcher;
    watched = make_window(ocean, 0);
    MPI_Win_create_errhandler(on_win_error, &watcher);
    MPI_Win_set_errhandler(watched, watcher);

    /* In every epoch */
    MPI_Win fenced, fenced_before, locked, locked_shared, locked_all, unlocked, started, completed;
    fenced = make_window(ocean, 1);
    MPI_Win_fence(0, fenced);
    fenced_before = make_window(ocean, 2);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, fenced_before);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, fenced_before);
    locked = make_window(ocean, 3);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, locked);
    MPI_Put(&rank, 1, MPI_INT, right, 0, 1, MPI_INT, locked); /* a lock may be taken only when it is needed */
    MPI_Win_flush(right, locked);
    locked_shared = make_window(ocean, 4);
    MPI_Win_lock(MPI_LOCK_SHARED, right, 0, locked_shared);
    locked_all = make_window(ocean, 5);
    MPI_Win_lock_all(0, locked_all);
    unlocked = make_window(ocean, 6);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, unlocked);
    MPI_Win_unlock(right, unlocked);
    MPI_Win half_unlocked = make_window(ocean, 10), locked_each;
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, half_unlocked);
    MPI_Win_lock(MPI_LOCK_SHARED, right, 0, half_unlocked);
    MPI_Win_unlock(rank, half_unlocked);
    MPI_Win_allocate_shared(64, 8, MPI_INFO_NULL, node, &base, &locked_each);
    int node_size;
    MPI_Comm_size(node, &node_size);
    for (int each = 0; each < node_size; each++)
        MPI_Win_lock(MPI_LOCK_SHARED, each, 0, locked_each);

    /* Even ranks access the memory of the next odd one */
    const int is_even = rank % 2 == 0;
    MPI_Group partner = group_of(ocean, is_even ? rank + 1 : rank - 1);
    started = make_window(ocean, 7);
    completed = make_window(ocean, 8);
    if (is_even) {
        MPI_Win_start(partner, 0, started);
        MPI_Win_start(partner, 0, completed);
        MPI_Win_complete(completed);
    } else {
        MPI_Win_post(partner, 0, started);
        MPI_Win_post(partner, 0, completed);
        MPI_Win_wait(completed);
    }

    /* The same handles in other shapes */
    MPI_Win *pointer = &allocated;
    MPI_Win family[3] = {created, MPI_WIN_NULL, locked};
    MPI_Fint fortran_shared = MPI_Win_c2f(shared);

    truth_win("MPI_WIN_NULL", MPI_WIN_NULL, (struct truth_win){0});
    truth_win("created", created, (struct truth_win){.comm = ocean});
    truth_win("allocated", allocated, (struct truth_win){.comm = ocean});
    truth_win("dynamic", dynamic, (struct truth_win){.comm = ocean});
    truth_win("shared", shared, (struct truth_win){.comm = node});
    truth_win("empty", empty, (struct truth_win){.comm = ocean});
    truth_win("of_some", of_some, (struct truth_win){.comm = parity});
    truth_win("without_locks", without_locks, (struct truth_win){.comm = ocean, .has_no_locks = 1});
    truth_win("watched", watched, (struct truth_win){.comm = ocean});

    truth_win("fenced", fenced,
              (struct truth_win){.comm = ocean, .access = "fence", .exposure = "fence", .last_sync = "fence"});
    truth_win("fenced_before", fenced_before, (struct truth_win){.comm = ocean, .last_sync = "fence"});
    truth_win("locked", locked, (struct truth_win){.comm = ocean, .access = "lock", .last_sync = "lock"});
    truth_win("locked_shared", locked_shared, (struct truth_win){.comm = ocean, .access = "lock", .last_sync = "lock"});
    truth_win("locked_all", locked_all, (struct truth_win){.comm = ocean, .access = "lockAll", .last_sync = "lock"});
    truth_win("unlocked", unlocked, (struct truth_win){.comm = ocean, .last_sync = "unlock"});
    truth_win("half_unlocked", half_unlocked, (struct truth_win){.comm = ocean, .access = "lock", .last_sync = "unlock"});
    truth_win("locked_each", locked_each, (struct truth_win){.comm = node, .access = "lock", .last_sync = "lock"});
    if (is_even) {
        truth_win("started", started, (struct truth_win){.comm = ocean, .access = "start", .last_sync = "start"});
        truth_win("completed", completed, (struct truth_win){.comm = ocean, .last_sync = "complete"});
    } else {
        truth_win("started", started, (struct truth_win){.comm = ocean, .exposure = "post", .last_sync = "post"});
        truth_win("completed", completed, (struct truth_win){.comm = ocean, .last_sync = "wait"});
    }
    truth_win("pointer", *pointer, (struct truth_win){.comm = ocean});
    truth_win("family[0]", family[0], (struct truth_win){.comm = ocean});
    truth_win("family[1]", family[1], (struct truth_win){0});
    truth_win("win.f:fortran_shared", MPI_Win_f2c(fortran_shared), (struct truth_win){.comm = node});

    /* What is no window (any more). Freed last of all, so that nothing takes its place */
    MPI_Win a_datatype = (MPI_Win)MPI_INT, short_lived = make_window(ocean, 9), freed = short_lived;
    MPI_Win_free(&short_lived);
    truth_bad_handle("never_set", "win", TRUTH_HANDLE(never_set), "MPIDBG_ERR_NOT_FOUND");
    truth_bad_handle("a_datatype", "win", TRUTH_HANDLE(a_datatype), "MPIDBG_ERR_NOT_FOUND");
    truth_bad_handle("freed", "win", TRUTH_HANDLE(freed), "MPIDBG_ERR_NOT_FOUND");

    memory[0] = rank; /* stop: all windows made */
    wait_for_debugger();

    if (is_even)
        MPI_Win_complete(started);
    else
        MPI_Win_wait(started);
    MPI_Win_unlock(right, locked);
    MPI_Win_unlock(right, locked_shared);
    MPI_Win_unlock(right, half_unlocked);
    for (int each = 0; each < node_size; each++)
        MPI_Win_unlock(each, locked_each);
    MPI_Win_unlock_all(locked_all);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, fenced);
    MPI_Win_detach(dynamic, memory);
    MPI_Errhandler_free(&watcher);
    MPI_Group_free(&partner);
    MPI_Win *made[] = {&created, &allocated, &dynamic, &shared, &empty, &of_some, &without_locks, &watched,
                       &fenced, &fenced_before, &locked, &locked_shared, &locked_all, &unlocked, &started, &completed,
                       &half_unlocked, &locked_each};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        MPI_Win_free(made[i]);
    MPI_Comm_free(&ocean);
    MPI_Comm_free(&parity);
    MPI_Comm_free(&node);
    MPI_Finalize();
    return 0;
}
