/* elements.c - looks at the numbers in elements of a datatype. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>
#include "watch.h"

/* How many bytes of numbers are looked at in each buffer: half of them at its begin, the others spread over the rest. */
static uint64_t max_bytes(void)
{
    static _Atomic uint64_t known;
    uint64_t bytes = atomic_load_explicit(&known, memory_order_relaxed);
    if (bytes == 0) {
        const char *words = getenv("MPIDBG_WATCH_NAN");
        bytes = words == NULL ? 0 : strtoull(words, NULL, 10);
        bytes = bytes < SAMPLE ? SAMPLE : bytes;
        atomic_store_explicit(&known, bytes, memory_order_relaxed);
    }
    return bytes;
}

static bool look_in(const char *address, const struct layout *layout, enum wanted wanted, struct hit *hit)
{
    switch (layout->kind) {
    case LAYOUT_FLOATS: {
        const long at = scan(address, layout->count, layout->format, wanted);
        if (at < 0) {
            hit->ordinal += (uint64_t)layout->count;
            return false;
        }
        hit->ordinal += (uint64_t)at;
        hit->is_found = true;
        hit->is_nan = is_nan_at(address + at * (long)bytes_of_format(layout->format), layout->format);
        return true;
    }
    case LAYOUT_REPEATS:
        for (long i = 0; i < layout->count; i++)
            if (look_in(address + i * layout->stride, layout->parts[0], wanted, hit))
                return true;
        return false;
    case LAYOUT_PARTS:
        for (long i = 0; i < layout->count; i++)
            if (look_in(address + layout->offsets[i], layout->parts[i], wanted, hit))
                return true;
        return false;
    default:
        return false;
    }
}

uint64_t numbers_in(const struct layout *layout)
{
    uint64_t numbers = 0;
    if (layout->kind == LAYOUT_FLOATS)
        return (uint64_t)layout->count;
    if (layout->kind == LAYOUT_REPEATS)
        return (uint64_t)layout->count * numbers_in(layout->parts[0]);
    for (long i = 0; layout->kind == LAYOUT_PARTS && i < layout->count; i++)
        numbers += numbers_in(layout->parts[i]);
    return numbers;
}

/* Elements `from` to `to`. */
static bool look_between(const char *address, int64_t from, int64_t to, const struct layout *layout, enum wanted wanted, struct hit *hit)
{
    const bool is_one = layout->kind == LAYOUT_FLOATS && layout->extent == (long)layout->bytes;
    if (is_one) {
        struct layout all = {.kind = LAYOUT_FLOATS, .format = layout->format, .count = layout->count * (to - from)};
        return look_in(address + from * layout->extent, &all, wanted, hit);
    }
    for (int64_t i = from; i < to; i++)
        if (look_in(address + i * layout->extent, layout, wanted, hit))
            return true;
    return false;
}

struct hit look_at_elements(const char *address, int64_t count, const struct layout *layout, enum wanted wanted)
{
    struct hit hit = {0};
    if (wanted == WANTS_NOTHING || layout == NULL || layout->bytes == 0 || count <= 0)
        return hit;
    const uint64_t most = max_bytes();
    if ((uint64_t)count <= most / layout->bytes || count == 1) {
        look_between(address, 0, count, layout, wanted, &hit);
        return hit;
    }
    const uint64_t numbers = numbers_in(layout);
    const int64_t first = (int64_t)(most / 2 / layout->bytes) > 0 ? (int64_t)(most / 2 / layout->bytes) : 1;
    if (look_between(address, 0, first, layout, wanted, &hit))
        return hit;
    const int64_t each = (int64_t)(SAMPLE / layout->bytes) > 0 ? (int64_t)(SAMPLE / layout->bytes) : 1;
    const int64_t samples = first / each > 0 ? first / each : 1, step = (count - first) / samples;
    for (int64_t i = 0; i < samples && step > 0; i++) {
        /* The last one ends where the buffer does. */
        const int64_t from = i == samples - 1 ? count - each : first + i * step;
        if (from < first)
            break;
        hit.ordinal = (uint64_t)from * numbers;
        if (look_between(address, from, from + each < count ? from + each : count, layout, wanted, &hit))
            return hit;
    }
    return hit;
}

/* The program may have named memory that is not there, which is for MPI to find out. */
static bool can_be_read(const char *address, uint64_t bytes)
{
    char to[2];
    const struct iovec here = {to, 2}, there[2] = {{(void *)(uintptr_t)address, 1}, {(void *)(uintptr_t)(address + bytes - 1), 1}};
    return bytes > 0 && process_vm_readv(getpid(), &here, 1, there, 2, 0) == 2;
}

struct hit look_at(const struct buffer *buffer, enum wanted wanted, bool was_before)
{
    struct hit hit = {0};
    if (buffer->count <= 0 || wanted == WANTS_NOTHING)
        return hit;
    struct layout *layout = layout_of(buffer->type, !was_before);
    const bool is_there = layout != NULL && (!was_before || can_be_read(buffer->address + layout->lower, (uint64_t)layout->extent * (uint64_t)buffer->count));
    if (is_there)
        hit = look_at_elements(buffer->address, buffer->count, layout, wanted);
    layout_give_back(layout);
    return hit;
}
