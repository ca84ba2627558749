/* As carried.c: persistent collectives, and with MPI 4 partitioned messages and large counts. */
enum { N = 40 };
#include "pairs.h"
#ifdef OPEN_MPI
#include <mpi-ext.h>
#define MPI_Bcast_init MPIX_Bcast_init
#define MPI_Allreduce_init MPIX_Allreduce_init
#define MPI_Allgather_init MPIX_Allgather_init
#define MPI_Alltoallv_init MPIX_Alltoallv_init
#endif

static MPI_Request request;

static void run(void)
{
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* The first time, it carries nothing. */
static void told(void)
{
    begin_with(1, 0);
    MPI_Bcast_init(numbers, 5, MPI_DOUBLE, 0, pair, MPI_INFO_NULL, &request); /* gives: told takes: told */
    run();
    begin_with(quiet_nan(), 4);
    run();
    MPI_Request_free(&request);
}

static void reduced(void)
{
    begin_with(1, 0);
    MPI_Allreduce_init(numbers, others, 5, MPI_DOUBLE, MPI_SUM, pair, MPI_INFO_NULL, &request); /* gives: reduced takes: reduced */
    run();
    begin_with(quiet_nan(), 4);
    run();
    MPI_Request_free(&request);
}

/* The result stands where its own numbers were: the second process gives none. */
static void in_place(void)
{
    begin_with(quiet_nan(), 3);
    MPI_Allreduce_init(MPI_IN_PLACE, numbers, 5, MPI_DOUBLE, MPI_SUM, pair, MPI_INFO_NULL, &request); /* gives: in_place takes: in_place */
    run();
    MPI_Request_free(&request);
}

static void own_block(void)
{
    begin_with(1, 0);
    numbers[gives ? 7 : 2] = quiet_nan();
    MPI_Allgather_init(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, numbers, 5, MPI_DOUBLE, pair, MPI_INFO_NULL, &request); /* gives: own_block takes: own_block */
    run();
    begin_with(quiet_nan(), 3);
    run();
    MPI_Request_free(&request);
}

static void each_block(void)
{
    begin_with(quiet_nan(), 22);
    const int counts[2] = {3, 3}, places[2] = {0, 20};
    MPI_Alltoallv_init(numbers, counts, places, MPI_DOUBLE, others, counts, places, MPI_DOUBLE, pair, MPI_INFO_NULL, &request); /* gives: each_block takes: each_block */
    run();
    MPI_Request_free(&request);
}

#if MPI_VERSION >= 4
/* In the second of four parts, which is ready last. */
static void in_parts(void)
{
    begin_with(quiet_nan(), 6);
    if (gives)
        MPI_Psend_init(numbers, 4, 5, MPI_DOUBLE, 1, 17, pair, MPI_INFO_NULL, &request); /* gives: in_parts */
    else
        MPI_Precv_init(others, 4, 5, MPI_DOUBLE, 0, 17, pair, MPI_INFO_NULL, &request); /* takes: in_parts */
    MPI_Start(&request);
    if (gives) {
        MPI_Pready_range(2, 3, request);
        MPI_Pready_list(1, (int[]){0}, request);
        MPI_Pready(1, request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
}

/* The second of its parts is used before the others are there. */
static void arrived(void)
{
    begin_with(quiet_nan(), 6);
    if (gives)
        MPI_Psend_init(numbers, 4, 5, MPI_DOUBLE, 1, 18, pair, MPI_INFO_NULL, &request); /* gives: arrived */
    else
        MPI_Precv_init(others, 4, 5, MPI_DOUBLE, 0, 18, pair, MPI_INFO_NULL, &request); /* takes: arrived */
    MPI_Start(&request);
    for (int is_there = 0; !gives && !is_there;)
        MPI_Parrived(request, 1, &is_there);
    others[6] = 0;
    if (gives)
        MPI_Pready_range(0, 3, request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
}

/* In MPICH 4.0 the status says neither how much has come nor from whom. */
static void swapped(void)
{
    MPI_Status status;
    begin_with(quiet_nan(), 2);
    MPI_Isendrecv(numbers, 5, MPI_DOUBLE, 1 - me, 19, others, N, MPI_DOUBLE, 1 - me, 19, pair, &request); /* gives: swapped takes: swapped */
    MPI_Wait(&request, &status);
}

static void large(void)
{
    MPI_Datatype column;
    MPI_Type_vector_c(3, 1, 4, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    begin_with(quiet_nan(), 15);
    if (!gives)
        numbers[10] = quiet_nan();
    const MPI_Count counts[2] = {1, 1};
    const MPI_Aint places[2] = {0, 1};
    MPI_Type_create_resized_c(column, 0, 11 * sizeof(double), &column);
    MPI_Type_commit(&column);
    MPI_Alltoallv_c(numbers, counts, places, column, others, counts, places, column, pair); /* gives: large takes: large */
    MPI_Type_free(&column);
}
#endif

static void (*const rows[])(void) = {
    told, reduced, in_place, own_block, each_block,
#if MPI_VERSION >= 4
    in_parts, large, arrived, swapped,
#endif
};
enum { ROWS = sizeof rows / sizeof *rows };

int main(int argc, char **argv)
{
    int own = begin_in_pairs(&argc, &argv);
    if (own < ROWS)
        rows[own]();
    MPI_Finalize();
    return 0;
}
