/* handles.h - the handles that a call makes and frees, told to the collector when it ends. */
#ifndef MPIDBG_HANDLES_H
#define MPIDBG_HANDLES_H

#include "calls.h"

/* Before the call. What it remembers lasts until handles_end(), which is to be called in any case. True: see keep_freed(). */
bool handles_begin(const struct call *call);
void handles_end(const struct call *call, const struct told_call *told);

/* How many handles the argument has, and one of them as C has it. */
uint32_t handles_in(const struct call *call, const struct handle_argument *argument);
uint64_t handle_in_argument(const struct call *call, const struct handle_argument *argument, uint32_t index);

#endif
