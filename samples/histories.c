/*
 * histories.c - handles of each kind, and of each what the program itself has noted: which call made the object, which freed it,
 * and what the handle stood for before. For `mpidbg run --collect calls`.
 *
 *     mpidbg run --collect calls -- mpirun -n 2 histories --wait &   waits, so that you can try:  mpidbg show ocean --launcher $!
 *
 * With --truth each rank tells its handles, the ones that are gone too. Lines are those of the calls:
 *
 *     HISTORY {"rank":0,"handles":[{"expression":"ocean","created":{"call":"MPI_Comm_dup","line":77},"earlier":[...]}]}
 */
#define TRUTH_LINE (1 << 20)
#include "truth.h"
#include "truth-refs.h"

/* What the program has made, in order. */
enum { MAX_NOTES = 4000 };
static struct note {
    const char *kind, *made_by, *freed_by;
    unsigned long handle;
    int made_at, freed_at;
    char name[32];
} notes[MAX_NOTES];
static int note_count;

static void note_made(const char *kind, unsigned long handle, const char *call, int line)
{
    notes[note_count++] = (struct note){.kind = kind, .handle = handle, .made_by = call, .made_at = line};
}

static struct note *last_with(const char *kind, unsigned long handle)
{
    for (int i = note_count - 1; i >= 0; i--)
        if (notes[i].handle == handle && strcmp(notes[i].kind, kind) == 0)
            return &notes[i];
    return NULL;
}

static void note_freed(const char *kind, unsigned long handle, const char *call, int line, const char *name)
{
    struct note *note = last_with(kind, handle);
    note->freed_by = call;
    note->freed_at = line;
    snprintf(note->name, sizeof note->name, "%s", name);
}

/* In one line each, so that it is known which. */
#define MAKES(kind, variable, call, ...) call(__VA_ARGS__), note_made(kind, TRUTH_HANDLE(variable), #call, __LINE__)
#define FREES(kind, variable, name, call, ...) note_freed(kind, TRUTH_HANDLE(variable), #call, __LINE__, name), call(__VA_ARGS__)

static void tell_call(const char *field, const char *call, int line)
{
    truth_add("\"%s\":{\"call\":\"%s\",\"line\":%d}", field, call, line);
}

static int told;

/* `is_there`: its object is; otherwise the handle denotes nothing. */
static void tell(const char *kind, const char *expression, unsigned long handle, int is_there)
{
    const struct note *last = last_with(kind, handle);
    truth_add("%s{\"expression\":\"%s\",\"isThere\":%s,", told++ > 0 ? "," : "", expression, is_there ? "true" : "false");
    tell_call("created", last->made_by, last->made_at);
    if (last->freed_by != NULL)
        truth_add(","), tell_call("freed", last->freed_by, last->freed_at);
    truth_add(",\"earlier\":[");
    int count = 0;
    for (const struct note *note = last - 1; note >= notes && count < 8; note--) {
        if (note->handle != handle || strcmp(note->kind, kind) != 0)
            continue;
        truth_add("%s{", count++ > 0 ? "," : "");
        tell_call("created", note->made_by, note->made_at), truth_add(",");
        tell_call("freed", note->freed_by, note->freed_at);
        if (note->name[0] != '\0')
            truth_add(",\"name\":\"%s\"", note->name);
        truth_add("}");
    }
    truth_add("]}");
}

static void on_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
}

static void larger(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)in, (void)inout, (void)count, (void)type;
}

