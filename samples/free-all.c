/*
 * free-all.c - makes several objects of each kind, and frees them in an order that the seed decides: rank 0 none of them,
 * the last rank all, the others some.
 *
 *     mpirun -n 4 free-all 7              runs and ends
 *     mpirun -n 4 free-all 7 --wait &     waits, so that you can try:  mpidbg show 'infos' 'comms' --launcher $!
 *     mpirun -n 4 free-all 7 file &       the same without files: with the first of them MPICH makes an info for ever
 *
 * All objects are of one process alone, so that each rank frees its own ones as it likes.
 */
#include "truth.h"

enum { most = 20 };
static MPI_Comm comms[most];
static MPI_Datatype datatypes[most];
static MPI_Errhandler errhandlers[most];
static MPI_File files[most];
static MPI_Group groups[most];
static MPI_Info infos[most];
static MPI_Message messages[most];
static MPI_Op ops[most];
static MPI_Request requests[most], sends[most];
static MPI_Win wins[most];
#if MPI_VERSION >= 4
static MPI_Session sessions[most];
#endif
static int numbers[most], received[most];

static void on_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
}

static void add_up(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)in, (void)inout, (void)length, (void)type;
}

/* ---- Each kind: how many, and how one is made, freed and told. MPI sets a freed variable to null: a copy keeps it ---- */

static void make_comm(int i)
{
    MPI_Comm_dup(MPI_COMM_SELF, &comms[i]);
}

static void free_comm(int i)
{
    MPI_Comm copy = comms[i];
    MPI_Comm_free(&copy);
}

static void make_datatype(int i)
{
    MPI_Type_vector(2, 1, i + 2, MPI_INT, &datatypes[i]);
    MPI_Type_commit(&datatypes[i]);
}

static void free_datatype(int i)
{
    MPI_Datatype copy = datatypes[i];
    MPI_Type_free(&copy);
}

static void make_errhandler(int i)
{
    MPI_Comm_create_errhandler(on_error, &errhandlers[i]);
}

static void free_errhandler(int i)
{
    MPI_Errhandler copy = errhandlers[i];
    MPI_Errhandler_free(&copy);
}

static void make_file(int i)
{
    char path[100];
    snprintf(path, sizeof path, "/tmp/mpidbg-free-all-%d-%d", (int)getpid(), i);
    MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &files[i]);
    unlink(path);
}

static void free_file(int i)
{
    MPI_File copy = files[i];
    MPI_File_close(&copy);
}

static void make_group(int i)
{
    MPI_Group world;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, (int[]){0}, &groups[i]);
    MPI_Group_free(&world);
}

static void free_group(int i)
{
    MPI_Group copy = groups[i];
    MPI_Group_free(&copy);
}

static void make_info(int i)
{
    MPI_Info_create(&infos[i]);
    if (i % 2 == 0)
        MPI_Info_set(infos[i], "key", "value");
}

static void free_info(int i)
{
    MPI_Info copy = infos[i];
    MPI_Info_free(&copy);
}

static void make_message(int i)
{
    MPI_Isend(&numbers[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &sends[i]);
    MPI_Mprobe(0, i, MPI_COMM_SELF, &messages[i], MPI_STATUS_IGNORE);
}

static void free_message(int i)
{
    MPI_Message copy = messages[i];
    MPI_Mrecv(&received[i], 1, MPI_INT, &copy, MPI_STATUS_IGNORE);
    MPI_Wait(&sends[i], MPI_STATUS_IGNORE);
}

static void make_op(int i)
{
    MPI_Op_create(add_up, 1, &ops[i]);
}

static void free_op(int i)
{
    MPI_Op copy = ops[i];
    MPI_Op_free(&copy);
}

static void make_request(int i)
{
    MPI_Recv_init(&numbers[i], 1, MPI_INT, 0, 100 + i, MPI_COMM_SELF, &requests[i]);
}

static void free_request(int i)
{
    MPI_Request copy = requests[i];
    MPI_Request_free(&copy);
}

static void make_win(int i)
{
    void *memory;
    MPI_Win_allocate(8 + i, 1, MPI_INFO_NULL, MPI_COMM_SELF, &memory, &wins[i]);
}

static void free_win(int i)
{
    MPI_Win copy = wins[i];
    MPI_Win_free(&copy);
}

#if MPI_VERSION >= 4
static void make_session(int i)
{
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &sessions[i]);
}

static void free_session(int i)
{
    MPI_Session copy = sessions[i];
    MPI_Session_finalize(&copy);
}
#endif

#define KIND(kind, count) {#kind, count, sizeof *kind##s, kind##s, make_##kind, free_##kind}
static const struct {
    const char *name;
    int count;
    size_t size;
    void *handles;
    void (*make)(int), (*free)(int);
} kinds[] = {
    KIND(comm, 10), KIND(datatype, 12), KIND(errhandler, 10), KIND(file, 3),    KIND(group, 10), KIND(info, 18),
    KIND(message, 3), KIND(op, 18),     KIND(request, 10),    KIND(win, 3),
#if MPI_VERSION >= 4
    KIND(session, 3),
#endif
};
enum { kind_count = sizeof kinds / sizeof *kinds };

static struct object {
    int kind, index;
} objects[kind_count * most];
static int object_count;

static unsigned long handle_of(struct object object)
{
    const char *at = (const char *)kinds[object.kind].handles + object.index * kinds[object.kind].size;
    return kinds[object.kind].size == sizeof(int) ? *(const unsigned int *)at : *(const unsigned long *)at;
}

static void shuffle(unsigned int seed)
{
    for (int i = object_count - 1; i > 0; i--) {
        seed = seed * 1103515245 + 12345;
        const int other = (seed >> 8) % (i + 1);
        const struct object object = objects[i];
        objects[i] = objects[other];
        objects[other] = object;
    }
}

static void tell(int i, int freed)
{
    char expression[40];
    const char *name = kinds[objects[i].kind].name;
    snprintf(expression, sizeof expression, "%ss[%d]", name, objects[i].index);
    truth_bad_handle(expression, name, handle_of(objects[i]), i < freed ? "MPIDBG_ERR_NOT_FOUND" : "MPIDBG_SUCCESS");
}

int main(int argc, char **argv)
{
    int rank, size;
    truth_start(&argc, &argv, &rank, &size);

    const char *left_out = argc > 2 ? argv[2] : "";
    for (int kind = 0; kind < kind_count; kind++) {
        for (int i = 0; i < kinds[kind].count && strcmp(kinds[kind].name, left_out) != 0; i++) {
            kinds[kind].make(i);
            objects[object_count++] = (struct object){kind, i};
        }
    }
    shuffle((argc > 1 ? atoi(argv[1]) : 0) * 97 + rank);
    const int freed = size == 1 ? object_count : rank * object_count / (size - 1);
    for (int i = 0; i < freed; i++)
        kinds[objects[i].kind].free(objects[i].index);
    for (int i = 0; i < object_count; i++)
        tell(i, freed);

    rank++; /* stop: some objects freed */
    wait_for_debugger();
    for (int i = freed; i < object_count; i++)
        kinds[objects[i].kind].free(objects[i].index);
    MPI_Finalize();
    return 0;
}
