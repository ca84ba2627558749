/* keep-freed.h - on the user's wish, objects that the program frees stay, so that other copies of the handle can still be looked at. */
#ifndef MPIDBG_KEEP_FREED_H
#define MPIDBG_KEEP_FREED_H

#include "calls.h"

/* True: the object stays, the variable holds the null handle, and the library is not to be called. */
bool keep_freed(const struct call *call, const struct handle_argument *argument, uint64_t handle, uint64_t life);
/* Called for each function before its first call. */
void keep_freed_learns(const struct function *function);

#endif