int main(int argc, char **argv)
{
    int rank, size, numbers[8] = {0}, flag = 0;
    truth_start(&argc, &argv, &rank, &size);
    const int right = (rank + 1) % size, left = (rank + size - 1) % size;
    MPI_Comm comm, ocean, split, dup, gone_comm;
    MPI_Datatype type, vector, kept_type, gone_type;
    MPI_Request request, again, requests[2], gone_request;
    MPI_Group group;
    MPI_Errhandler errhandler;
    MPI_Info info, gone_info;
    MPI_Op op, gone_op;
    MPI_Win win;
    MPI_File file;

    /* Handles that come again and again, more often than a history is long. */
    for (int i = 0; i < 12; i++) {
        char name[32];
        snprintf(name, sizeof name, "brief %d", i);
        MAKES("comm", comm, MPI_Comm_dup, MPI_COMM_WORLD, &comm);
        MPI_Comm_set_name(comm, name);
        FREES("comm", comm, name, MPI_Comm_free, &comm);
        MAKES("datatype", type, MPI_Type_contiguous, i + 2, MPI_INT, &type);
        FREES("datatype", type, "", MPI_Type_free, &type);
        MAKES("request", request, MPI_Irecv, numbers, 1, MPI_INT, left, 5, MPI_COMM_WORLD, &request);
        MPI_Send(numbers + 1, 1, MPI_INT, right, 5, MPI_COMM_WORLD);
        FREES("request", request, "", MPI_Wait, &request, MPI_STATUS_IGNORE);
    }
    MAKES("comm", ocean, MPI_Comm_dup, MPI_COMM_WORLD, &ocean);
    MAKES("comm", split, MPI_Comm_split, ocean, rank, 0, &split);
    MAKES("request", request, MPI_Comm_idup, ocean, &dup, &request);
    FREES("request", request, "", MPI_Wait, &request, MPI_STATUS_IGNORE);
    note_made("comm", TRUTH_HANDLE(dup), "MPI_Comm_idup", __LINE__ - 2);
    MAKES("datatype", vector, MPI_Type_vector, 2, 1, 3, MPI_DOUBLE, &vector);
    MPI_Type_commit(&vector);
    MAKES("group", group, MPI_Comm_group, split, &group);
    MAKES("info", info, MPI_Info_create, &info);
    MAKES("op", op, MPI_Op_create, larger, 1, &op);
    MAKES("win", win, MPI_Win_create, numbers, sizeof numbers, 1, MPI_INFO_NULL, ocean, &win);
    char path[100];
    snprintf(path, sizeof path, "/tmp/mpidbg-histories-%d", (int)getpid());
    MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    note_made("file", TRUTH_FILE(file), "MPI_File_open", __LINE__ - 1);

    /* Freed, but still there: what uses them keeps them. */
    MAKES("errhandler", errhandler, MPI_Comm_create_errhandler, on_error, &errhandler);
    MPI_Comm_set_errhandler(split, errhandler);
    const MPI_Errhandler kept_errhandler = errhandler;
    FREES("errhandler", errhandler, "", MPI_Errhandler_free, &errhandler);
    MAKES("datatype", kept_type, MPI_Type_vector, 2, 1, 3, MPI_INT, &kept_type);
    MPI_Type_commit(&kept_type);
    MAKES("request", requests[0], MPI_Irecv, numbers, 1, kept_type, left, 9, ocean, &requests[0]);
    type = kept_type;
    FREES("datatype", type, "", MPI_Type_free, &type);

    /* Each in another call that frees requests. A persistent one stays what it is. */
    MAKES("request", again, MPI_Recv_init, numbers + 4, 1, MPI_INT, left, 6, ocean, &again);
    MPI_Start(&again);
    MPI_Send(numbers, 1, MPI_INT, right, 6, ocean);
    MPI_Wait(&again, MPI_STATUS_IGNORE);
    MAKES("request", requests[1], MPI_Irecv, numbers + 5, 1, MPI_INT, left, 7, ocean, &requests[1]);
    MPI_Iprobe(left, 99, ocean, &flag, MPI_STATUS_IGNORE);

    /* Gone. */
    MAKES("op", gone_op, MPI_Op_create, larger, 0, &gone_op);
    MAKES("info", gone_info, MPI_Info_dup, info, &gone_info);
    MAKES("datatype", gone_type, MPI_Type_vector, 3, 1, 2, MPI_INT, &gone_type);
    MAKES("comm", gone_comm, MPI_Comm_split, ocean, 0, rank, &gone_comm);
    MPI_Comm_set_name(gone_comm, "gone");
    MAKES("request", gone_request, MPI_Recv_init, numbers + 6, 1, MPI_INT, left, 8, ocean, &gone_request);
    comm = gone_comm, type = gone_type, request = gone_request;
    const MPI_Op old_op = gone_op;
    const MPI_Info old_info = gone_info;
    MPI_Barrier(MPI_COMM_WORLD);
    FREES("comm", comm, "gone", MPI_Comm_disconnect, &comm);
    FREES("request", request, "", MPI_Request_free, &request);
    FREES("datatype", type, "", MPI_Type_free, &type);
    FREES("op", gone_op, "", MPI_Op_free, &gone_op);
    FREES("info", gone_info, "", MPI_Info_free, &gone_info);

    if (truth_is_wanted) {
        truth_add("HISTORY {\"rank\":%d,\"handles\":[", rank);
        tell("comm", "ocean", TRUTH_HANDLE(ocean), 1);
        tell("comm", "split", TRUTH_HANDLE(split), 1);
        tell("comm", "dup", TRUTH_HANDLE(dup), 1);
        tell("datatype", "vector", TRUTH_HANDLE(vector), 1);
        tell("group", "group", TRUTH_HANDLE(group), 1);
        tell("info", "info", TRUTH_HANDLE(info), 1);
        tell("op", "op", TRUTH_HANDLE(op), 1);
        tell("win", "win", TRUTH_HANDLE(win), 1);
        tell("file", "file", TRUTH_FILE(file), 1);
        tell("errhandler", "kept_errhandler", TRUTH_HANDLE(kept_errhandler), 1);
        tell("datatype", "kept_type", TRUTH_HANDLE(kept_type), 1);
        tell("request", "requests[0]", TRUTH_HANDLE(requests[0]), 1);
        tell("request", "requests[1]", TRUTH_HANDLE(requests[1]), 1);
        tell("request", "again", TRUTH_HANDLE(again), 1);
        tell("comm", "gone_comm", TRUTH_HANDLE(gone_comm), 0);
        tell("datatype", "gone_type", TRUTH_HANDLE(gone_type), 0);
        tell("request", "gone_request", TRUTH_HANDLE(gone_request), 0);
        tell("op", "old_op", TRUTH_HANDLE(old_op), 0);
        tell("info", "old_info", TRUTH_HANDLE(old_info), 0);
        truth_add("]}");
        truth_print();
    }
    wait_for_debugger(); /* stop: histories */

    MPI_Send(numbers, 2, MPI_INT, right, 9, ocean);
    MPI_Send(numbers, 1, MPI_INT, right, 7, ocean);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Request_free(&again);
    MPI_Win_free(&win);
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
