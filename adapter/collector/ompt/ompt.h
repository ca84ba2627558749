/* ompt.h - what the parts of the OMPT tool share. */
#ifndef MPIDBG_OMPT_H
#define MPIDBG_OMPT_H

#include <stdatomic.h>
#include "../native/told-openmp.h"
#include "ompt-types.h"

uint64_t now(void);

/* An argument of a callback as a word of a record. */
#define WORD(argument) ((uint64_t)(argument))
#define ADDRESS(argument) ((uint64_t)(uintptr_t)(argument))
static inline uint64_t id_of(const ompt_data_t *data)
{
    return data == NULL ? 0 : data->value;
}

/* threads.c: what each thread is doing. The entry of the calling thread; NULL: there is no room for it. */
struct omp_thread_entry *own_thread(void);
/* The thread's changes to its entry are between these. */
void change_begins(struct omp_thread_entry *thread);
void change_ends(struct omp_thread_entry *thread);
void thread_enters(struct omp_thread_entry *thread, uint64_t parallel, uint64_t task, uint32_t team, uint32_t index, uint32_t flags);
void thread_leaves(struct omp_thread_entry *thread, uint64_t task);
void wait_begins(struct omp_thread_entry *thread, const struct omp_waiting *wait);
void wait_ends(struct omp_thread_entry *thread, enum omp_wait what);
void mutex_is_held(struct omp_thread_entry *thread, uint64_t wait_id, uint32_t kind, uint64_t code, uint64_t since);
void mutex_is_free(struct omp_thread_entry *thread, uint64_t wait_id);

/* scopes.c: parallel regions and tasks, by numbers that no other one of the process has. */
uint64_t new_parallel(void);
uint64_t new_task(void);
void scope_begins(enum table table, const struct omp_scope *like, uint64_t id);
void scope_ends(enum table table, uint64_t id);

/* devices.c: what other devices than the host say of themselves. */
void device_begins(int number, const char *type, ompt_device_t *device, ompt_function_lookup_t lookup, const char *documentation);
void device_ends(int number);
void image_is_unloaded(int device, uint64_t module);

/* callbacks.c, target-callbacks.c: the functions for OMPT, by number; NULL: there is none with it. */
ompt_interface_fn_t callback_of(int number);
ompt_interface_fn_t target_callback_of(int number);

#endif
