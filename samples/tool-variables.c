/*
 * tool-variables.c - messages that nobody has received yet, and what MPI_T says of them and of the library.
 *
 *     mpirun -n 4 tool-variables                          runs and ends
 *     mpidbg run -- mpirun -n 4 tool-variables --wait &   waits, so that you can try:  mpidbg pvars --launcher $!
 *
 * With OMPI_MCA_osc=rdma in the environment there are windows too, of which Open MPI has variables then.
 *
 * With --truth each rank tells the variables that it can read without harm, by MPI_T itself (own session):
 *
 *     MPI_T {"rank":0,"pvars":[{"name":"...","object":"0x44000000","values":[3,0]}],"cvars":[{"name":"...","value":[1]}]}
 */
#define TRUTH_LINE (1 << 20)
#include "truth.h"

enum { RECEIVED_LATER = 3, RECEIVED_LATER_ON_OCEAN = 2, MAX_TEXT = 4096 };

static MPI_T_pvar_session session;
static const char *separator;

static void tell_elements(const void *values, int count, MPI_Datatype type)
{
    truth_add("[");
    for (int i = 0; i < count; i++) {
        truth_add(i > 0 ? "," : "");
        if (type == MPI_INT)
            truth_add_integer(((const int *)values)[i]);
        else if (type == MPI_C_BOOL)
            truth_add_integer(((const _Bool *)values)[i]);
        else if (type == MPI_UNSIGNED)
            truth_add_integer(((const unsigned *)values)[i]);
        else
            truth_add_integer(((const long *)values)[i]);
    }
    truth_add("]");
}

/* `object`: where its handle is, which is `object_handle` as a number; NULL: it is bound to none. */
static void tell_pvar(int index, const char *name, MPI_Datatype type, void *object, unsigned long object_handle)
{
    static long values[MAX_TEXT];
    MPI_T_pvar_handle handle;
    int count;
    if (MPI_T_pvar_handle_alloc(session, index, object, &handle, &count) != MPI_SUCCESS)
        return;
    MPI_T_pvar_read(session, handle, values);
    truth_add("%s{\"name\":\"%s\",", separator, name);
    separator = ",";
    if (object != NULL)
        truth_add("\"object\":\"0x%lx\",", object_handle);
    truth_add("\"values\":");
    tell_elements(values, count, type);
    truth_add("}");
    MPI_T_pvar_handle_free(session, &handle);
}

/* Open MPI's component with variables of windows takes each for one of its own: the user has chosen it for all. */
static int windows_are_of_rdma(void)
{
    const char *component = getenv("OMPI_MCA_osc");
    return component != NULL && strcmp(component, "rdma") == 0;
}

/* Others of Open MPI crash it where their hardware is missing. */
static int is_harmless(const char *name)
{
    return strncmp(name, "pml_ob1_", 8) == 0 || strncmp(name, "mpool_", 6) == 0 ||
           (strncmp(name, "osc_rdma_", 9) == 0 && windows_are_of_rdma());
}

static void tell_pvars(MPI_Comm ocean, MPI_Win tide)
{
    int count;
    char name[256];
    MPI_Comm comms[] = {MPI_COMM_WORLD, MPI_COMM_SELF, ocean};
    separator = "";
    MPI_T_pvar_get_num(&count);
    for (int i = 0; i < count; i++) {
        int length = sizeof name, verbosity, class, bind, readonly, continuous, atomic;
        MPI_Datatype type;
        MPI_T_enum enumeration;
        if (MPI_T_pvar_get_info(i, name, &length, &verbosity, &class, &type, &enumeration, NULL, NULL, &bind, &readonly,
                                &continuous, &atomic) != MPI_SUCCESS || !is_harmless(name))
            continue;
        for (int c = 0; bind == MPI_T_BIND_MPI_COMM && c < 3; c++)
            tell_pvar(i, name, type, &comms[c], TRUTH_HANDLE(comms[c]));
        if (bind == MPI_T_BIND_MPI_WIN)
            tell_pvar(i, name, type, &tide, TRUTH_HANDLE(tide));
        if (bind == MPI_T_BIND_NO_OBJECT)
            tell_pvar(i, name, type, NULL, 0);
    }
}

static void tell_cvar(int index, const char *name, MPI_Datatype type)
{
    static long values[MAX_TEXT];
    MPI_T_cvar_handle handle;
    int count;
    if (MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS)
        return;
    if (MPI_T_cvar_read(handle, values) == MPI_SUCCESS) {
        truth_add("%s{\"name\":\"%s\",\"value\":", separator, name);
        separator = ",";
        if (type == MPI_CHAR)
            truth_add_string((const char *)values);
        else
            tell_elements(values, count, type);
        truth_add("}");
    }
    MPI_T_cvar_handle_free(&handle);
}

