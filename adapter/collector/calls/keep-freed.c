/*
 * keep-freed.c - keeps freed objects until MAX_KEPT others of the kind have been freed, or until MPI_Finalize. The program must not be
 * able to notice: an object is not kept if the program holds more than one reference to it, or if its attributes may have delete callbacks.
 */
#include <pthread.h>
#include <string.h>
#include "../native/names.h"
#include "keep-freed.h"

/* Communicators are few: MPICH has about 2000 context ids. */
enum { MAX_KEPT = 1024, MAX_KEPT_COMMS = 128 };

static const char *const free_calls[HANDLE_KINDS] = {
    [HANDLE_COMM] = "MPI_Comm_free", [HANDLE_DATATYPE] = "MPI_Type_free", [HANDLE_ERRHANDLER] = "MPI_Errhandler_free",
    [HANDLE_GROUP] = "MPI_Group_free", [HANDLE_INFO] = "MPI_Info_free", [HANDLE_OP] = "MPI_Op_free",
};

/* A ring for each kind: the oldest is the one that is replaced next. */
static struct { uint64_t handles[MAX_KEPT]; uint32_t count; bool has_attributes; } kept[HANDLE_KINDS];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void free_now(enum handle_kind kind, uint64_t handle)
{
    static void *_Atomic next[HANDLE_KINDS] NEXT_DEFINITION;
    uint64_t variable = 0;
    mpidbg_write_handle(kind, &variable, handle);
    ((int (*)(void *))next_definition(&next[kind], free_calls[kind]))(&variable);
}

static void free_all(void)
{
    for (enum handle_kind kind = 0; kind < HANDLE_KINDS; kind++) {
        const uint32_t most = kind == HANDLE_COMM ? MAX_KEPT_COMMS : MAX_KEPT;
        for (uint32_t i = 0; i < kept[kind].count && i < most; i++)
            free_now(kind, kept[kind].handles[i]);
        kept[kind].count = 0;
    }
}

void keep_freed_learns(const struct function *function)
{
    const char *name = function->name;
    if (!mpidbg_keeps_freed())
        return;
    if (strcmp(name, "MPI_Comm_create_keyval") == 0 || strcmp(name, "MPI_Keyval_create") == 0)
        kept[HANDLE_COMM].has_attributes = true;
    else if (strcmp(name, "MPI_Type_create_keyval") == 0)
        kept[HANDLE_DATATYPE].has_attributes = true;
    else if (strcmp(name, "MPI_Finalize") == 0)
        free_all();
}

/* The place of a new one; 0 in `oldest`: nothing had it. */
static void add(enum handle_kind kind, uint64_t handle, uint64_t *oldest)
{
    const uint32_t most = kind == HANDLE_COMM ? MAX_KEPT_COMMS : MAX_KEPT;
    pthread_mutex_lock(&mutex);
    uint64_t *place = &kept[kind].handles[kept[kind].count % most];
    *oldest = kept[kind].count >= most ? *place : 0;
    *place = handle;
    kept[kind].count++;
    if (kept[kind].count == 2 * most)
        kept[kind].count = most;
    pthread_mutex_unlock(&mutex);
}

bool keep_freed(const struct call *call, const struct handle_argument *argument, uint64_t handle, uint64_t life)
{
    const enum handle_kind kind = argument->kind;
    const bool is_free = free_calls[kind] != NULL && strcmp(call->function->name, free_calls[kind]) == 0;
    if (!is_free || !mpidbg_keeps_freed() || kept[kind].has_attributes || !mpidbg_is_last_reference(kind, handle, life))
        return false;
    const uint64_t null = mpidbg_null_handle(kind);
    uint64_t oldest;
    add(kind, handle, &oldest);
    if (oldest != 0)
        free_now(kind, oldest);
    void *variable = (void *)call->arguments[argument->position];
    if (call->language == IN_C) {
        mpidbg_write_handle(kind, variable, null);
        return true;
    }
    *(int *)variable = mpidbg_to_fortran(kind, null);
    int *error = (int *)call->arguments[call->function->arguments + 1];
    if (error != NULL)
        *error = 0;
    return true;
}
