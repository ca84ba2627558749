/* truth-objects.h - what MPI itself tells about groups, infos, operations, error handlers and sessions; see truth.h. */
#ifndef TRUTH_OBJECTS_H
#define TRUTH_OBJECTS_H

#include "truth-refs.h"

#define TRUTH_BEGIN_OBJECT(expression, kind, handle, fortran) \
    (truth_begin_line(NULL, expression), \
     truth_add(",\"kind\":\"%s\",\"info\":{\"handle\":\"0x%lx\",\"fortranHandle\":%d", kind, TRUTH_HANDLE(handle), \
               (int)(fortran)))

/* The name of a predefined object, and the flags that go with it. */
static void truth_add_constant(const char *name, const char *flags)
{
    truth_add(",\"name\":\"%s\",\"flags\":[%s]", name, flags);
}

static void truth_end_object(void)
{
    truth_add("}}");
    truth_print();
}

/* ---- Groups ---- */

__attribute__((unused)) static void truth_group(const char *expression, MPI_Group group)
{
    if (!truth_is_wanted)
        return;
    TRUTH_BEGIN_OBJECT(expression, "group", group, MPI_Group_c2f(group));
    if (group == MPI_GROUP_NULL) {
        truth_add_constant("MPI_GROUP_NULL", "\"predefined\",\"groupNull\"");
    } else {
        int rank, size;
        MPI_Group_rank(group, &rank);
        int *world_ranks = truth_world_ranks(group, &size);
        if (group == MPI_GROUP_EMPTY)
            truth_add_constant("MPI_GROUP_EMPTY", "\"predefined\",\"groupEmpty\"");
        else
            truth_add_constant("", "");
        truth_add(",\"size\":%d,", size);
        if (rank == MPI_UNDEFINED)
            truth_add("\"rank\":\"MPI_UNDEFINED\",");
        else
            truth_add("\"rank\":%d,", rank);
        truth_add_numbers("procs", size, world_ranks);
        free(world_ranks);
    }
    truth_end_object();
}

/* ---- Infos ---- */

__attribute__((unused)) static void truth_info(const char *expression, MPI_Info info)
{
    if (!truth_is_wanted)
        return;
    TRUTH_BEGIN_OBJECT(expression, "info", info, MPI_Info_c2f(info));
    if (info == MPI_INFO_NULL) {
        truth_add_constant("MPI_INFO_NULL", "\"predefined\",\"infoNull\"");
    } else {
        int keys;
        if (info == MPI_INFO_ENV)
            truth_add_constant("MPI_INFO_ENV", "\"predefined\"");
        else
            truth_add_constant("", "");
        truth_add(",\"entries\":[");
        MPI_Info_get_nkeys(info, &keys);
        for (int i = 0; i < keys; i++) {
            char key[MPI_MAX_INFO_KEY + 1], value[MPI_MAX_INFO_VAL + 1];
            int found;
            MPI_Info_get_nthkey(info, i, key);
            MPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &found);
            truth_add("%s{\"key\":", i > 0 ? "," : "");
            truth_add_string(key);
            truth_add(",\"value\":");
            truth_add_string(value);
            truth_add("}");
        }
        truth_add("]");
    }
    truth_end_object();
}

/* ---- Operations ---- */

/* One of MPI's own, by the name of its constant. */
#define TRUTH_PREDEFINED_OP(op) truth_op(#op, op, #op, 0, "")

/* One of the program's own, by the name of its function. */
#define TRUTH_OP(expression, op, function) truth_op(expression, op, "", (unsigned long)(uintptr_t)(function), #function)

static void truth_op(const char *expression, MPI_Op op, const char *constant, unsigned long address, const char *function)
{
    int commutes = 0;
    if (!truth_is_wanted)
        return;
    TRUTH_BEGIN_OBJECT(expression, "op", op, MPI_Op_c2f(op));
    if (op == MPI_OP_NULL) {
        truth_add_constant("MPI_OP_NULL", "\"predefined\",\"opNull\"");
    } else {
        MPI_Op_commutative(op, &commutes);
        if (*constant != '\0')
            truth_add_constant(constant, commutes ? "\"predefined\",\"commutative\"" : "\"predefined\"");
        else
            truth_add_constant("", commutes ? "\"commutative\"" : "");
    }
    if (address != 0)
        truth_add(",\"callback\":{\"address\":\"0x%lx\",\"symbol\":\"%s\",\"language\":\"c\"}", address, function);
    truth_end_object();
}

