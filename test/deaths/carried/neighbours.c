/* As carried.c: blocks of neighbours, and arrays that are dealt to processes. */
enum { N = 40 };
#include "pairs.h"

static MPI_Request request;

/* In a line of two, whose ends have no further neighbour: what stands in those blocks neither goes nor comes. */
static MPI_Comm line(void)
{
    MPI_Comm comm;
    MPI_Cart_create(pair, 1, (int[]){2}, (int[]){0}, 0, &comm);
    return comm;
}

/* The first process sends to the second, and has nothing from it. */
static MPI_Comm arrow(void)
{
    MPI_Comm comm;
    const int other = 1 - me;
    MPI_Dist_graph_create_adjacent(pair, !gives, &other, MPI_UNWEIGHTED, gives, &other, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
    return comm;
}

/* A NaN in the block of no neighbour, on both sides, and behind all blocks. */
static void begin_with_gaps(int at)
{
    begin_with(quiet_nan(), at);
    const int nowhere = gives ? 0 : 5;
    numbers[nowhere + 1] = others[nowhere + 1] = others[20] = quiet_nan();
}

static void each_block(void)
{
    MPI_Comm comm = line();
    begin_with_gaps(7);
    MPI_Neighbor_alltoall(numbers, 5, MPI_DOUBLE, others, 5, MPI_DOUBLE, comm); /* gives: each_block takes: each_block */
    MPI_Comm_free(&comm);
}

static void one_to_all(void)
{
    MPI_Comm comm = line();
    begin_with(quiet_nan(), 3);
    others[gives ? 0 : 5] = quiet_nan();
    MPI_Ineighbor_allgather(numbers, 5, MPI_DOUBLE, others, 5, MPI_DOUBLE, comm, &request); /* gives: one_to_all takes: one_to_all */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&comm);
}

static void directed(void)
{
    MPI_Comm comm = arrow();
    begin_with(quiet_nan(), 12);
    if (!gives)
        numbers[12] = quiet_nan();
    MPI_Neighbor_alltoallv(numbers, (int[]){3}, (int[]){10}, MPI_DOUBLE, others, (int[]){3}, (int[]){4}, MPI_DOUBLE, comm); /* gives: directed takes: directed */
    MPI_Comm_free(&comm);
}

static void typed(void)
{
    MPI_Comm comm = arrow();
    MPI_Datatype column;
    MPI_Type_vector(3, 1, 4, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    begin_with(quiet_nan(), 14);
    MPI_Aint from[1] = {10 * sizeof(double)}, to[1] = {2 * sizeof(double)};
    MPI_Neighbor_alltoallw(numbers, (int[]){1}, from, &column, others, (int[]){1}, to, &column, comm); /* gives: typed takes: typed */
    MPI_Type_free(&column);
    MPI_Comm_free(&comm);
}

static void gathered(void)
{
    MPI_Comm comm;
    MPI_Graph_create(pair, 2, (int[]){1, 2}, (int[]){1, 0}, 0, &comm);
    begin_with(quiet_nan(), 1);
    MPI_Neighbor_allgatherv(numbers, 2, MPI_DOUBLE, others, (int[]){2}, (int[]){6}, MPI_DOUBLE, comm); /* gives: gathered takes: gathered */
    MPI_Comm_free(&comm);
}

/* Nobody is there. */
static void alone(void)
{
    MPI_Comm comm;
    begin_with(quiet_nan(), 0);
    others[0] = quiet_nan();
    MPI_Cart_create(MPI_COMM_SELF, 2, (int[]){1, 1}, (int[]){0, 0}, 0, &comm);
    MPI_Neighbor_allgather(numbers, 1, MPI_DOUBLE, others, 1, MPI_DOUBLE, comm); /* passes nothing */
    MPI_Neighbor_alltoall(numbers, 1, MPI_DOUBLE, others, 1, MPI_DOUBLE, comm); /* passes nothing */
    MPI_Comm_free(&comm);
}

/* The part of an array that the second of two processes has. */
static MPI_Datatype dealt(int distribution, int argument, int order)
{
    MPI_Datatype type;
    MPI_Type_create_darray(2, 1, 2, (int[]){4, 6}, (int[]){MPI_DISTRIBUTE_NONE, distribution}, (int[]){MPI_DISTRIBUTE_DFLT_DARG, argument}, (int[]){1, 2}, order, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    return type;
}

/* Where MPI itself finds the numbers of a type that are in each place of an array. */
static int place_in(MPI_Datatype type, int ordinal)
{
    int count, at = 0;
    double all[N], packed[N];
    for (int i = 0; i < N; i++)
        all[i] = i;
    MPI_Pack_size(1, type, MPI_COMM_SELF, &count);
    MPI_Sendrecv(all, 1, type, 0, 1, packed, N, MPI_DOUBLE, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    at = (int)packed[ordinal];
    return at;
}

/* One that is no part of it has a NaN first, and nothing is passed; then the last that is. */
static void sent_as(MPI_Datatype type, int out_of_it, int numbers_of_type)
{
    MPI_Request requests[2];
    begin_with(quiet_nan(), out_of_it);
    if (gives)
        MPI_Send(numbers, 1, type, 1, 20, pair); /* passes nothing */
    else
        MPI_Recv(others, 1, type, 0, 20, pair, MPI_STATUS_IGNORE); /* passes nothing */
    begin_with(quiet_nan(), place_in(type, numbers_of_type - 1));
    if (gives)
        MPI_Isend(numbers, 1, type, 1, 21, pair, requests); /* gives: dealt */
    else
        MPI_Irecv(others, 1, type, 0, 21, pair, requests); /* takes: dealt */
    MPI_Waitall(1, requests, MPI_STATUSES_IGNORE);
    MPI_Type_free(&type);
}

static void in_blocks(void)
{
    sent_as(dealt(MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_DFLT_DARG, MPI_ORDER_C), 2, 12);
}

static void in_turns(void)
{
    sent_as(dealt(MPI_DISTRIBUTE_CYCLIC, 2, MPI_ORDER_FORTRAN), 4 * 1, 8);
}

static void (*const rows[])(void) = {each_block, one_to_all, directed, typed, gathered, alone, in_blocks, in_turns};
enum { ROWS = sizeof rows / sizeof *rows };

int main(int argc, char **argv)
{
    int own = begin_in_pairs(&argc, &argv);
    if (own < ROWS)
        rows[own]();
    MPI_Finalize();
    return 0;
}
