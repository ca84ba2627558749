/*
 * Each two ranks, 2n and 2n + 1, do what row n of the table says: the first has the NaN, or whatever it is, and the second gets it. Lines with
 * "gives: NAME" and "takes: NAME" are those where the calls are.
 */
#include <stddef.h>
#include <stdio.h>

enum { N = 3000 };
#include "pairs.h"

static void plain(void)
{
    begin_with(quiet_nan(), 2999);
    if (gives)
        MPI_Send(numbers, N, MPI_DOUBLE, 1, 7, pair); /* gives: plain */
    else
        MPI_Recv(numbers, N, MPI_DOUBLE, 0, 7, pair, MPI_STATUS_IGNORE); /* takes: plain */
}

static void any_source(void)
{
    MPI_Status status;
    begin_with(quiet_nan(), 1);
    if (gives)
        MPI_Ssend(numbers, 2, MPI_DOUBLE, 1, 8, pair); /* gives: any */
    else
        MPI_Recv(numbers, N, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, pair, &status); /* takes: any */
}

static void single(void)
{
    float few[3] = {1, 2, 3};
    if (gives)
        few[2] = (float)quiet_nan();
    MPI_Request request;
    if (gives) {
        MPI_Isend(few, 3, MPI_FLOAT, 1, 9, pair, &request); /* gives: single */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Irecv(few, 3, MPI_FLOAT, 0, 9, pair, &request); /* takes: single */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

static void column(void)
{
    MPI_Datatype type;
    MPI_Request request;
    MPI_Type_vector(30, 1, 100, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    begin_with(quiet_nan(), 2900);
    if (gives)
        MPI_Isend(numbers, 1, type, 1, 10, pair, &request); /* gives: column */
    else
        MPI_Irecv(others, 1, type, 0, 10, pair, &request); /* takes: column */
    MPI_Type_free(&type);
    int is_done = 0;
    while (!is_done)
        MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
}

struct cell { int key; double value; float weight; };
static void cells(void)
{
    struct cell all[4];
    const int lengths[3] = {1, 1, 1};
    const MPI_Aint places[3] = {offsetof(struct cell, key), offsetof(struct cell, value), offsetof(struct cell, weight)};
    const MPI_Datatype types[3] = {MPI_INT, MPI_DOUBLE, MPI_FLOAT};
    MPI_Datatype packed, type;
    memset(all, 0, sizeof all);
    MPI_Type_create_struct(3, lengths, places, types, &packed);
    MPI_Type_create_resized(packed, 0, sizeof(struct cell), &type);
    MPI_Type_commit(&type);
    if (gives)
        all[3].weight = (float)quiet_nan();
    if (gives)
        MPI_Send(all, 4, type, 1, 11, pair); /* gives: cells */
    else
        MPI_Recv(all, 4, type, 0, 11, pair, MPI_STATUS_IGNORE); /* takes: cells */
}

static void block(void)
{
    const int sizes[2] = {50, 60}, parts[2] = {10, 5}, starts[2] = {20, 55};
    MPI_Datatype type;
    MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    begin_with(quiet_nan(), 29 * 60 + 59);
    if (gives)
        MPI_Send(numbers, 1, type, 1, 12, pair); /* gives: block */
    else
        MPI_Recv(numbers, 1, type, 0, 12, pair, MPI_STATUS_IGNORE); /* takes: block */
}

static void replaced(void)
{
    begin_with(quiet_nan(), 5);
    MPI_Sendrecv_replace(numbers, 10, MPI_DOUBLE, 1 - me, 13, 1 - me, 13, pair, MPI_STATUS_IGNORE); /* gives: replaced takes: replaced */
}

static void reduced(void)
{
    begin_with(quiet_nan(), 5);
    MPI_Allreduce(MPI_IN_PLACE, numbers, 10, MPI_DOUBLE, MPI_SUM, pair); /* gives: reduced takes: reduced */
}

static void told(void)
{
    begin_with(quiet_nan(), 0);
    MPI_Bcast(numbers, 1, MPI_DOUBLE, 0, pair); /* gives: told takes: told */
}

static void gathered(void)
{
    const int counts[2] = {3, 4}, places[2] = {10, 20};
    begin_with(quiet_nan(), 3);
    MPI_Gatherv(numbers, me == 0 ? 3 : 4, MPI_DOUBLE, others, counts, places, MPI_DOUBLE, 1, pair); /* passes nothing */
    MPI_Gatherv(numbers + 1, me == 0 ? 3 : 4, MPI_DOUBLE, others, counts, places, MPI_DOUBLE, 1, pair); /* gives: gathered takes: gathered */
}

static void later(void)
{
    double sum[2] = {0, 0}, part[2] = {1, gives ? quiet_nan() : 2};
    MPI_Request request;
    MPI_Iallreduce(part, sum, 2, MPI_DOUBLE, MPI_SUM, pair, &request); /* gives: later takes: later */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void put(void)
{
    MPI_Win win;
    begin_with(quiet_nan(), 4);
    MPI_Win_create(others, sizeof others, sizeof(double), MPI_INFO_NULL, pair, &win);
    MPI_Win_fence(0, win);
    if (gives)
        MPI_Put(numbers, 5, MPI_DOUBLE, 1, 0, 5, MPI_DOUBLE, win); /* gives: put */
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
}

static void started(void)
{
    MPI_Request request;
    begin_with(1, 0);
    if (gives)
        MPI_Send_init(numbers, 10, MPI_DOUBLE, 1, 14, pair, &request); /* gives: started */
    else
        MPI_Recv_init(numbers, 10, MPI_DOUBLE, 0, 14, pair, &request); /* takes: started */
    for (int step = 0; step < 2; step++) {
        if (gives && step == 1)
            numbers[9] = quiet_nan();
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
}

static void infinite(void)
{
    begin_with(HUGE_VAL, 4);
    if (gives)
        MPI_Send(numbers, 10, MPI_DOUBLE, 1, 15, pair); /* gives: infinite */
    else
        MPI_Recv(numbers, 10, MPI_DOUBLE, 0, 15, pair, MPI_STATUS_IGNORE); /* takes: infinite */
}

/* What a buffer holds behind its message, and before, has not come. */
static void stale(void)
{
    begin_with(1, 0);
    numbers[10] = gives ? 1 : quiet_nan();
    if (gives)
        MPI_Send(numbers, 10, MPI_DOUBLE, 1, 16, pair);
    else
        MPI_Recv(numbers, N, MPI_DOUBLE, 0, 16, pair, MPI_STATUS_IGNORE);
    MPI_Request request;
    if (gives)
        MPI_Isend(numbers, 10, MPI_DOUBLE, 1, 16, pair, &request);
    else
        MPI_Irecv(numbers, N, MPI_DOUBLE, 0, 16, pair, &request);
    MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
}

/* The bits of a NaN, in what are no floating point numbers. */
static void integers(void)
{
    long words[2] = {-1, -1};
    if (gives)
        MPI_Send(words, 2, MPI_LONG, 1, 17, pair);
    else
        MPI_Recv(words, 2, MPI_LONG, 0, 17, pair, MPI_STATUS_IGNORE);
}

static void packed(void)
{
    char bytes[200];
    int at = 0;
    begin_with(quiet_nan(), 4);
    if (gives) {
        MPI_Pack(numbers, 10, MPI_DOUBLE, bytes, sizeof bytes, &at, pair); /* gives: packed */
        MPI_Send(bytes, at, MPI_PACKED, 1, 18, pair);
    } else {
        MPI_Recv(bytes, sizeof bytes, MPI_PACKED, 0, 18, pair, MPI_STATUS_IGNORE);
        MPI_Unpack(bytes, sizeof bytes, &at, numbers, 10, MPI_DOUBLE, pair); /* takes: packed */
    }
}

/* It has come before the request is completed, and is used by then. */
static void seen(void)
{
    MPI_Request request;
    int is_there = 0;
    begin_with(quiet_nan(), 1);
    if (gives)
        MPI_Send(numbers, 2, MPI_DOUBLE, 1, 19, pair); /* gives: seen */
    else {
        MPI_Irecv(others, N, MPI_DOUBLE, 0, 19, pair, &request); /* takes: seen */
        while (!is_there)
            MPI_Request_get_status(request, &is_there, MPI_STATUS_IGNORE);
        others[1] = 0;
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

static const struct { const char *name; void (*act)(void); } rows[] = {
    {"plain", plain}, {"any", any_source}, {"single", single}, {"column", column}, {"cells", cells}, {"block", block},
    {"replaced", replaced}, {"reduced", reduced}, {"told", told}, {"gathered", gathered}, {"later", later}, {"put", put},
    {"started", started}, {"infinite", infinite}, {"stale", stale}, {"integers", integers},
    {"packed", packed}, {"seen", seen},
};
enum { ROWS = sizeof rows / sizeof *rows };

/* With "rows" it says how many ranks it takes, and what each two of them do. */
int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "rows") == 0) {
        for (int i = 0; i < ROWS; i++)
            puts(rows[i].name);
        return 0;
    }
    int own = begin_in_pairs(&argc, &argv);
    if (own < ROWS)
        rows[own].act();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
