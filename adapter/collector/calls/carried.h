/*
 * carried.h - what a rank tells mpidbg of the first NaN or infinity that went out of it or came into it, over the socket of
 * deaths/record.h. plugin-api/deaths/carried-record.ts is the reader's side.
 */
#ifndef MPIDBG_CARRIED_H
#define MPIDBG_CARRIED_H

#include <stdint.h>

#define CARRIED_MAGIC 'm', 'p', 'i', 'd', 'b', 'g', 'C', '1'
enum carried_flags { CARRIED_INTO = 1, CARRIED_NAN = 2, CARRIED_ON_WINDOW = 4 };

/* Numbers of processes are those of the communicator or window; as in region.h CALL_ANY, and CARRIED_NONE: there is none. */
enum { CARRIED_NONE = INT32_MIN + 2 };
struct mpidbg_carried {
    char magic[8];
    uint32_t bytes, pid;
    int32_t rank;          /* as the launcher's environment says */
    uint32_t flags;
    uint64_t time;         /* CLOCK_MONOTONIC: when what carried it out began, or what carried it in was over */
    uint64_t caller;       /* where the call returns to */
    uint64_t completer;    /* of the call that has completed it; 0: itself */
    uint64_t object;       /* a communicator or a window, as C has it */
    uint64_t ordinal;      /* among the numbers of the buffer, from 0 */
    int64_t count;         /* elements of the datatype */
    int32_t own, size;     /* rank in the communicator; how many are in it */
    int32_t peer, tag, root;
    uint32_t times;        /* how often the process has come to this call, this time included; 0: not known */
    char function[48], completed_by[48];
    char name[128];        /* of the object */
    char datatype[64];
};
_Static_assert(sizeof(struct mpidbg_carried) == 384, "the reader relies on it");

#endif
