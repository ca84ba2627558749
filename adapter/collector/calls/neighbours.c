/* neighbours.c - with whom a process exchanges data in the collectives of neighbours, in the order of the buffers' blocks. */
#include <stdlib.h>
#include "watch.h"

struct kinds { int cart, graph, dist_graph; };

static const struct kinds *kinds(void)
{
    static const struct kinds of[] = {[TOLD_OPEN_MPI] = {1, 2, 3}, [TOLD_MPICH] = {2, 1, 3}, [TOLD_STANDARD_ABI] = {211, 212, 213}};
    return &of[mpidbg_flavour()];
}

static int in_grid(uint64_t comm, int **ranks)
{
    int dimensions = 0;
    int (*count)(uint64_t, int *), (*shift)(uint64_t, int, int, int *, int *);
    *(void **)&count = MPI_FUNCTION(MPI_Cartdim_get);
    *(void **)&shift = MPI_FUNCTION(MPI_Cart_shift);
    if (count == NULL || shift == NULL || count(comm, &dimensions) != 0 || dimensions < 0)
        return -1;
    *ranks = calloc(2 * (size_t)dimensions + 1, sizeof **ranks);
    for (int i = 0; *ranks != NULL && i < dimensions; i++)
        if (shift(comm, i, 1, *ranks + 2 * i, *ranks + 2 * i + 1) != 0)
            return -1;
    return *ranks == NULL ? -1 : 2 * dimensions;
}

static int in_graph(uint64_t comm, int **ranks)
{
    int neighbours = 0;
    const int rank = rank_in(comm);
    int (*count)(uint64_t, int, int *), (*get)(uint64_t, int, int, int *);
    *(void **)&count = MPI_FUNCTION(MPI_Graph_neighbors_count);
    *(void **)&get = MPI_FUNCTION(MPI_Graph_neighbors);
    if (rank < 0 || count == NULL || get == NULL || count(comm, rank, &neighbours) != 0 || neighbours < 0)
        return -1;
    *ranks = calloc((size_t)neighbours + 1, sizeof **ranks);
    return *ranks == NULL || get(comm, rank, neighbours, *ranks) != 0 ? -1 : neighbours;
}

static int in_dist_graph(uint64_t comm, bool is_taken, int **ranks)
{
    int in = 0, out = 0, is_weighted = 0;
    int (*count)(uint64_t, int *, int *, int *), (*get)(uint64_t, int, int *, int *, int, int *, int *);
    *(void **)&count = MPI_FUNCTION(MPI_Dist_graph_neighbors_count);
    *(void **)&get = MPI_FUNCTION(MPI_Dist_graph_neighbors);
    if (count == NULL || get == NULL || count(comm, &in, &out, &is_weighted) != 0 || in < 0 || out < 0)
        return -1;
    int *sources = calloc(2 * (size_t)in + 1, sizeof *sources), *destinations = calloc(2 * (size_t)out + 1, sizeof *destinations);
    const bool is_known = sources != NULL && destinations != NULL && get(comm, in, sources, sources + in, out, destinations, destinations + out) == 0;
    *ranks = is_taken ? sources : destinations;
    free(is_taken ? destinations : sources);
    return is_known ? (is_taken ? in : out) : -1;
}

int neighbours_in(uint64_t comm, bool is_taken, int **ranks)
{
    int kind = -1;
    int (*test)(uint64_t, int *);
    *ranks = NULL;
    *(void **)&test = MPI_FUNCTION(MPI_Topo_test);
    if (comm == 0 || test == NULL || test(comm, &kind) != 0)
        return -1;
    if (kind == kinds()->cart)
        return in_grid(comm, ranks);
    if (kind == kinds()->graph)
        return in_graph(comm, ranks);
    return kind == kinds()->dist_graph ? in_dist_graph(comm, is_taken, ranks) : -1;
}
