/*
 * rings.c - records, in rings with one writer each: no lock, and safe in a signal that interrupts the writer.
 *
 * A writer first takes its slots, so that a signal handler that interrupts it takes the next ones; then it fills them, and stamps
 * them last. A reader accepts a slot only with the right stamp, and only if the ring has not wrapped around to it meanwhile.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "collector.h"

/* The first threads get most of the room; a program of many threads still has a ring for each. */
static const struct { uint32_t rings, slots; } shares[] = {{1, 32768}, {3, 16384}, {12, 2048}, {96, 256}};
_Static_assert(1 + 3 + 12 + 96 == MAX_RINGS && 32768 + 3 * 16384 + 12 * 2048 + 96 * 256 == RING_SLOTS, "shares");
/* OpenMP's rings are half as large. */
enum ring_set { OF_PROGRAM, OF_OPENMP, RING_SETS };

static uint32_t slots_of_set(enum ring_set set, uint32_t collects)
{
    if (set == OF_OPENMP)
        return (collects & COLLECT_OMPT) != 0 ? OMPT_SLOTS : 0;
    if ((collects & (COLLECT_EVENTS | COLLECT_CALLS)) == 0)
        return 0;
    return (collects & COLLECT_OMPT) != 0 ? RING_SLOTS / 2 : RING_SLOTS;
}

uint32_t slots_wanted(uint32_t collects)
{
    return slots_of_set(OF_PROGRAM, collects) + slots_of_set(OF_OPENMP, collects);
}

uint32_t rings_wanted(uint32_t collects)
{
    return (uint32_t)((slots_of_set(OF_PROGRAM, collects) != 0) + (slots_of_set(OF_OPENMP, collects) != 0));
}

_Static_assert(FIRST_WORDS + 255 * MORE_WORDS > MAX_RECORD_WORDS && MAX_RECORD_WORDS < 256, "words of a record");

#define OF_THREAD static __thread __attribute__((tls_model("initial-exec")))
/* A signal may take one at any time. */
OF_THREAD struct ring_entry *volatile own;
/* Records that this thread is writing now, one interrupted by the next, and the first slot of the outermost; of each set. */
OF_THREAD uint32_t open_records[RING_SETS];
OF_THREAD uint64_t oldest_open[RING_SETS];
/* Records until a thread that found no ring looks again. */
OF_THREAD uint32_t patience;

/* For each set, how far behind the ring that a thread has taken. */
static uint32_t distance[RING_SETS];

void rings_lay_out(void)
{
    const uint32_t sets = rings_wanted(region->collects), slots = slots_wanted(region->collects);
    struct ring_entry *rings = reserve(RINGS, MAX_RINGS * sets);
    if (rings == NULL || reserve(SLOTS, slots) == NULL)
        return;
    uint32_t first = 0, made = 0;
    for (enum ring_set set = 0; set < RING_SETS; set++) {
        const uint32_t all = slots_of_set(set, region->collects);
        distance[set] = made;
        for (size_t i = 0; all != 0 && i < sizeof shares / sizeof *shares; i++)
            for (uint32_t n = 0; n < shares[i].rings; n++) {
                rings[made].first = first;
                rings[made].slots = shares[i].slots / (RING_SLOTS / all);
                first += rings[made++].slots;
            }
    }
    publish(RINGS, made);
    publish(SLOTS, first);
}

static bool is_alive(uint32_t thread)
{
    return syscall(SYS_tgkill, region->pid, thread, 0) == 0 || errno != ESRCH;
}

/* A signal may have come in between and taken another one for the same thread. */
static bool take(struct ring_entry *ring, uint32_t from, uint32_t thread)
{
    if (!atomic_compare_exchange_strong(&ring->thread, &from, thread))
        return false;
    if (own == NULL)
        own = ring;
    else if (own != ring)
        atomic_store(&ring->thread, from);
    return true;
}

/* One that this thread's number has had, else a new one, else that of a thread that has ended. */
static void look_for_ring(void)
{
    const uint32_t thread = (uint32_t)syscall(SYS_gettid), count = next_index(RINGS) == 0 ? 0 : MAX_RINGS;
    struct ring_entry *rings = entry(RINGS, 0);
    for (uint32_t i = 0; i < count; i++)
        if (atomic_load(&rings[i].thread) == thread && take(&rings[i], thread, thread))
            return;
    for (uint32_t i = 0; i < count; i++)
        if (atomic_load(&rings[i].thread) == 0 && take(&rings[i], 0, thread))
            return;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t other = atomic_load(&rings[i].thread);
        if (!is_alive(other) && take(&rings[i], other, thread))
            return;
    }
}

