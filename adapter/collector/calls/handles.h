/* handles.h - the handles that a call makes and frees, told to the collector when it ends. */
#ifndef MPIDBG_HANDLES_H
#define MPIDBG_HANDLES_H

#include "calls.h"

/* Before the call. What it remembers lasts until handles_end(), which is to be called in any case. True: see keep_freed(). */
bool handles_begin(const struct call *call);
void handles_end(const struct call *call, const struct told_call *told);

#endif
