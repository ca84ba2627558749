/* truth-status.h - what MPI itself tells about an MPI_Status; see truth.h. */
#ifndef TRUTH_STATUS_H
#define TRUTH_STATUS_H

#include "truth.h"

static void truth_add_rank(const char *field, int rank)
{
    if (rank == MPI_ANY_SOURCE)
        truth_add("\"%s\":\"MPI_ANY_SOURCE\"", field);
    else if (rank == MPI_PROC_NULL)
        truth_add("\"%s\":\"MPI_PROC_NULL\"", field);
    else
        truth_add("\"%s\":%d", field, rank);
}

static void truth_add_tag(int tag)
{
    if (tag == MPI_ANY_TAG)
        truth_add("\"tag\":\"MPI_ANY_TAG\"");
    else
        truth_add("\"tag\":%d", tag);
}

/* Without the braces around it. */
static void truth_add_status_fields(const MPI_Status *status)
{
    MPI_Count bytes;
    int cancelled;
    MPI_Get_elements_x(status, MPI_BYTE, &bytes);
    MPI_Test_cancelled(status, &cancelled);
    truth_add_rank("source", status->MPI_SOURCE);
    truth_add(",");
    truth_add_tag(status->MPI_TAG);
    truth_add(",\"error\":%d,\"bytes\":", status->MPI_ERROR);
    truth_add_integer(bytes);
    truth_add(",\"cancelled\":%s", cancelled ? "true" : "false");
}

static void truth_status_full(const char *ask, const char *expression, const MPI_Status *status)
{
    if (!truth_is_wanted)
        return;
    truth_begin_line(ask, expression);
    truth_add(",\"kind\":\"status\",\"info\":{\"address\":\"0x%lx\",", (unsigned long)(uintptr_t)status);
    truth_add_status_fields(status);
    truth_add("}}");
    truth_print();
}

/* A status that MPI has filled. Its MPI_ERROR is what the variable holds: not every call sets it. */
__attribute__((unused)) static void truth_status(const char *expression, const MPI_Status *status)
{
    truth_status_full(NULL, expression, status);
}

/* A member or element: asking for `ask` gives an answer named `expression`, among others. */
__attribute__((unused)) static void truth_status_in(const char *ask, const char *expression, const MPI_Status *status)
{
    truth_status_full(ask, expression, status);
}

#endif
