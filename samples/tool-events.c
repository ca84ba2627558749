/*
 * tool-events.c - what makes a library raise MPI_T events, and how many a tool of its own sees; needs MPI 4.
 *
 *     mpirun -n 2 tool-events                          runs and ends
 *     mpidbg run -- mpirun -n 2 tool-events --wait &   waits, so that you can try:  mpidbg events --launcher $!
 *
 * With --truth each rank tells, for each type that is bound to no object, the elements of each event in the order of their
 * raising (null: not read, because reading it crashes MPICH):
 *
 *     EVENTS {"rank":0,"ocean":"0x84000001","types":[{"name":"...","raised":[[1,2],[3,4]]}]}
 */
#define TRUTH_LINE (1 << 20)
#include "truth.h"

enum { MAX_TYPES = 64, MAX_ELEMENTS = 16, MAX_EVENTS = 256, MESSAGES = 3 };

#if MPI_VERSION >= 4
static struct type {
    char name[256];
    int elements, raised, is_readable;
    MPI_Datatype datatypes[MAX_ELEMENTS];
    long long values[MAX_EVENTS][MAX_ELEMENTS];
} types[MAX_TYPES];
static int type_count;

static long long element(MPI_T_event_instance instance, int place, MPI_Datatype datatype)
{
    union { int as_int; long long as_long; char room[64]; } value = {.as_long = 0};
    int size;
    MPI_T_event_read(instance, place, &value);
    MPI_Type_size(datatype, &size);
    return size == sizeof(int) ? value.as_int : value.as_long;
}

static void observed(MPI_T_event_instance instance, MPI_T_event_registration handle, MPI_T_cb_safety safety, void *user_data)
{
    (void)handle, (void)safety;
    struct type *type = user_data;
    if (type->raised < MAX_EVENTS && type->is_readable)
        for (int i = 0; i < type->elements; i++)
            type->values[type->raised][i] = element(instance, i, type->datatypes[i]);
    type->raised++;
}

static void register_for(int index)
{
    struct type *type = &types[type_count];
    char description[1024];
    int length = sizeof type->name, description_length = sizeof description, verbosity, bind;
    MPI_Aint displacements[MAX_ELEMENTS];
    MPI_T_enum enumeration;
    MPI_Info hints = MPI_INFO_NULL;
    MPI_T_event_registration handle;
    type->elements = MAX_ELEMENTS;
    /* MPICH 4.0.2 wants all of them. */
    if (MPI_T_event_get_info(index, type->name, &length, &verbosity, type->datatypes, displacements, &type->elements,
                             &enumeration, &hints, description, &description_length, &bind) != MPI_SUCCESS || bind != MPI_T_BIND_NO_OBJECT)
        return;
    type->is_readable = strcmp(type->name, "unexp_message_dequeued") != 0;
    const MPI_T_cb_safety levels[] = {MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE, MPI_T_CB_REQUIRE_THREAD_SAFE,
                                      MPI_T_CB_REQUIRE_MPI_RESTRICTED, MPI_T_CB_REQUIRE_NONE};
    if (MPI_T_event_handle_alloc(index, NULL, MPI_INFO_NULL, &handle) != MPI_SUCCESS)
        return;
    for (int i = 0; i < 4; i++)
        MPI_T_event_register_callback(handle, levels[i], MPI_INFO_NULL, type, observed);
    type_count++;
}

static void register_for_all(void)
{
    int count = 0;
    MPI_T_event_get_num(&count);
    for (int i = 0; i < count && i < MAX_TYPES; i++)
        register_for(i);
}

static void tell_types(void)
{
    for (int t = 0; t < type_count; t++) {
        truth_add("%s{\"name\":\"%s\",\"raised\":[", t > 0 ? "," : "", types[t].name);
        for (int n = 0; n < types[t].raised && n < MAX_EVENTS; n++) {
            truth_add(n > 0 ? "," : "");
            if (!types[t].is_readable)
                truth_add("null");
            for (int i = 0; types[t].is_readable && i < types[t].elements; i++)
                truth_add("%s%lld", i > 0 ? "," : "[", types[t].values[n][i]);
            if (types[t].is_readable)
                truth_add("]");
        }
        truth_add("]}");
    }
}
#else
static void register_for_all(void)
{
}

static void tell_types(void)
{
}
#endif

static void ignore_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
}

static void use_objects(MPI_Comm *ocean)
{
    MPI_Comm brief;
    MPI_Win win;
    MPI_Errhandler handler;
    int window[4] = {0};
    MPI_Comm_dup(MPI_COMM_WORLD, ocean);
    MPI_Comm_set_name(*ocean, "ocean");
    MPI_Comm_dup(*ocean, &brief);
    MPI_Comm_free(&brief);
    MPI_Win_create(window, sizeof window, sizeof *window, MPI_INFO_NULL, *ocean, &win);
    MPI_Win_free(&win);
    MPI_Comm_create_errhandler(ignore_error, &handler);
    MPI_Comm_set_errhandler(*ocean, handler);
    MPI_Errhandler_free(&handler);
    MPI_Comm_call_errhandler(*ocean, MPI_ERR_OTHER);
}

/* They come before they are received. */
static void exchange(int rank, int size)
{
    const int right = (rank + 1) % size, left = (rank + size - 1) % size;
    int number, has_come = 0;
    for (int i = 0; i < MESSAGES; i++)
        MPI_Send(&i, 1, MPI_INT, right, 77, MPI_COMM_WORLD);
    while (!has_come)
        MPI_Iprobe(left, 77, MPI_COMM_WORLD, &has_come, MPI_STATUS_IGNORE);
    MPI_Recv(&number, 1, MPI_INT, left, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int rank, size, provided;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    truth_start(&argc, &argv, &rank, &size);
    register_for_all();
    MPI_Comm ocean;
    use_objects(&ocean);
    exchange(rank, size);

    if (truth_is_wanted) {
        truth_add("EVENTS {\"rank\":%d,\"ocean\":\"0x%lx\",\"types\":[", rank, TRUTH_HANDLE(ocean));
        tell_types();
        truth_add("]}");
        truth_print();
    }
    wait_for_debugger(); /* stop: waiting */

    for (int i = 1; i < MESSAGES; i++) {
        int number;
        MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Comm_free(&ocean);
    MPI_Finalize();
    return 0;
}
