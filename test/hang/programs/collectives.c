/* Hangs of collective operations. */
#include "cases.h"

static MPI_Comm world_comm; /* WORLD, or another one of all processes */
static int root;
static int counts[64], places[64];

static void barrier(void) { MPI_Barrier(world_comm); }
static void bcast(void) { MPI_Bcast(big, BIG, MPI_INT, root, world_comm); }
static void reduce(void) { MPI_Reduce(big, big_too, BIG, MPI_INT, MPI_SUM, root, world_comm); }
static void allreduce(void) { MPI_Allreduce(&one, four, 1, MPI_INT, MPI_SUM, world_comm); }
static void gather(void) { MPI_Gather(big, BIG / 64, MPI_INT, big_too, BIG / 64, MPI_INT, root, world_comm); }
static void gatherv(void) { MPI_Gatherv(&one, 1, MPI_INT, four, counts, places, MPI_INT, root, world_comm); }
static void scatter(void) { MPI_Scatter(four, 1, MPI_INT, &one, 1, MPI_INT, root, world_comm); }
static void scatterv(void) { MPI_Scatterv(four, counts, places, MPI_INT, &one, 1, MPI_INT, root, world_comm); }
static void allgather(void) { MPI_Allgather(&one, 1, MPI_INT, four, 1, MPI_INT, world_comm); }
static void allgatherv(void) { MPI_Allgatherv(&one, 1, MPI_INT, four, counts, places, MPI_INT, world_comm); }
static void alltoall(void) { MPI_Alltoall(four, 1, MPI_INT, big, 1, MPI_INT, world_comm); }
static void alltoallv(void) { MPI_Alltoallv(four, counts, places, MPI_INT, big, counts, places, MPI_INT, world_comm); }
static void scan(void) { MPI_Scan(&one, four, 1, MPI_INT, MPI_SUM, world_comm); }
static void exscan(void) { MPI_Exscan(&one, four, 1, MPI_INT, MPI_SUM, world_comm); }
static void reduce_scatter(void) { MPI_Reduce_scatter(four, &one, counts, MPI_INT, MPI_SUM, world_comm); }
static void reduce_scatter_block(void) { MPI_Reduce_scatter_block(four, &one, 1, MPI_INT, MPI_SUM, world_comm); }
static void comm_dup(void)
{
    MPI_Comm comm;
    MPI_Comm_dup(world_comm, &comm);
}
static void split(void)
{
    MPI_Comm comm;
    MPI_Comm_split(world_comm, rank % 2, rank, &comm);
}
static void create(void)
{
    MPI_Comm comm;
    MPI_Group group;
    MPI_Comm_group(world_comm, &group);
    MPI_Comm_create(world_comm, group, &comm);
}
static void cart(void)
{
    MPI_Comm comm;
    MPI_Cart_create(world_comm, 1, &size, (int[]){0}, 0, &comm);
}
static void win_create(void)
{
    MPI_Win win;
    MPI_Win_create(four, sizeof four, 4, MPI_INFO_NULL, world_comm, &win);
}
static void file_open(void)
{
    MPI_File file;
    MPI_File_open(world_comm, "/dev/null", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
}
static void wait_for(MPI_Request request) { MPI_Wait(&request, IGNORE); }
static void ibarrier(void)
{
    MPI_Request request;
    MPI_Ibarrier(world_comm, &request);
    wait_for(request);
}
static void iallreduce(void)
{
    MPI_Request request;
    MPI_Iallreduce(&one, four, 1, MPI_INT, MPI_SUM, world_comm, &request);
    wait_for(request);
}
static void ibcast(void)
{
    MPI_Request request;
    MPI_Ibcast(big, BIG, MPI_INT, root, world_comm, &request);
    wait_for(request);
}

static const struct named_case calls[] = {
    {"barrier", barrier}, {"bcast", bcast}, {"reduce", reduce}, {"allreduce", allreduce}, {"gather", gather},
    {"gatherv", gatherv}, {"scatter", scatter}, {"scatterv", scatterv}, {"allgather", allgather},
    {"allgatherv", allgatherv}, {"alltoall", alltoall}, {"alltoallv", alltoallv}, {"scan", scan}, {"exscan", exscan},
    {"reduce_scatter", reduce_scatter}, {"reduce_scatter_block", reduce_scatter_block}, {"dup", comm_dup}, {"split", split},
    {"create", create}, {"cart", cart}, {"win_create", win_create}, {"file_open", file_open}, {"ibarrier", ibarrier},
    {"iallreduce", iallreduce}, {"ibcast", ibcast}, {NULL, NULL},
};

static void call(const char *name)
{
    for (const struct named_case *each = calls; each->name != NULL; each++)
        if (strcmp(each->name, name) == 0) return each->run();
    fprintf(stderr, "no such call: %s\n", name);
    MPI_Abort(WORLD, 2);
}

/* collectives missing CALL RANK | order CALL OTHER RANKS | comm CALL RANKS | root CALL RANK | receives CALL RANK | sends CALL RANK */
int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &size);
    for (int i = 0; i < 64; i++) counts[i] = 1, places[i] = i;
    const char *what = argv[1], *name = argv[2];
    const int is_odd = strchr(argv[argc - 1], '0' + rank) != NULL;
    world_comm = WORLD;
    MPI_Comm other = duplicate("other");
    begin();
    if (strcmp(what, "missing") == 0) {
        if (!is_odd) call(name);
    } else if (strcmp(what, "order") == 0) {
        call(is_odd ? argv[3] : name);
        call(is_odd ? name : argv[3]);
    } else if (strcmp(what, "comm") == 0) {
        if (is_odd) world_comm = other;
        call(name);
    } else if (strcmp(what, "root") == 0) {
        if (is_odd) root = 1;
        call(name);
        MPI_Barrier(WORLD);
    } else {
        if (is_odd && strcmp(what, "receives") == 0) receive((rank + 1) % size, 3, WORLD);
        if (is_odd && strcmp(what, "sends") == 0) send_met((rank + 1) % size, 3, WORLD);
        call(name);
    }
    MPI_Finalize();
    return 0;
}
