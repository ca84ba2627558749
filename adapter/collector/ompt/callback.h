/* callback.h - what every callback does first and last. */
#ifndef MPIDBG_CALLBACK_H
#define MPIDBG_CALLBACK_H

#include "ompt.h"

static inline void count(int number, struct omp_thread_entry *thread)
{
    if (thread != NULL) {
        const uint64_t called = atomic_load_explicit(&thread->called[number], memory_order_relaxed);
        atomic_store_explicit(&thread->called[number], called + 1, memory_order_relaxed);
    } else {
        struct callback_entry *callback = mpidbg_entry(CALLBACKS, (uint32_t)number);
        atomic_fetch_add_explicit(&callback->called, 1, memory_order_relaxed);
    }
}

/* `thread` and `time` of this moment; the rest of the function is what happens without a region. */
#define BEGIN(name)                                     \
    if (!mpidbg_region_is_ours())                       \
        return;                                         \
    struct omp_thread_entry *const thread = own_thread(); \
    const uint64_t time = now();                        \
    count(ompt_callback_##name, thread)

#define RECORD_AT(name, endpoint, ...)                                                                                        \
    do {                                                                                                                      \
        const uint64_t words_[] = {__VA_ARGS__};                                                                              \
        mpidbg_record(RECORD_OMPT, (uint16_t)(ompt_callback_##name | (endpoint) << OMPT_ENDPOINT), time, words_,              \
                      sizeof words_ / sizeof *words_);                                                                        \
    } while (0)
#define RECORD(name, ...) RECORD_AT(name, 0, __VA_ARGS__)

#define CHANGE(...)                   \
    do {                              \
        if (thread != NULL) {         \
            change_begins(thread);    \
            __VA_ARGS__;              \
            change_ends(thread);      \
        }                             \
    } while (0)

#endif
