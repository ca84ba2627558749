/*
 * told-openmp.h - what OMPT's callbacks, a library of their own (../ompt), need of the collector. All weak: without the
 * collector there is no tool.
 */
#ifndef MPIDBG_TOLD_OPENMP_H
#define MPIDBG_TOLD_OPENMP_H

#include <stdbool.h>
#include <stdint.h>
#include "region.h"

#ifndef SHARED
#define SHARED __attribute__((visibility("default"), weak))
#endif

/* OpenMP is collected; makes the region if there is none yet. */
SHARED bool mpidbg_openmp_is_told(void);
/* False in a fork: then none of the others may be called. From any thread and signal. */
SHARED bool mpidbg_region_is_ours(void);
/* An entry of a table that threads write by themselves. */
SHARED void *mpidbg_entry(enum table table, uint32_t index);
SHARED uint32_t mpidbg_capacity(enum table table);
SHARED uint32_t mpidbg_count(enum table table);
/* Adds an entry like this one; NULL: there is no room. */
SHARED void *mpidbg_add(enum table table, const void *like);
SHARED uint32_t mpidbg_text(const char *words);
/* The calling thread's ring; NULL: it has none. */
SHARED struct ring_entry *mpidbg_ring(void);
SHARED void mpidbg_record(enum record_kind kind, uint16_t what, uint64_t time, const uint64_t *words, uint32_t count);

#endif
