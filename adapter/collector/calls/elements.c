/* elements.c - looks at the numbers in elements of a datatype. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>
#include "watch.h"

/* How many bytes of numbers are looked at in each buffer. */
uint64_t most_bytes(void)
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

/* What a layout consists of: numbers, or parts. Where parts differ, `bytes` is their average. */
struct unit { const char *address; const struct layout *layout; };

static struct unit unit_at(const char *address, const struct layout *layout, long index)
{
    const bool is_same = layout->kind == LAYOUT_REPEATS;
    return (struct unit){address + (is_same ? index * layout->stride : layout->offsets[index]), layout->parts[is_same ? 0 : index]};
}

/* Units `from` to `to`. */
static bool look_between(const char *address, const struct layout *layout, long from, long to, enum wanted wanted, uint64_t most, struct hit *hit)
{
    if (layout->kind == LAYOUT_FLOATS) {
        address += from * (long)bytes_of_format(layout->format);
        const long at = scan(address, to - from, layout->format, wanted);
        hit->is_found = at >= 0;
        hit->is_nan = at >= 0 && is_nan_at(address + at * (long)bytes_of_format(layout->format), layout->format);
        hit->ordinal += (uint64_t)(at < 0 ? to - from : at);
        return hit->is_found;
    }
    for (long i = from; i < to; i++) {
        const struct unit unit = unit_at(address, layout, i);
        if (look_in(unit.address, unit.layout, wanted, most, hit))
            return true;
    }
    return false;
}

static void pass_over(const struct layout *layout, long from, long to, struct hit *hit)
{
    if (layout->kind != LAYOUT_PARTS)
        hit->ordinal += (uint64_t)(to - from) * (layout->numbers / (uint64_t)layout->count);
    else
        for (long i = from; i < to; i++)
            hit->ordinal += layout->parts[i]->numbers;
}

bool look_in(const char *address, const struct layout *layout, enum wanted wanted, uint64_t most, struct hit *hit)
{
    const long count = layout->count;
    if (layout->bytes == 0 || count <= 0)
        return false;
    if (layout->bytes <= most)
        return look_between(address, layout, 0, count, wanted, most, hit);
    if (count == 1 && layout->kind != LAYOUT_FLOATS) {
        const struct unit only = unit_at(address, layout, 0);
        return look_in(only.address, only.layout, wanted, most, hit);
    }
    const uint64_t average = layout->bytes / (uint64_t)count, unit = average > 0 ? average : 1;
    const long fitting = (long)(most / 2 / unit), first = fitting > 0 ? fitting : 1;
    if (look_between(address, layout, 0, first, wanted, most / 2, hit))
        return true;
    const long each = (long)(SAMPLE / unit) > 0 ? (long)(SAMPLE / unit) : 1;
    const long allowed = (long)(most / 2 / SAMPLE), samples = allowed > 0 ? allowed : 1;
    long at = first;
    for (long i = 1; i <= samples; i++) {
        /* The last one ends where the layout does. */
        const long begin = i == samples ? count - each : first + (count - first) * (i - 1) / samples;
        if (begin < at)
            continue;
        const long end = begin + each < count ? begin + each : count;
        pass_over(layout, at, begin, hit);
        if (look_between(address, layout, begin, end, wanted, most / 2 < SAMPLE ? most / 2 : SAMPLE, hit))
            return true;
        at = end;
    }
    pass_over(layout, at, count, hit);
    return false;
}

struct hit look_at_elements(const char *address, int64_t count, const struct layout *layout, enum wanted wanted, uint64_t most)
{
    struct hit hit = {0};
    if (wanted == WANTS_NOTHING || layout == NULL || layout->bytes == 0 || layout->kind == LAYOUT_UNKNOWN || count <= 0)
        return hit;
    struct layout *parts[] = {(struct layout *)layout};
    struct layout all = {.kind = LAYOUT_REPEATS, .count = count, .stride = layout->extent, .parts = parts};
    if (layout->kind == LAYOUT_FLOATS && layout->extent == (long)layout->bytes)
        all = (struct layout){.kind = LAYOUT_FLOATS, .format = layout->format, .count = count * layout->count};
    all.numbers = layout->numbers * (uint64_t)count;
    all.bytes = layout->bytes * (uint64_t)count;
    look_in(address, &all, wanted, most, &hit);
    return hit;
}

struct hit look_in_buffer(const struct buffer *buffer, const struct layout *layout, enum wanted wanted)
{
    if (buffer->section.dimensions > 0)
        return look_in_section(buffer, layout, wanted);
    struct hit hit = look_at_elements(buffer->address, buffer->count, layout, wanted, most_bytes());
    if (hit.is_found && buffer->each > 0) {
        hit.has_peer = true;
        hit.peer = (int)(hit.ordinal / layout->numbers / (uint64_t)buffer->each);
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
    const bool is_array = buffer->section.dimensions > 0;
    const bool is_there = layout != NULL && (!was_before || is_array || can_be_read(buffer->address + layout->lower, (uint64_t)layout->extent * (uint64_t)buffer->count));
    if (is_there)
        hit = look_in_buffer(buffer, layout, wanted);
    layout_give_back(layout);
    return hit;
}
