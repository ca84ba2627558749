/* ask.h - asks MPI about each handle that the program has, with what truth.h and its like know to ask. */
#ifndef SUITE_ASK_H
#define SUITE_ASK_H

#include "requests.h"
#include "../../../samples/truth-file.h"
#include "../../../samples/truth-objects.h"
#include "../../../samples/truth-datatype.h"

/* Beyond these, a line is too long, and MPI's own arrays do not fit on a stack. */
enum { suite_max_arguments = 2000, suite_max_objects = 256 };

static int suite_keyvals_are_known = 1;

static void suite_made_keyval(int keyval)
{
    for (int i = 0; i < truth_keyval_count; i++)
        if (truth_keyvals[i].keyval == keyval)
            return;
    if (truth_keyval_count < (int)(sizeof truth_keyvals / sizeof *truth_keyvals))
        truth_keyval(keyval, TRUTH_POINTER);
    else
        suite_keyvals_are_known = 0;
}

/* Its attributes stay where they are, and MPI must not be asked about them any more. */
static void suite_freed_keyval(int keyval)
{
    for (int i = 0; i < truth_keyval_count; i++) {
        if (truth_keyvals[i].keyval != keyval)
            continue;
        truth_keyvals[i] = truth_keyvals[--truth_keyval_count];
        suite_keyvals_are_known = 0;
    }
}

static void suite_list_handles(void)
{
    for (int i = 0; i < suite_buckets; i++) {
        for (const struct suite_handle *handle = suite_table[i]; handle != NULL; handle = handle->next) {
            truth_add("HANDLE {\"kind\":\"%s\",\"handle\":\"0x%lx\",\"isLive\":%s,\"isGot\":%s,\"order\":%d",
                      suite_kind_names[handle->kind], handle->value, handle->references > 0 ? "true" : "false",
                      handle->was_got ? "true" : "false", handle->order);
            if (suite_is_unfinished(handle))
                truth_add(",\"isUnfinished\":true");
            if (handle->call != NULL)
                truth_add(",\"call\":\"%s\"", handle->call);
            truth_add("}");
            truth_print();
        }
    }
}

/* The live handles of a kind, as MPI's type has them. */
#define SUITE_ALL(type, kind_, array, count) \
    static type array[suite_max_objects]; \
    int count = 0; \
    for (int bucket_ = 0; bucket_ < suite_buckets; bucket_++) \
        for (const struct suite_handle *h_ = suite_table[bucket_]; h_ != NULL; h_ = h_->next) \
            if (h_->kind == kind_ && h_->references > 0 && !suite_is_unfinished(h_) && count < suite_max_objects) \
                array[count++] = (type)(uintptr_t)h_->value

static MPI_Comm suite_comm(unsigned long value)
{
    return suite_is_live(SUITE_COMM, value) ? (MPI_Comm)(uintptr_t)value : (MPI_Comm)0;
}

static void suite_ask_op(const char *name, const struct suite_handle *handle)
{
    static const struct {
        MPI_Op op;
        const char *name;
    } constants[] = {
        {MPI_MAX, "MPI_MAX"},   {MPI_MIN, "MPI_MIN"},   {MPI_SUM, "MPI_SUM"},       {MPI_PROD, "MPI_PROD"},
        {MPI_LAND, "MPI_LAND"}, {MPI_BAND, "MPI_BAND"}, {MPI_LOR, "MPI_LOR"},       {MPI_BOR, "MPI_BOR"},
        {MPI_LXOR, "MPI_LXOR"}, {MPI_BXOR, "MPI_BXOR"}, {MPI_MAXLOC, "MPI_MAXLOC"}, {MPI_MINLOC, "MPI_MINLOC"},
        {MPI_NO_OP, "MPI_NO_OP"}, {MPI_REPLACE, "MPI_REPLACE"},
    };
    const MPI_Op op = (MPI_Op)(uintptr_t)handle->value;
    const char *constant = "";
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
        if (op == constants[i].op)
            constant = constants[i].name;
    truth_op(name, op, constant, handle->function, "");
}

