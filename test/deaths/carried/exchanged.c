/* As carried.c: parts for each process, windows that are read, and processes of two groups. */
enum { N = 40 };
#include "pairs.h"

static MPI_Request request;

/* Rank 0's part for rank 1 has it, in the second number of the type; that for itself has none. */
static void typed(void)
{
    MPI_Datatype type;
    MPI_Type_vector(2, 1, 3, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    begin_with(quiet_nan(), 13);
    const int counts[2] = {1, 1}, places[2] = {0, 10 * sizeof(double)};
    const MPI_Datatype to[2] = {MPI_DOUBLE, type}, from[2] = {me == 0 ? MPI_DOUBLE : type, me == 0 ? MPI_DOUBLE : type};
    if (me == 0)
        MPI_Alltoallw(numbers, counts, places, to, others, counts, places, from, pair); /* gives: typed */
    else
        MPI_Alltoallw(numbers, counts, places, to, others, counts, places, from, pair); /* takes: typed */
    MPI_Type_free(&type);
}

static void later(void)
{
    begin_with(quiet_nan(), 22);
    const int counts[2] = {3, 3}, places[2] = {0, 20};
    MPI_Ialltoallv(numbers, counts, places, MPI_DOUBLE, others, counts, places, MPI_DOUBLE, pair, &request); /* gives: later takes: later */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* What stands where others' parts will come is not given. */
static void in_place(void)
{
    begin_with(1, 0);
    if (me == 0)
        numbers[7] = quiet_nan();
    else
        numbers[2] = quiet_nan();
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, numbers, 5, MPI_DOUBLE, pair); /* passes nothing */
    begin_with(quiet_nan(), 3);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, numbers, 5, MPI_DOUBLE, pair); /* gives: in_place takes: in_place */
}

static MPI_Win window(void)
{
    MPI_Win win;
    MPI_Win_create(numbers, sizeof numbers, sizeof(double), MPI_INFO_NULL, pair, &win);
    return win;
}

static void got(void)
{
    begin_with(quiet_nan(), 4);
    MPI_Win win = window();
    MPI_Win_fence(0, win);
    if (!gives)
        MPI_Get(others, 5, MPI_DOUBLE, 0, 0, 5, MPI_DOUBLE, win); /* takes: got */
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
}

static void requested(void)
{
    begin_with(quiet_nan(), 4);
    MPI_Win win = window();
    MPI_Win_lock_all(0, win);
    if (!gives) {
        MPI_Rget(others, 5, MPI_DOUBLE, 0, 0, 5, MPI_DOUBLE, win, &request); /* takes: requested */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
}

/* With MPI_NO_OP, what would be given is not read. */
static void fetched(void)
{
    double result = 0, given = quiet_nan();
    begin_with(quiet_nan(), 0);
    MPI_Win win = window();
    MPI_Win_lock_all(0, win);
    if (!gives) {
        MPI_Get_accumulate(&given, 1, MPI_DOUBLE, &result, 1, MPI_DOUBLE, 0, 1, 1, MPI_DOUBLE, MPI_NO_OP, win);
        MPI_Win_flush(0, win);
        MPI_Fetch_and_op(&given, &result, MPI_DOUBLE, 0, 0, MPI_NO_OP, win); /* takes: fetched */
        MPI_Win_flush_local(0, win);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
}

static MPI_Comm between(void)
{
    MPI_Comm comm;
    MPI_Intercomm_create(MPI_COMM_SELF, 0, pair, 1 - me, 9, &comm);
    return comm;
}

static void across(void)
{
    MPI_Comm comm = between();
    begin_with(quiet_nan(), 2);
    if (gives)
        MPI_Bcast(numbers, 3, MPI_DOUBLE, MPI_ROOT, comm); /* gives: across */
    else
        MPI_Bcast(numbers, 3, MPI_DOUBLE, 0, comm); /* takes: across */
    MPI_Comm_free(&comm);
}

/* Each group has the other's parts. */
static void both_ways(void)
{
    MPI_Comm comm = between();
    begin_with(quiet_nan(), 2);
    if (gives)
        MPI_Allgather(numbers, 3, MPI_DOUBLE, others, 3, MPI_DOUBLE, comm); /* gives: both_ways */
    else
        MPI_Allgather(numbers, 3, MPI_DOUBLE, others, 3, MPI_DOUBLE, comm); /* takes: both_ways */
    MPI_Comm_free(&comm);
}

static void (*const rows[])(void) = {typed, later, in_place, got, requested, fetched, across, both_ways};
enum { ROWS = sizeof rows / sizeof *rows };

int main(int argc, char **argv)
{
    int own = begin_in_pairs(&argc, &argv);
    /* One after the other: Open MPI 4 gives windows that disjoint communicators make at once the same file. */
    for (int row = 0; row < ROWS; row++) {
        if (own == row)
            rows[row]();
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
