/*
 * live.h - a sample tells which handles it has, by kind, and nothing else; see truth.h for when.
 *
 *     MPIDBG-LIVE {"rank":0,"live":{"comm":["0x84000001"],"datatype":[],...}}
 */
#ifndef LIVE_H
#define LIVE_H

#include "truth.h"

static int live_kind_count;

/* Whether the line is wanted; if so it is begun. */
static int live_begin(void)
{
    if (truth_is_wanted)
        truth_add("MPIDBG-LIVE {\"rank\":%d,\"live\":{", truth_rank);
    return truth_is_wanted;
}

static void live_kind(const char *kind, int count, const unsigned long handles[])
{
    truth_add("%s\"%s\":[", live_kind_count++ > 0 ? "," : "", kind);
    for (int i = 0; i < count; i++)
        truth_add("%s\"0x%lx\"", i > 0 ? "," : "", handles[i]);
    truth_add("]");
}

static void live_end(void)
{
    truth_add("}}");
    truth_print();
}

#define LIVE(kind, ...) \
    do { \
        const unsigned long handles_[] = {__VA_ARGS__}; \
        live_kind(kind, (int)(sizeof handles_ / sizeof *handles_), handles_); \
    } while (0)

/* MPICH may give an operation that is complete at once a request that stands for many: by mpi.h a constant. */
__attribute__((unused)) static int live_is_constant(MPI_Request request)
{
#ifdef MPICH
    return (unsigned)request >> 30 == 1;
#else
    (void)request;
    return 0;
#endif
}

#endif
