/* requests.h - what the program told MPI about its requests, and whether they are active. */
#ifndef SUITE_REQUESTS_H
#define SUITE_REQUESTS_H

#include "handles.h"

/* A call made it, with these arguments. */
static void suite_made_request(const char *call, MPI_Request request, struct truth_request made)
{
    struct suite_handle *handle = suite_got(SUITE_REQUEST, TRUTH_HANDLE(request));
    if (handle == NULL)
        return;
    handle->call = call;
    handle->made = made;
    handle->made.is_inactive = made.is_persistent;
    handle->made_of[0] = TRUTH_HANDLE(made.comm);
    handle->made_of[1] = TRUTH_HANDLE(made.datatype);
}

/* Starting a request whose last operation is still under way inside MPI, Open MPI takes a new one. */
static void suite_replaced(MPI_Request before, MPI_Request after)
{
    const struct suite_handle *old = suite_find(SUITE_REQUEST, TRUTH_HANDLE(before));
    if (before == after || old == NULL)
        return;
    const struct suite_handle kept = *old;
    suite_freed(SUITE_REQUEST, TRUTH_HANDLE(before), TRUTH_HANDLE(after));
    suite_made_request(kept.call, after, kept.made);
}

/* `before`: the handles as the call took them. */
static void suite_started(int count, const MPI_Request requests[], const MPI_Request before[])
{
    for (int i = 0; i < count; i++) {
        suite_replaced(before[i], requests[i]);
        struct suite_handle *handle = suite_find(SUITE_REQUEST, TRUTH_HANDLE(requests[i]));
        if (handle != NULL)
            handle->made.is_inactive = 0;
    }
}

/* The call has said that this one is complete; what is left of it is `after`. */
static void suite_completed(MPI_Request before, MPI_Request after)
{
    struct suite_handle *handle = suite_find(SUITE_REQUEST, TRUTH_HANDLE(before));
    suite_freed(SUITE_REQUEST, TRUTH_HANDLE(before), TRUTH_HANDLE(after));
    if (handle != NULL && before == after)
        handle->made.is_inactive = 1;
}

/* Copies of the handles that a call completes: it may take them from the program. */
static MPI_Request *suite_copy(int count, const MPI_Request requests[])
{
    MPI_Request *copy = malloc((count > 0 ? count : 1) * sizeof *copy);
    for (int i = 0; i < count; i++)
        copy[i] = requests[i];
    return copy;
}

static void suite_completed_all(int count, const MPI_Request before[], const MPI_Request after[], int is_complete)
{
    for (int i = 0; i < count; i++)
        if (is_complete || before[i] != after[i])
            suite_completed(before[i], after[i]);
}

static void suite_completed_some(int count, const int indices[], const MPI_Request before[], const MPI_Request after[])
{
    for (int i = 0; i < count; i++)
        suite_completed(before[indices[i]], after[indices[i]]);
}

#endif
