/*
 * many.c - makes many objects of the kinds that are named, all of this process alone.
 *
 *     mpirun -n 1 many comm 1000 request 5000          runs and ends
 *     mpirun -n 1 many comm 1000 request 5000 --wait & waits, so that you can try:  mpidbg handles --launcher $!
 *
 * Communicators are duplicates of "crowd", whose error handler they inherit; windows are made from it; requests are
 * receives of the datatype "pair" that wait on it; datatypes are made of "pair". Where the MPI library can make no more,
 * there are as many as it made.
 *
 * With --truth it tells which handles it has, by kind, those of crowd, pair and the error handler first; see live.h.
 */
#define TRUTH_LINE (16 << 20)
#include "live.h"

static MPI_Comm crowd;
static MPI_Datatype pair;
static MPI_Errhandler watcher;
static int numbers[2];

static void on_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
}

static void on_file_error(MPI_File *file, int *code, ...)
{
    (void)file, (void)code;
}

static void add_up(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)in, (void)inout, (void)length, (void)type;
}

/* ---- Each kind: makes the i-th one and answers whether it could ---- */

static int make_comm(int i, unsigned long *handle)
{
    (void)i;
    MPI_Comm made = MPI_COMM_NULL;
    const int code = MPI_Comm_dup(crowd, &made);
    *handle = TRUTH_HANDLE(made);
    return code == MPI_SUCCESS && made != MPI_COMM_NULL;
}

/* Open MPI lists a datatype that Fortran knows. */
static int make_datatype(int i, unsigned long *handle)
{
    MPI_Datatype made;
    const int code = MPI_Type_vector(2, 1, i + 2, pair, &made);
    if (code != MPI_SUCCESS)
        return 0;
    MPI_Type_c2f(made);
    *handle = TRUTH_HANDLE(made);
    return 1;
}

static int make_errhandler(int i, unsigned long *handle)
{
    MPI_Errhandler made;
    const int code = i % 2 == 0 ? MPI_Comm_create_errhandler(on_error, &made) : MPI_File_create_errhandler(on_file_error, &made);
    *handle = TRUTH_HANDLE(made);
    return code == MPI_SUCCESS;
}

static int make_file(int i, unsigned long *handle)
{
    char path[64];
    MPI_File made;
    snprintf(path, sizeof path, "/tmp/many-%d-%d", (int)getpid(), i);
    const int mode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
    const int code = MPI_File_open(MPI_COMM_SELF, path, mode, MPI_INFO_NULL, &made);
    *handle = (unsigned long)(uintptr_t)made; /* a pointer in MPICH too */
    unlink(path);
    return code == MPI_SUCCESS;
}

static int make_group(int i, unsigned long *handle)
{
    (void)i;
    int first = 0;
    MPI_Group all, made;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    const int code = MPI_Group_incl(all, 1, &first, &made);
    MPI_Group_free(&all);
    *handle = TRUTH_HANDLE(made);
    return code == MPI_SUCCESS;
}

static int make_info(int i, unsigned long *handle)
{
    (void)i;
    MPI_Info made;
    const int code = MPI_Info_create(&made);
    if (code == MPI_SUCCESS)
        MPI_Info_set(made, "cb_nodes", "2");
    *handle = TRUTH_HANDLE(made);
    return code == MPI_SUCCESS;
}

static int make_message(int i, unsigned long *handle)
{
    MPI_Message made;
    MPI_Request sending;
    MPI_Isend(numbers, 2, MPI_INT, 0, i % 1000, MPI_COMM_SELF, &sending);
    MPI_Request_free(&sending);
    const int code = MPI_Mprobe(0, i % 1000, MPI_COMM_SELF, &made, MPI_STATUS_IGNORE);
    *handle = TRUTH_HANDLE(made);
    return code == MPI_SUCCESS;
}

static int make_op(int i, unsigned long *handle)
{
    MPI_Op made;
    const int code = MPI_Op_create(add_up, i % 2, &made);
    *handle = TRUTH_HANDLE(made);
    return code == MPI_SUCCESS;
}

static int make_request(int i, unsigned long *handle)
{
    MPI_Request made;
    const int code = MPI_Irecv(numbers, 1, pair, 0, 1000 + i % 1000, crowd, &made);
    *handle = TRUTH_HANDLE(made);
    return code == MPI_SUCCESS;
}

static int make_win(int i, unsigned long *handle)
{
    (void)i;
    void *memory;
    MPI_Win made = MPI_WIN_NULL;
    const int code = MPI_Win_allocate(sizeof numbers, sizeof numbers[0], MPI_INFO_NULL, crowd, &memory, &made);
    *handle = TRUTH_HANDLE(made);
    return code == MPI_SUCCESS && made != MPI_WIN_NULL;
}

static const struct kind {
    const char *name;
    int (*make)(int i, unsigned long *handle);
} kinds[] = {
    {"comm", make_comm},
    {"datatype", make_datatype},
    {"errhandler", make_errhandler},
    {"file", make_file},
    {"group", make_group},
    {"info", make_info},
    {"message", make_message},
    {"op", make_op},
    {"request", make_request},
    {"win", make_win},
};

/* How many of the kind the arguments ask for: NAME COUNT. */
static int wanted(const char *name, int argc, char **argv)
{
    for (int i = 1; i + 1 < argc; i++)
        if (strcmp(argv[i], name) == 0)
            return atoi(argv[i + 1]);
    return 0;
}

/* What is there before, by kind. */
static int shared(const char *name, unsigned long *handle)
{
    if (strcmp(name, "comm") == 0)
        *handle = TRUTH_HANDLE(crowd);
    else if (strcmp(name, "datatype") == 0)
        *handle = TRUTH_HANDLE(pair);
    else if (strcmp(name, "errhandler") == 0)
        *handle = TRUTH_HANDLE(watcher);
    else
        return 0;
    return 1;
}

static void make_all(const struct kind *kind, int argc, char **argv)
{
    const int most = wanted(kind->name, argc, argv);
    unsigned long *handles = malloc((most + 1) * sizeof *handles);
    int count = shared(kind->name, handles);
    for (int i = 0; i < most && kind->make(i, &handles[count]); i++)
        count++;
    if (truth_is_wanted)
        live_kind(kind->name, count, handles);
    free(handles);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    truth_begin(argc, argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_create_errhandler(on_error, &watcher);
    MPI_Comm_dup(MPI_COMM_SELF, &crowd);
    MPI_Comm_set_name(crowd, "crowd");
    MPI_Comm_set_errhandler(crowd, watcher);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_set_name(pair, "pair");
    MPI_Type_commit(&pair);
    MPI_Type_c2f(pair);

    live_begin();
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        make_all(&kinds[i], argc, argv);
    if (truth_is_wanted)
        live_end();

    numbers[0] = 1; /* stop: many made */
    wait_for_debugger();
    _exit(0); /* to free them takes longer than to make them */
}
