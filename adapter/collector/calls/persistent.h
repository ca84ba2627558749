/* persistent.h - persistent collectives: a request that MPI_Bcast_init and the like make stands for a collective each time it is started. */
#ifndef MPIDBG_PERSISTENT_H
#define MPIDBG_PERSISTENT_H

#include "calls.h"

/* How many requests are known. Without any, the calls that start and free requests have nothing to ask here. */
extern _Atomic uint32_t persistent_count;

/* The call has made this request for collectives of told->comm. */
void persistent_made(const struct told_call *told);
/* An array of requests, and how many the call starts: sets the communicator of `told` and the instance, if it starts collectives. */
void persistent_started(const struct call *call, const struct handle_argument *argument, struct told_call *told);
/* The request, or a communicator: no more is told of its requests. */
void persistent_freed(enum handle_kind kind, uint64_t handle);

#endif
