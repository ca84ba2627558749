/* records.h - what single calls tell beside the handle that they hand out or take. */
#ifndef SUITE_RECORDS_H
#define SUITE_RECORDS_H

#include "stops.h"

static void suite_made_topology(MPI_Comm comm, int is_reordered)
{
    struct suite_handle *handle = suite_find(SUITE_COMM, TRUTH_HANDLE(comm));
    if (handle != NULL)
        handle->is_reordered = is_reordered != 0;
}

static void suite_duplicated_comm(MPI_Comm comm, MPI_Comm duplicate)
{
    const struct suite_handle *handle = suite_find(SUITE_COMM, TRUTH_HANDLE(comm));
    suite_made_topology(duplicate, handle != NULL && handle->is_reordered);
}

/* After the request has been noted. */
static void suite_is_made_by(MPI_Comm comm, MPI_Request request)
{
    struct suite_handle *handle = suite_find(SUITE_COMM, TRUTH_HANDLE(comm));
    if (handle != NULL)
        handle->made_by = TRUTH_HANDLE(request);
}

static void suite_made_function(enum suite_kind kind, unsigned long value, unsigned long function, const char *sort)
{
    struct suite_handle *handle = suite_find(kind, value);
    if (handle == NULL)
        return;
    handle->function = function;
    handle->sort = sort;
}

static void suite_opened(MPI_File file, MPI_Comm comm, const char *filename)
{
    struct suite_handle *handle = suite_find(SUITE_FILE, TRUTH_FILE(file));
    if (handle == NULL)
        return;
    handle->comm = TRUTH_HANDLE(comm);
    handle->filename = strdup(filename);
}

/* Whether the info object says it. */
static int suite_find_no_locks(struct suite_handle *win, MPI_Info info)
{
    char value[16] = "";
    int is_set = 0;
    if (info != MPI_INFO_NULL)
        MPI_Info_get(info, "no_locks", sizeof value - 1, value, &is_set);
    if (is_set)
        win->synchronized.has_no_locks = strcmp(value, "true") == 0;
    return is_set;
}

static void suite_made_win(MPI_Win win, MPI_Comm comm, MPI_Info info)
{
    struct suite_handle *handle = suite_find(SUITE_WIN, TRUTH_HANDLE(win));
    if (handle == NULL)
        return;
    handle->comm = TRUTH_HANDLE(comm);
    suite_find_no_locks(handle, info);
}

static void suite_hint_no_locks(MPI_Win win, MPI_Info info)
{
    struct suite_handle *handle = suite_find(SUITE_WIN, TRUTH_HANDLE(win));
    if (handle != NULL && suite_find_no_locks(handle, info))
        handle->has_new_locks_hint = 1;
}

/*
 * NULL: as it was. A fence opens an epoch only when operations follow it: of a window that is locked, started or posted
 * after it there was none.
 */
static void suite_synchronized(MPI_Win win, const char *access, const char *exposure, const char *last)
{
    struct suite_handle *handle = suite_find(SUITE_WIN, TRUTH_HANDLE(win));
    if (handle == NULL)
        return;
    struct truth_win *before = &handle->synchronized;
    if (before->access != NULL && strcmp(before->access, "fence") == 0)
        before->access = before->exposure = "none";
    if (access != NULL)
        handle->synchronized.access = access;
    if (exposure != NULL)
        handle->synchronized.exposure = exposure;
    handle->synchronized.last_sync = last;
}

static void suite_fenced(MPI_Win win, int assertion)
{
    const char *epoch = (assertion & MPI_MODE_NOSUCCEED) != 0 ? "none" : "fence";
    suite_synchronized(win, epoch, epoch, "fence");
}

/* More than one process may be locked; the epoch ends with the last lock. */
static void suite_locked(MPI_Win win, int change)
{
    struct suite_handle *handle = suite_find(SUITE_WIN, TRUTH_HANDLE(win));
    if (handle == NULL)
        return;
    handle->locks += change;
    suite_synchronized(win, handle->locks > 0 ? "lock" : "none", NULL, change > 0 ? "lock" : "unlock");
}

static void suite_probed(MPI_Message message, MPI_Comm comm, const MPI_Status *status)
{
    struct suite_handle *handle = suite_got(SUITE_MESSAGE, TRUTH_HANDLE(message));
    if (handle == NULL)
        return;
    handle->comm = TRUTH_HANDLE(comm);
    handle->status = *status;
}

#endif
