/*
 * handles.h - what the program was told by MPI about its handles, and what it told MPI.
 *
 * Every handle that a call hands out, takes or frees is kept with the arguments that MPI has no call to ask for. A value
 * that MPI hands out again is the newer object's.
 */
#ifndef SUITE_HANDLES_H
#define SUITE_HANDLES_H

#include "../../../samples/truth-request.h"
#include "../../../samples/truth-win.h"
#include <pthread.h>

enum suite_kind {
    SUITE_COMM,
    SUITE_DATATYPE,
    SUITE_ERRHANDLER,
    SUITE_FILE,
    SUITE_GROUP,
    SUITE_INFO,
    SUITE_MESSAGE,
    SUITE_OP,
    SUITE_REQUEST,
    SUITE_SESSION,
    SUITE_WIN,
    SUITE_KINDS
};

static const char *const suite_kind_names[] = {"comm",    "datatype", "errhandler", "file",    "group", "info",
                                               "message", "op",       "request",    "session", "win"};

struct suite_handle {
    enum suite_kind kind;
    unsigned long value;
    int references; /* how often the program got it and did not free it; 0: freed */
    int was_got;    /* from a call; else it was only passed to one: a predefined object */
    int order;      /* of the last change, over all handles */

    int is_reordered;                /* communicator: its topology was made with reorder = 1 */
    unsigned long function;          /* operation, error handler: the program's function */
    const char *sort;                /* error handler: "communicator", "file", "window", "session" */
    int commutes;                    /* operation */
    struct truth_request made;       /* request */
    unsigned long made_of[2];        /* request: the values of its communicator and its datatype when it was made */
    const char *call;                /* request: the call that made it */
    struct truth_win synchronized;   /* window */
    int has_new_locks_hint;          /* window: MPI_Win_set_info named no_locks */
    unsigned long made_by;           /* communicator: the request that makes it; it is none before that is complete */
    unsigned long comm;              /* window, file, message: of the communicator that it was made of */
    int locks;                       /* window */
    char *filename;                  /* file */
    MPI_Status status;               /* message */
    struct suite_handle *next;       /* of the same bucket */
};

enum { suite_buckets = 4096 };
static struct suite_handle *suite_table[suite_buckets];
static int suite_changes;
/* All below it, of all threads. */
static pthread_mutex_t suite_lock = PTHREAD_MUTEX_INITIALIZER;

static struct suite_handle *suite_find(enum suite_kind kind, unsigned long value)
{
    struct suite_handle *handle = suite_table[(value ^ value >> 12 ^ value >> 24 ^ kind * 977u) % suite_buckets];
    while (handle != NULL && (handle->kind != kind || handle->value != value))
        handle = handle->next;
    return handle;
}

static struct suite_handle *suite_find_or_add(enum suite_kind kind, unsigned long value)
{
    struct suite_handle *handle = suite_find(kind, value);
    if (handle != NULL)
        return handle;
    struct suite_handle **bucket = &suite_table[(value ^ value >> 12 ^ value >> 24 ^ kind * 977u) % suite_buckets];
    handle = calloc(1, sizeof *handle);
    handle->kind = kind;
    handle->value = value;
    handle->next = *bucket;
    *bucket = handle;
    return handle;
}

static unsigned long suite_null(enum suite_kind kind)
{
    switch (kind) {
    case SUITE_COMM: return TRUTH_HANDLE(MPI_COMM_NULL);
    case SUITE_DATATYPE: return TRUTH_HANDLE(MPI_DATATYPE_NULL);
    case SUITE_ERRHANDLER: return TRUTH_HANDLE(MPI_ERRHANDLER_NULL);
    case SUITE_FILE: return TRUTH_FILE(MPI_FILE_NULL);
    case SUITE_GROUP: return TRUTH_HANDLE(MPI_GROUP_NULL);
    case SUITE_INFO: return TRUTH_HANDLE(MPI_INFO_NULL);
    case SUITE_MESSAGE: return TRUTH_HANDLE(MPI_MESSAGE_NULL);
    case SUITE_OP: return TRUTH_HANDLE(MPI_OP_NULL);
    case SUITE_REQUEST: return TRUTH_HANDLE(MPI_REQUEST_NULL);
#if MPI_VERSION >= 4
    case SUITE_SESSION: return TRUTH_HANDLE(MPI_SESSION_NULL);
#endif
    case SUITE_WIN: return TRUTH_HANDLE(MPI_WIN_NULL);
    default: return 0;
    }
}

/* A call handed it out. Answers NULL for a null handle. */
static struct suite_handle *suite_got(enum suite_kind kind, unsigned long value)
{
    if (value == suite_null(kind) || (kind == SUITE_MESSAGE && value == TRUTH_HANDLE(MPI_MESSAGE_NO_PROC)))
        return NULL;
    pthread_mutex_lock(&suite_lock);
    struct suite_handle *handle = suite_find_or_add(kind, value);
    if (handle->references == 0) { /* nothing is left of the object that had this value before */
        struct suite_handle *next = handle->next;
        free(handle->filename);
        *handle = (struct suite_handle){.kind = kind, .value = value, .next = next};
    }
    handle->references++;
    handle->was_got = 1;
    handle->order = ++suite_changes;
    pthread_mutex_unlock(&suite_lock);
    return handle;
}

/* The program passed it to a call that accepted it. */
static void suite_passed(enum suite_kind kind, unsigned long value)
{
    if (value == suite_null(kind))
        return;
    pthread_mutex_lock(&suite_lock);
    struct suite_handle *handle = suite_find_or_add(kind, value);
    if (handle->order == 0) {
        handle->references = 1;
        handle->order = ++suite_changes;
    }
    pthread_mutex_unlock(&suite_lock);
}

/* A call that frees was given `before` and left `after`. */
static void suite_freed(enum suite_kind kind, unsigned long before, unsigned long after)
{
    if (before == after || before == suite_null(kind))
        return;
    pthread_mutex_lock(&suite_lock);
    struct suite_handle *handle = suite_find(kind, before);
    if (handle != NULL && handle->was_got && handle->references > 0) {
        handle->references--;
        handle->order = ++suite_changes;
    }
    pthread_mutex_unlock(&suite_lock);
}

/* MPI_Comm_idup has handed it out, and has not ended. */
static int suite_is_unfinished(const struct suite_handle *handle)
{
    const struct suite_handle *request = handle->made_by == 0 ? NULL : suite_find(SUITE_REQUEST, handle->made_by);
    return request != NULL && request->references > 0;
}

static int suite_is_live(enum suite_kind kind, unsigned long value)
{
    const struct suite_handle *handle = suite_find(kind, value);
    return handle != NULL && handle->references > 0 && !suite_is_unfinished(handle);
}

#endif
