/*
 * stop-record.h - what a rank tells mpidbg that is to wait for a debugger at a place of its program, over the socket of record.h.
 * plugin-api/deaths/stop-record.ts is the reader's side.
 *
 * STOP_ASKED: the rank is about to begin, or to call MPI_Init, and waits for a line with the addresses of the place, in hexadecimal, separated
 * by blanks. STOP_REACHED: it waits there until it is sent a byte, the connection ends, or a debugger has let it run.
 */
#ifndef MPIDBG_STOP_RECORD_H
#define MPIDBG_STOP_RECORD_H

#include <stdint.h>

#define STOP_MAGIC 'm', 'p', 'i', 'd', 'b', 'g', 'S', '1'
enum stop_kind { STOP_ASKED = 1, STOP_REACHED = 2 };
/*
 * STOP_AT_INIT: the process has come to MPI_Init, and all libraries that it starts with are there. STOP_TAKEN: it did not wait, because a session
 * that had come before has stopped it there; told when it ends.
 */
enum stop_flags { STOP_AT_INIT = 1, STOP_TAKEN = 2 };

struct mpidbg_stop {
    char magic[8];
    uint32_t bytes, kind;
    uint32_t pid, flags;
    int32_t rank;      /* as the launcher's environment says */
    uint32_t reserved;
    uint64_t address;  /* where it waits */
};
_Static_assert(sizeof(struct mpidbg_stop) == 40, "the reader relies on it");

enum { MAX_PLACES = 64 };
enum stops_state { STOPS_AWAITED, STOPS_COME, STOPS_TAKEN };

/* In the memory of the rank, as mpidbg_stops. A session that sees the rank stop at one puts back what stood there, and makes the state STOPS_TAKEN. */
struct mpidbg_stops {
    uint32_t count, state;
    struct { uint64_t address, code; } places[MAX_PLACES];
};
_Static_assert(sizeof(struct mpidbg_stops) == 8 + 16 * MAX_PLACES, "the reader relies on it");

#endif
