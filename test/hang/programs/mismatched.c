/* Members call one operation, and do not agree on who exchanges what: then they go to a barrier on the same communicator. */
#include "cases.h"

enum { most = 4, few = 4, many = 100000 };
static int gives[most], takes[most], places[most], count = few;
static MPI_Aint far_places[most];
static MPI_Datatype types[most];
static MPI_Comm comm, edges;
static MPI_Request request;

static void wait_for_it(void) { MPI_Wait(&request, IGNORE); }
static void neighbor_allgather(void) { MPI_Neighbor_allgather(big, count, MPI_INT, big_too, count, MPI_INT, comm); }
static void neighbor_allgatherv(void) { MPI_Neighbor_allgatherv(big, count, MPI_INT, big_too, takes, places, MPI_INT, comm); }
static void neighbor_alltoall(void) { MPI_Neighbor_alltoall(big, count, MPI_INT, big_too, count, MPI_INT, comm); }
static void neighbor_alltoallv(void) { MPI_Neighbor_alltoallv(big, gives, places, MPI_INT, big_too, takes, places, MPI_INT, comm); }
static void neighbor_alltoallw(void) { MPI_Neighbor_alltoallw(big, gives, far_places, types, big_too, takes, far_places, types, comm); }
static void alltoallv(void) { MPI_Alltoallv(big, gives, places, MPI_INT, big_too, takes, places, MPI_INT, comm); }
static void alltoallw(void) { MPI_Alltoallw(big, gives, places, types, big_too, takes, places, types, comm); }
static void gatherv(void) { MPI_Gatherv(big, gives[0], MPI_INT, big_too, takes, places, MPI_INT, 0, comm); }
static void scatterv(void) { MPI_Scatterv(big, gives, places, MPI_INT, big_too, takes[1], MPI_INT, 1, comm); }
static void ineighbor_alltoallv(void)
{
    MPI_Ineighbor_alltoallv(big, gives, places, MPI_INT, big_too, takes, places, MPI_INT, comm, &request);
    wait_for_it();
}
static void ialltoallv(void)
{
    MPI_Ialltoallv(big, gives, places, MPI_INT, big_too, takes, places, MPI_INT, comm, &request);
    wait_for_it();
}
static void ialltoallw(void)
{
    MPI_Ialltoallw(big, gives, places, types, big_too, takes, places, types, comm, &request);
    wait_for_it();
}

static const struct named_case calls[] = {
    {"neighbor_allgather", neighbor_allgather}, {"neighbor_allgatherv", neighbor_allgatherv},
    {"neighbor_alltoall", neighbor_alltoall}, {"neighbor_alltoallv", neighbor_alltoallv},
    {"neighbor_alltoallw", neighbor_alltoallw}, {"ineighbor_alltoallv", ineighbor_alltoallv},
    {"alltoallv", alltoallv}, {"alltoallw", alltoallw}, {"gatherv", gatherv}, {"scatterv", scatterv},
    {"ialltoallv", ialltoallv}, {"ialltoallw", ialltoallw}, {NULL, NULL},
};

/* A ring, in which rank 2 has an edge from rank 3 besides that rank 3 does not know; or rank 3 one to rank 2. */
static void make_edges(int is_sent)
{
    const int from[2] = {(rank + size - 1) % size, 3}, to[2] = {(rank + 1) % size, 2};
    const int sources = !is_sent && rank == 2 ? 2 : 1, destinations = is_sent && rank == 3 ? 2 : 1;
    MPI_Dist_graph_create_adjacent(WORLD, sources, from, MPI_UNWEIGHTED, destinations, to, MPI_UNWEIGHTED, MPI_INFO_NULL,
                                   0, &edges);
    MPI_Comm_set_name(edges, "edges");
}

/*
 * mismatched CALL WHAT: awaited_edge | extra_edge: as above, the block of the latter so large that it is sent only when it is asked
 * for; awaited: rank 0 expects a block of rank 1, which gives none; extra: rank 1 gives rank 0 a large one that it does not expect;
 * both: ranks 0 and 1 expect one of each other, and give none.
 */
int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &size);
    const char *what = argv[2];
    const int is_extra = strncmp(what, "extra", 5) == 0, has_edges = strstr(what, "edge") != NULL;
    if (is_extra) count = many;
    for (int i = 0; i < most; i++) {
        gives[i] = takes[i] = count, places[i] = count * i, far_places[i] = 4 * count * i, types[i] = MPI_INT;
    }
    make_edges(is_extra);
    comm = has_edges ? edges : WORLD;
    if (strcmp(what, "awaited") == 0 && rank == 1) gives[0] = 0;
    if (strcmp(what, "extra") == 0 && rank == 0) takes[1] = 0;
    if (strcmp(what, "both") == 0 && rank < 2) gives[1 - rank] = 0;
    begin();
    for (const struct named_case *each = calls; each->name != NULL; each++)
        if (strcmp(each->name, argv[1]) == 0) each->run();
    MPI_Barrier(comm);
    MPI_Finalize();
    return 0;
}
