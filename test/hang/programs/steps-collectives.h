/*
 * Steps of collective operations, the rooted ones with ROOT: -1 is MPI_ROOT, -2 MPI_PROC_NULL. Those with an i before their name start
 * a request.
 */
static int root_of(int root) { return root == -1 ? MPI_ROOT : root == -2 ? MPI_PROC_NULL : root; }
static int counts[64], places[64];
static MPI_Datatype types[64];

#define COLLECTIVE(name, call)                                  \
    static void step_##name(struct arguments it)                \
    {                                                           \
        (void)it;                                               \
        call;                                                   \
    }
#define BOTH(name, Name, ...)                                   \
    COLLECTIVE(name, MPI_##Name(__VA_ARGS__))                   \
    COLLECTIVE(i##name, MPI_I##name(__VA_ARGS__, next_request()))

COLLECTIVE(barrier, MPI_Barrier(it.comm))
COLLECTIVE(ibarrier, MPI_Ibarrier(it.comm, next_request()))
BOTH(bcast, Bcast, big, count, MPI_INT, root_of(it.a), it.comm)
BOTH(reduce, Reduce, big, big_too, count, MPI_INT, MPI_SUM, root_of(it.a), it.comm)
BOTH(allreduce, Allreduce, big, big_too, count, MPI_INT, MPI_SUM, it.comm)
BOTH(gather, Gather, big, count, MPI_INT, big_too, count, MPI_INT, root_of(it.a), it.comm)
BOTH(gatherv, Gatherv, big, 1, MPI_INT, big_too, counts, places, MPI_INT, root_of(it.a), it.comm)
BOTH(scatter, Scatter, big, count, MPI_INT, big_too, count, MPI_INT, root_of(it.a), it.comm)
BOTH(scatterv, Scatterv, big, counts, places, MPI_INT, big_too, 1, MPI_INT, root_of(it.a), it.comm)
BOTH(allgather, Allgather, big, count, MPI_INT, big_too, count, MPI_INT, it.comm)
BOTH(allgatherv, Allgatherv, big, 1, MPI_INT, big_too, counts, places, MPI_INT, it.comm)
BOTH(alltoall, Alltoall, big, count, MPI_INT, big_too, count, MPI_INT, it.comm)
BOTH(alltoallv, Alltoallv, big, counts, places, MPI_INT, big_too, counts, places, MPI_INT, it.comm)
BOTH(alltoallw, Alltoallw, big, counts, places, types, big_too, counts, places, types, it.comm)
BOTH(scan, Scan, big, big_too, count, MPI_INT, MPI_SUM, it.comm)
BOTH(exscan, Exscan, big, big_too, count, MPI_INT, MPI_SUM, it.comm)
BOTH(reduce_scatter, Reduce_scatter, big, big_too, counts, MPI_INT, MPI_SUM, it.comm)
BOTH(reduce_scatter_block, Reduce_scatter_block, big, big_too, count, MPI_INT, MPI_SUM, it.comm)
BOTH(neighbor_allgather, Neighbor_allgather, big, count, MPI_INT, big_too, count, MPI_INT, it.comm)
BOTH(neighbor_allgatherv, Neighbor_allgatherv, big, 1, MPI_INT, big_too, counts, places, MPI_INT, it.comm)
BOTH(neighbor_alltoall, Neighbor_alltoall, big, count, MPI_INT, big_too, count, MPI_INT, it.comm)
BOTH(neighbor_alltoallv, Neighbor_alltoallv, big, counts, places, MPI_INT, big_too, counts, places, MPI_INT, it.comm)
static MPI_Aint far_places[64];
BOTH(neighbor_alltoallw, Neighbor_alltoallw, big, counts, far_places, types, big_too, counts, far_places, types, it.comm)

#define STEP(name) {#name, step_##name}
#define STEPS(name) STEP(name), STEP(i##name)
static const struct step_call collective_calls[] = {
    STEPS(barrier), STEPS(bcast), STEPS(reduce), STEPS(allreduce), STEPS(gather), STEPS(gatherv), STEPS(scatter),
    STEPS(scatterv), STEPS(allgather), STEPS(allgatherv), STEPS(alltoall), STEPS(alltoallv), STEPS(alltoallw),
    STEPS(scan), STEPS(exscan), STEPS(reduce_scatter), STEPS(reduce_scatter_block), STEPS(neighbor_allgather),
    STEPS(neighbor_allgatherv), STEPS(neighbor_alltoall), STEPS(neighbor_alltoallv), STEPS(neighbor_alltoallw),
    {NULL, NULL},
};