/* ---- Error handlers: MPI has no call that tells about one; all is what the program knows ---- */

__attribute__((unused)) static void truth_predefined_errhandler(const char *name, MPI_Errhandler handler)
{
    if (!truth_is_wanted)
        return;
    TRUTH_BEGIN_OBJECT(name, "errhandler", handler, MPI_Errhandler_c2f(handler));
    truth_add_constant(name, handler == MPI_ERRHANDLER_NULL ? "\"predefined\",\"errhandlerNull\"" : "\"predefined\"");
    truth_end_object();
}

/* sort: "communicator", "file" or "window". Then what it is attached to, which the caller adds, and the end. */
static void truth_begin_errhandler(const char *expression, MPI_Errhandler handler, const char *sort, int is_freed,
                                   unsigned long address, const char *function)
{
    TRUTH_BEGIN_OBJECT(expression, "errhandler", handler, MPI_Errhandler_c2f(handler));
    truth_add(",\"name\":\"\",\"flags\":[\"%s\",\"cCallback\"%s]", sort, is_freed ? ",\"freedHandle\"" : "");
    truth_add(",\"callback\":{\"address\":\"0x%lx\",\"symbol\":\"%s\",\"language\":\"c\"}", address, function);
}

static void truth_add_attachment(int *count, const char *kind, unsigned long handle, const char *name)
{
    truth_add("%s{\"kind\":\"%s\",\"handle\":\"0x%lx\"", (*count)++ > 0 ? "," : ",\"attachedTo\":[", kind, handle);
    if (*name != '\0') {
        truth_add(",\"name\":");
        truth_add_string(name);
    }
    truth_add("}");
}

static void truth_end_errhandler(int attachments)
{
    truth_add(attachments > 0 ? "]" : ",\"attachedTo\":[]");
    truth_end_object();
}

/* An error handler of communicators, windows or files, with all objects of the program, to find those that it is
 * attached to: MPI tells the handler of an object. */
__attribute__((unused)) static void truth_errhandler(const char *expression, MPI_Errhandler handler, const char *sort,
                                                     int is_freed, unsigned long address, const char *function,
                                                     int comms, const MPI_Comm comm[], int wins, const MPI_Win win[],
                                                     int files, const MPI_File file[])
{
    int count = 0, length;
    char name[MPI_MAX_OBJECT_NAME];
    MPI_Errhandler attached;
    if (!truth_is_wanted)
        return;
    truth_begin_errhandler(expression, handler, sort, is_freed, address, function);
    for (int i = 0; i < comms; i++) {
        MPI_Comm_get_errhandler(comm[i], &attached);
        MPI_Comm_get_name(comm[i], name, &length);
        if (attached == handler)
            truth_add_attachment(&count, "comm", TRUTH_HANDLE(comm[i]), name);
        MPI_Errhandler_free(&attached);
    }
    for (int i = 0; i < wins; i++) {
        MPI_Win_get_errhandler(win[i], &attached);
        MPI_Win_get_name(win[i], name, &length);
        if (attached == handler)
            truth_add_attachment(&count, "win", TRUTH_HANDLE(win[i]), name);
        MPI_Errhandler_free(&attached);
    }
    for (int i = 0; i < files; i++) {
        MPI_File_get_errhandler(file[i], &attached);
        if (attached == handler)
            truth_add_attachment(&count, "file", TRUTH_FILE(file[i]), "");
        MPI_Errhandler_free(&attached);
    }
    truth_end_errhandler(count);
}

/* ---- Sessions ---- */

#if MPI_VERSION >= 4
__attribute__((unused)) static void truth_session(const char *expression, MPI_Session session)
{
    if (!truth_is_wanted)
        return;
    TRUTH_BEGIN_OBJECT(expression, "session", session, MPI_Session_c2f(session));
    if (session == MPI_SESSION_NULL) {
        truth_add_constant("MPI_SESSION_NULL", "\"predefined\",\"sessionNull\"");
    } else {
        /* MPI_Session_get_info of MPICH 4.0 answers MPI_THREAD_MULTIPLE whatever is so. */
        const char *levels[] = {"SINGLE", "FUNNELED", "SERIALIZED", "MULTIPLE"};
        int level;
        MPI_Errhandler handler;
        MPI_Query_thread(&level);
        MPI_Session_get_errhandler(session, &handler);
        truth_add_constant("", "");
        truth_add_errhandler_ref(handler);
        truth_add(",\"threadLevel\":\"MPI_THREAD_%s\"", levels[level]);
    }
    truth_end_object();
}
#endif

#endif
