/* tell.h - what other libraries of mpidbg's may say over the socket of this one. */
#ifndef MPIDBG_DEATHS_TELL_H
#define MPIDBG_DEATHS_TELL_H

#include <stddef.h>

/* Sends a record, and waits until mpidbg lets the rank go on, at most as long as with its end. NULL: deaths are not watched. */
__attribute__((visibility("default"), weak)) void mpidbg_tell(const void *record, size_t bytes);

#endif