static void suite_ask_errhandler(const char *name, const struct suite_handle *handle)
{
    const MPI_Errhandler handler = (MPI_Errhandler)(uintptr_t)handle->value;
    const char *constant = handler == MPI_ERRORS_ARE_FATAL ? "MPI_ERRORS_ARE_FATAL"
                           : handler == MPI_ERRORS_RETURN  ? "MPI_ERRORS_RETURN"
                                                           : NULL;
#if MPI_VERSION >= 4
    if (handler == MPI_ERRORS_ABORT)
        constant = "MPI_ERRORS_ABORT";
#endif
    if (constant != NULL) {
        truth_predefined_errhandler(constant, handler);
        return;
    }
    if (handle->sort == NULL)
        return; /* it came from a call that tells nothing of it */
    SUITE_ALL(MPI_Comm, SUITE_COMM, comms, comm_count);
    SUITE_ALL(MPI_Win, SUITE_WIN, wins, win_count);
    SUITE_ALL(MPI_File, SUITE_FILE, files, file_count);
    truth_errhandler(name, handler, handle->sort, 0, handle->function, "", comm_count, comms, win_count, wins,
                     file_count, files);
}

/* MPI refuses to send what is not committed, even to nobody. */
static int suite_is_committed(MPI_Datatype type)
{
    static const char nothing;
    MPI_Errhandler handler;
    int error_class;
    MPI_Comm_get_errhandler(MPI_COMM_SELF, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Error_class(MPI_Send(&nothing, 1, type, MPI_PROC_NULL, 0, MPI_COMM_SELF), &error_class);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
    MPI_Errhandler_free(&handler);
    return error_class != MPI_ERR_TYPE;
}

static void suite_ask_datatype(const char *name, const struct suite_handle *handle)
{
    const MPI_Datatype type = (MPI_Datatype)(uintptr_t)handle->value;
    int integers, addresses, datatypes, combiner;
    MPI_Type_get_envelope(type, &integers, &addresses, &datatypes, &combiner);
    if (integers + addresses + datatypes > suite_max_arguments)
        return;
    const int is_predefined = combiner == MPI_COMBINER_NAMED || truth_is_f90(combiner);
    truth_datatype(name, type, is_predefined || suite_is_committed(type) ? TRUTH_COMMITTED : TRUTH_NOT_COMMITTED);
}

static void suite_ask_file(const char *name, const struct suite_handle *handle)
{
    const MPI_Comm comm = suite_comm(handle->comm);
    const int is_known = comm != (MPI_Comm)0 && handle->filename != NULL;
    truth_untold = is_known ? "" : "\"comm\",\"filename\"";
    truth_file(name, (MPI_File)handle->value, is_known ? handle->filename : "", is_known ? comm : MPI_COMM_WORLD);
}

static void suite_ask_win(const char *name, const struct suite_handle *handle)
{
    struct truth_win known = handle->synchronized;
#ifdef OPEN_MPI
    const int is_told = !handle->has_new_locks_hint; /* which Open MPI may ignore */
#else
    const int is_told = 1;
#endif
    known.comm = suite_comm(handle->comm);
    if (known.comm == (MPI_Comm)0) {
        truth_untold = is_told ? "\"comm\"" : "\"comm\",\"flags\"";
        known.comm = MPI_COMM_WORLD;
    } else if (!is_told) {
        truth_untold = "\"flags\"";
    }
    truth_win(name, (MPI_Win)(uintptr_t)handle->value, known);
}

static void suite_ask_message(const char *name, const struct suite_handle *handle)
{
    const MPI_Comm comm = suite_comm(handle->comm);
    if (comm == (MPI_Comm)0)
        truth_untold = "\"comm\"";
    truth_message(name, (MPI_Message)(uintptr_t)handle->value, comm == (MPI_Comm)0 ? MPI_COMM_WORLD : comm,
                  &handle->status);
}

/* A request that more than one operation has is the library's own for what is complete at once. */
static int suite_is_shared(const struct suite_handle *handle)
{
#ifdef OPEN_MPI
    static MPI_Request complete[2];
    if (complete[0] == (MPI_Request)0)
        for (int i = 0; i < 2; i++)
            MPI_Isend(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &complete[i]);
    if (complete[0] == complete[1] && handle->value == TRUTH_HANDLE(complete[0]))
        return 1;
#else
    if (handle->value >> 30 == 1) /* an MPICH handle of a builtin object */
        return 1;
#endif
    return handle->references > 1;
}

#ifndef OPEN_MPI
static int suite_size_of(MPI_Comm comm)
{
    int size = 0, is_intercomm = 0;
    PMPI_Comm_test_inter(comm, &is_intercomm);
    if (!is_intercomm)
        PMPI_Comm_size(comm, &size);
    return size;
}
#endif

/* What it was made with may be gone meanwhile, though the operation goes on. */
static void suite_ask_request(const char *name, const struct suite_handle *handle)
{
    struct truth_request made = handle->made;
    if (made.operation == NULL)
        return;
    if (suite_is_shared(handle)) {
        made = (struct truth_request){.operation = "empty"};
    } else {
        const int has_comm = made.comm == (MPI_Comm)0 || suite_is_live(SUITE_COMM, handle->made_of[0]);
        const int has_type = made.datatype == (MPI_Datatype)0 || suite_is_live(SUITE_DATATYPE, handle->made_of[1]);
        if (!has_comm || !has_type) {
            truth_untold = "\"comm\",\"peer\",\"peerWorldRank\",\"tag\",\"buffer\",\"count\",\"datatype\",\"bytes\"";
            made.comm = (MPI_Comm)0;
            made.datatype = (MPI_Datatype)0;
        } else if (strcmp(made.operation, "message") == 0) {
            made.operation = "receive";
            truth_untold = "\"comm\",\"peer\",\"peerWorldRank\",\"tag\"";
#ifdef OPEN_MPI
        } else if (made.is_persistent && made.datatype != (MPI_Datatype)0 && made.peer == MPI_PROC_NULL) {
            /* A request of its own that does nothing, and was told nothing. */
            made.comm = (MPI_Comm)0;
            made.datatype = (MPI_Datatype)0;
            made.send_mode = NULL;
            truth_untold = "\"operation\"";
#else
        } else if (strcmp(made.operation, "receive") == 0 && !made.is_persistent && suite_size_of(made.comm) == 1) {
            /* MPICH keeps no source of a receive that can be from the process itself only. */
            truth_untold = "\"peer\",\"peerWorldRank\"";
#endif
        } else if (strcmp(made.operation, "exchange") == 0) {
            truth_untold = "\"operation\",\"comm\"";
        }
    }
    truth_request(name, (MPI_Request)(uintptr_t)handle->value, made);
}

/* How many operations are complete. Asking drives them on. */
static int suite_count_complete(void)
{
    int complete = 0;
    for (int i = 0; i < suite_buckets; i++) {
        for (const struct suite_handle *handle = suite_table[i]; handle != NULL; handle = handle->next) {
            int flag = 0;
            if (handle->kind == SUITE_REQUEST && handle->references > 0 && !handle->made.is_inactive)
                MPI_Request_get_status((MPI_Request)(uintptr_t)handle->value, &flag, MPI_STATUS_IGNORE);
            complete += flag;
        }
    }
    return complete;
}

static void suite_ask(const struct suite_handle *handle)
{
    char name[64];
    snprintf(name, sizeof name, "%s:0x%lx", suite_kind_names[handle->kind], handle->value);
    truth_untold = "";
    switch (handle->kind) {
    case SUITE_COMM:
        truth_untold = suite_keyvals_are_known ? "" : "\"attributes\"";
        if (handle->is_reordered)
            truth_comm_reordered(name, (MPI_Comm)(uintptr_t)handle->value);
        else
            truth_comm(name, (MPI_Comm)(uintptr_t)handle->value);
        break;
    case SUITE_DATATYPE: suite_ask_datatype(name, handle); break;
    case SUITE_ERRHANDLER: suite_ask_errhandler(name, handle); break;
    case SUITE_FILE: suite_ask_file(name, handle); break;
    case SUITE_GROUP: truth_group(name, (MPI_Group)(uintptr_t)handle->value); break;
    case SUITE_INFO: truth_info(name, (MPI_Info)(uintptr_t)handle->value); break;
    case SUITE_MESSAGE: suite_ask_message(name, handle); break;
    case SUITE_OP: suite_ask_op(name, handle); break;
    case SUITE_REQUEST: suite_ask_request(name, handle); break;
#if MPI_VERSION >= 4
    case SUITE_SESSION: truth_session(name, (MPI_Session)(uintptr_t)handle->value); break;
#endif
    case SUITE_WIN: suite_ask_win(name, handle); break;
    default: break;
    }
    truth_untold = "";
}

/* The bytes of the named types, of which all others are made, by their constants: the program may have renamed them. */
static void suite_ask_named_types(void)
{
#define T(constant) {#constant, constant}
    const struct {
        const char *constant;
        MPI_Datatype type;
    } types[] = {
        T(MPI_CHAR), T(MPI_SIGNED_CHAR), T(MPI_UNSIGNED_CHAR), T(MPI_BYTE), T(MPI_PACKED), T(MPI_WCHAR), T(MPI_SHORT),
        T(MPI_UNSIGNED_SHORT), T(MPI_INT), T(MPI_UNSIGNED), T(MPI_LONG), T(MPI_UNSIGNED_LONG), T(MPI_LONG_LONG),
        T(MPI_UNSIGNED_LONG_LONG), T(MPI_FLOAT), T(MPI_DOUBLE), T(MPI_LONG_DOUBLE), T(MPI_C_BOOL), T(MPI_INT8_T),
        T(MPI_INT16_T), T(MPI_INT32_T), T(MPI_INT64_T), T(MPI_UINT8_T), T(MPI_UINT16_T), T(MPI_UINT32_T),
        T(MPI_UINT64_T), T(MPI_AINT), T(MPI_COUNT), T(MPI_OFFSET), T(MPI_C_FLOAT_COMPLEX), T(MPI_C_DOUBLE_COMPLEX),
        T(MPI_C_LONG_DOUBLE_COMPLEX), T(MPI_CXX_BOOL), T(MPI_CXX_FLOAT_COMPLEX), T(MPI_CXX_DOUBLE_COMPLEX),
        T(MPI_CXX_LONG_DOUBLE_COMPLEX), T(MPI_INTEGER), T(MPI_REAL), T(MPI_DOUBLE_PRECISION), T(MPI_COMPLEX),
        T(MPI_DOUBLE_COMPLEX), T(MPI_LOGICAL), T(MPI_CHARACTER), T(MPI_INTEGER1), T(MPI_INTEGER2), T(MPI_INTEGER4),
        T(MPI_INTEGER8), T(MPI_REAL4), T(MPI_REAL8), T(MPI_COMPLEX8), T(MPI_COMPLEX16), T(MPI_FLOAT_INT),
        T(MPI_DOUBLE_INT), T(MPI_LONG_INT), T(MPI_2INT), T(MPI_SHORT_INT), T(MPI_LONG_DOUBLE_INT), T(MPI_2INTEGER),
        T(MPI_2REAL), T(MPI_2DOUBLE_PRECISION),
    };
#undef T
    static int is_told;
    for (size_t i = 0; !is_told && i < sizeof types / sizeof *types; i++) {
        int combiner = -1, unused;
        if (types[i].type != MPI_DATATYPE_NULL)
            MPI_Type_get_envelope(types[i].type, &unused, &unused, &unused, &combiner);
        if (combiner == MPI_COMBINER_NAMED)
            truth_datatype(types[i].constant, types[i].type, TRUTH_COMMITTED);
    }
    is_told = 1;
}

/* All of one kind, or of all other kinds. */
static void suite_ask_kind(int is_of_kind, enum suite_kind kind)
{
    for (int i = 0; i < suite_buckets; i++)
        for (const struct suite_handle *handle = suite_table[i]; handle != NULL; handle = handle->next)
            if ((handle->kind == kind) == is_of_kind && handle->references > 0 && !suite_is_unfinished(handle))
                suite_ask(handle);
}

/* The last answer about requests counts: none has ended since. */
static void suite_ask_all(void)
{
    suite_ask_named_types();
    for (int before = -1, complete = suite_count_complete(); complete != before; complete = suite_count_complete()) {
        before = complete;
        suite_ask_kind(1, SUITE_REQUEST);
    }
    suite_ask_kind(0, SUITE_REQUEST);
}

#endif
