/* scopes.c - parallel regions and explicit tasks: a table of those that have begun, without a lock. */
#include <stdbool.h>
#include "ompt.h"

#define OF_THREAD static __thread __attribute__((tls_model("initial-exec")))

uint64_t new_parallel(void)
{
    static _Atomic uint64_t last;
    return atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
}

/* A thread takes many at a time, so that threads which make tasks do not wait for each other. */
uint64_t new_task(void)
{
    enum { AT_ONCE = 256 };
    static _Atomic uint64_t taken = 1;
    OF_THREAD uint64_t next, end;
    if (next == end) {
        next = atomic_fetch_add_explicit(&taken, AT_ONCE, memory_order_relaxed);
        end = next + AT_ONCE;
    }
    return next++;
}

static bool is_free(uint64_t id)
{
    return id == 0 || (id != OMP_BEING_WRITTEN && (id & OMP_HAS_ENDED) != 0);
}

/* If the table is full, only the id of the region or task is known. */
void scope_begins(enum table table, const struct omp_scope *like, uint64_t id)
{
    struct omp_scope *scopes = mpidbg_entry(table, 0);
    const uint32_t capacity = mpidbg_capacity(table);
    for (uint32_t i = 0; i < OMP_PROBES; i++) {
        struct omp_scope *to = &scopes[(id + i) % capacity];
        uint64_t found = atomic_load_explicit(&to->id, memory_order_relaxed);
        if (!is_free(found) || !atomic_compare_exchange_strong(&to->id, &found, OMP_BEING_WRITTEN))
            continue;
        to->enclosing = like->enclosing;
        to->task = like->task;
        to->code = like->code;
        to->flags = like->flags;
        to->requested = like->requested;
        atomic_store_explicit(&to->id, id, memory_order_release);
        return;
    }
}

void scope_ends(enum table table, uint64_t id)
{
    struct omp_scope *scopes = mpidbg_entry(table, 0);
    const uint32_t capacity = mpidbg_capacity(table);
    for (uint32_t i = 0; id != 0 && i < OMP_PROBES; i++) {
        struct omp_scope *at = &scopes[(id + i) % capacity];
        if (atomic_load_explicit(&at->id, memory_order_relaxed) == id) {
            atomic_store_explicit(&at->id, id | OMP_HAS_ENDED, memory_order_relaxed);
            return;
        }
    }
}
