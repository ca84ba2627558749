/* threads.c - what each thread is doing: where it is, what it waits for, and what it holds. Written by that thread alone. */
#include <string.h>
#include <time.h>
#include "ompt.h"

#define OF_THREAD static __thread __attribute__((tls_model("initial-exec")))
OF_THREAD struct omp_thread_entry *own;

uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

void change_begins(struct omp_thread_entry *thread)
{
    const uint64_t generation = atomic_load_explicit(&thread->generation, memory_order_relaxed);
    atomic_store_explicit(&thread->generation, generation + 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
}

void change_ends(struct omp_thread_entry *thread)
{
    const uint64_t generation = atomic_load_explicit(&thread->generation, memory_order_relaxed);
    atomic_store_explicit(&thread->generation, generation + 1, memory_order_release);
}

/* What a thread that has ended left in it is of no interest any more, except how often callbacks came. */
static void clear(struct omp_thread_entry *thread, uint32_t number)
{
    change_begins(thread);
    memset(&thread->thread, 0, offsetof(struct omp_thread_entry, called) - offsetof(struct omp_thread_entry, thread));
    thread->thread = number;
    change_ends(thread);
}

struct omp_thread_entry *own_thread(void)
{
    if (own != NULL)
        return own;
    const struct ring_entry *ring = mpidbg_ring();
    if (ring == NULL)
        return NULL;
    own = mpidbg_entry(OMP_THREADS, (uint32_t)(ring - (struct ring_entry *)mpidbg_entry(RINGS, 0)));
    clear(own, atomic_load_explicit(&ring->thread, memory_order_relaxed));
    return own;
}

void thread_enters(struct omp_thread_entry *thread, uint64_t parallel, uint64_t task, uint32_t team, uint32_t index, uint32_t flags)
{
    if (thread->levels < MAX_LEVELS)
        thread->level[thread->levels] = (struct omp_level){parallel, task, team, index, flags, 0};
    if (thread->levels < UINT8_MAX)
        thread->levels++;
    thread->task = task;
    thread->flags &= (uint8_t)~OMP_FORKS;
}

/* What was begun inside has ended too. */
void thread_leaves(struct omp_thread_entry *thread, uint64_t task)
{
    while (thread->levels > 0) {
        thread->levels--;
        if (thread->levels >= MAX_LEVELS || thread->level[thread->levels].task == task)
            break;
    }
    while (thread->waits > 0 && thread->waits <= MAX_WAITS && thread->wait[thread->waits - 1].task == task)
        thread->waits--;
    thread->task = 0;
}

void wait_begins(struct omp_thread_entry *thread, const struct omp_waiting *wait)
{
    if (thread->waits < MAX_WAITS)
        thread->wait[thread->waits] = *wait;
    if (thread->waits < UINT8_MAX)
        thread->waits++;
}

void wait_ends(struct omp_thread_entry *thread, enum omp_wait what)
{
    while (thread->waits > 0) {
        thread->waits--;
        if (thread->waits >= MAX_WAITS || thread->wait[thread->waits].what == (uint32_t)what)
            break;
    }
}

void mutex_is_held(struct omp_thread_entry *thread, uint64_t wait_id, uint32_t kind, uint64_t code, uint64_t since)
{
    for (int i = 0; i < MAX_HELD; i++) {
        struct omp_held *held = &thread->held[i];
        if (atomic_load_explicit(&held->wait_id, memory_order_relaxed) != 0)
            continue;
        held->kind = kind;
        held->code = code;
        held->since = since;
        atomic_store_explicit(&held->wait_id, wait_id, memory_order_release);
        return;
    }
}

static bool let_go(struct omp_thread_entry *thread, uint64_t wait_id)
{
    for (int i = 0; i < MAX_HELD; i++) {
        uint64_t held = wait_id;
        if (atomic_load_explicit(&thread->held[i].wait_id, memory_order_relaxed) == wait_id &&
            atomic_compare_exchange_strong(&thread->held[i].wait_id, &held, 0))
            return true;
    }
    return false;
}

/* An untied task may go on in another thread than the one that it has taken a lock in. */
void mutex_is_free(struct omp_thread_entry *thread, uint64_t wait_id)
{
    if (thread != NULL && let_go(thread, wait_id))
        return;
    struct omp_thread_entry *threads = mpidbg_entry(OMP_THREADS, 0);
    for (uint32_t i = 0; i < mpidbg_capacity(OMP_THREADS); i++)
        if (let_go(&threads[i], wait_id))
            return;
}