/* Those of the library's core, whose components are never unloaded. */
static void tell_cvars(void)
{
    int count;
    char name[256];
    separator = "";
    MPI_T_cvar_get_num(&count);
    for (int i = 0; i < count; i++) {
        int length = sizeof name, verbosity, bind, scope;
        MPI_Datatype type;
        if (MPI_T_cvar_get_info(i, name, &length, &verbosity, &type, NULL, NULL, NULL, &bind, &scope) == MPI_SUCCESS &&
            (strncmp(name, "mpi_", 4) == 0 || strncmp(name, "MPIR_CVAR_", 10) == 0) && bind == MPI_T_BIND_NO_OBJECT &&
            (type == MPI_CHAR || type == MPI_INT || type == MPI_UNSIGNED || type == MPI_UNSIGNED_LONG ||
             type == MPI_C_BOOL))
            tell_cvar(i, name, type);
    }
}

static void send_to(int rank, int count, MPI_Comm comm)
{
    for (int i = 0; i < count; i++)
        MPI_Send(&i, 1, MPI_INT, rank, i, comm);
}

static void await_arrival(int rank, int last, MPI_Comm comm)
{
    int has_come = 0;
    while (!has_come)
        MPI_Iprobe(rank, last, comm, &has_come, MPI_STATUS_IGNORE);
}

static void receive_from(int rank, int count, MPI_Comm comm)
{
    int received;
    for (int i = 0; i < count; i++)
        MPI_Recv(&received, 1, MPI_INT, rank, i, comm, MPI_STATUS_IGNORE);
}

static void make_windows(MPI_Win *tide)
{
    static int levels[2];
    MPI_Win ebb;
    MPI_Win_create(levels, sizeof levels, sizeof *levels, MPI_INFO_NULL, MPI_COMM_WORLD, tide);
    MPI_Win_set_name(*tide, "tide");
    MPI_Win_create(levels, sizeof levels, sizeof *levels, MPI_INFO_NULL, MPI_COMM_WORLD, &ebb);
    MPI_Win_free(&ebb);
}

int main(int argc, char **argv)
{
    int rank, size, provided;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    truth_start(&argc, &argv, &rank, &size);
    const int right = (rank + 1) % size, left = (rank + size - 1) % size;
    MPI_Comm ocean, brief;
    MPI_Comm_dup(MPI_COMM_WORLD, &ocean);
    MPI_Comm_set_name(ocean, "ocean");
    MPI_Comm_dup(MPI_COMM_WORLD, &brief);
    MPI_Comm_free(&brief);
    /* Open MPI reads beyond its processes where it counts messages of one. */
    MPI_Comm strait = MPI_COMM_NULL;
    if ((rank ^ 1) < size) {
        MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, rank ^ 1, 0, &strait);
        MPI_Comm_set_name(strait, "strait");
    }
    MPI_Win tide = MPI_WIN_NULL;
    if (windows_are_of_rdma())
        make_windows(&tide);
    send_to(right, RECEIVED_LATER, MPI_COMM_WORLD);
    send_to(right, RECEIVED_LATER_ON_OCEAN, ocean);
    await_arrival(left, RECEIVED_LATER - 1, MPI_COMM_WORLD);
    await_arrival(left, RECEIVED_LATER_ON_OCEAN - 1, ocean);

    if (truth_is_wanted) {
        MPI_T_pvar_session_create(&session);
        truth_add("MPI_T {\"rank\":%d,\"ocean\":\"0x%lx\",\"pvars\":[", rank, TRUTH_HANDLE(ocean));
        tell_pvars(ocean, tide);
        truth_add("],\"cvars\":[");
        tell_cvars();
        truth_add("]}");
        truth_print();
        MPI_T_pvar_session_free(&session);
    }
    wait_for_debugger(); /* stop: waiting */

    receive_from(left, RECEIVED_LATER, MPI_COMM_WORLD);
    receive_from(left, RECEIVED_LATER_ON_OCEAN, ocean);
    if (tide != MPI_WIN_NULL)
        MPI_Win_free(&tide);
    if (strait != MPI_COMM_NULL)
        MPI_Comm_free(&strait);
    MPI_Comm_free(&ocean);
    MPI_T_finalize();
    MPI_Finalize();
    return 0;
}