static struct ring_entry *own_ring(void)
{
    if (own == NULL && patience > 0) {
        patience--;
    } else if (own == NULL) {
        /* A signal that comes now looks for itself: what it has to tell must not be lost. */
        const int error = errno;
        look_for_ring();
        errno = error;
        if (own == NULL)
            patience = 1023;
    }
    return own;
}

/*
 * Adds to what only this thread writes, and what interrupts it, and answers what was there: one instruction is enough for that,
 * and the bus need not be locked for other processors.
 */
static uint64_t own_fetch_add(_Atomic uint64_t *to, uint64_t added)
{
#ifdef __x86_64__
    __asm__ volatile("xaddq %0, %1" : "+r"(added), "+m"(*to) : : "memory", "cc");
    return added;
#else
    return atomic_fetch_add_explicit(to, added, memory_order_relaxed);
#endif
}

struct ring_entry *ring_of_thread(void)
{
    return region_is_ours() ? own_ring() : NULL;
}

static uint32_t slots_of(uint32_t words)
{
    return words <= FIRST_WORDS ? 1 : 1 + (words - FIRST_WORDS + MORE_WORDS - 1) / MORE_WORDS;
}

static struct slot *slot_at(const struct ring_entry *ring, uint64_t number)
{
    return (struct slot *)entry(SLOTS, ring->first) + (number & (ring->slots - 1));
}

/* The first slot's stamp comes last: with it all are complete. */
static void fill(struct ring_entry *ring, uint64_t first, const struct slot *begin, const uint64_t *more, uint32_t left)
{
    const uint32_t slots = slots_of(left + FIRST_WORDS);
    for (uint32_t i = 0; i < slots; i++) {
        struct slot *old = slot_at(ring, first + i);
        const uint64_t stamp = atomic_load_explicit(&old->stamp, memory_order_relaxed);
        atomic_store_explicit(&old->stamp, 0, memory_order_relaxed);
        if (stamp != 0 && stamp % 2 == 0)
            own_fetch_add(&ring->overwritten, 1);
    }
    atomic_thread_fence(memory_order_release);
    for (uint32_t i = 1; i < slots; i++) {
        const uint32_t words = left < MORE_WORDS ? left : MORE_WORDS;
        struct slot *to = slot_at(ring, first + i);
        memcpy(to->more, more, words * sizeof *more);
        more += words;
        left -= words;
        atomic_store_explicit(&to->stamp, 2 * (first + i) + 3, memory_order_release);
    }
    struct slot *to = slot_at(ring, first);
    to->first = begin->first;
    atomic_store_explicit(&to->stamp, 2 * first + 2, memory_order_release);
}

void record(enum record_kind kind, uint16_t what, uint64_t time, const uint64_t *words, uint32_t count)
{
    const enum ring_set set = kind == RECORD_OMPT || kind == RECORD_DEVICE ? OF_OPENMP : OF_PROGRAM;
    struct ring_entry *taken = region_is_ours() ? own_ring() : NULL;
    if (taken == NULL) {
        if (region_is_ours())
            atomic_fetch_add(&region->unrecorded, 1);
        return;
    }
    struct ring_entry *ring = taken + distance[set];
    struct slot begin = {.first = {time, (uint8_t)kind, (uint8_t)count, what, atomic_load(&taken->thread), {0}}};
    const uint32_t here = count < FIRST_WORDS ? count : FIRST_WORDS, slots = slots_of(count);
    memcpy(begin.first.words, words, here * sizeof *words);
    const uint64_t first = own_fetch_add(&ring->head, slots);
    if (open_records[set]++ == 0)
        oldest_open[set] = first;
    atomic_signal_fence(memory_order_seq_cst);
    /* What interrupts a writer never comes round to the slots that the writer has not stamped yet. */
    if (first + slots - oldest_open[set] > ring->slots) {
        atomic_fetch_add(&region->unrecorded, 1);
    } else {
        fill(ring, first, &begin, words + here, count - here);
        own_fetch_add(&ring->records, 1);
    }
    atomic_signal_fence(memory_order_seq_cst);
    open_records[set]--;
}
