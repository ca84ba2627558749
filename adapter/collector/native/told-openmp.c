/* told-openmp.c - the collector's side of what OMPT tells. */
#include <string.h>
#include "collector.h"
#include "told-openmp.h"

bool mpidbg_openmp_is_told(void)
{
    return collector_begin() && (region->collects & COLLECT_OMPT) != 0;
}

bool mpidbg_region_is_ours(void)
{
    return region_is_ours();
}

void *mpidbg_entry(enum table table, uint32_t index)
{
    return entry(table, index);
}

uint32_t mpidbg_capacity(enum table table)
{
    return region->tables[table].capacity;
}

uint32_t mpidbg_count(enum table table)
{
    return next_index(table);
}

void *mpidbg_add(enum table table, const void *like)
{
    lock();
    void *added = reserve(table, 1);
    if (added != NULL) {
        memcpy(added, like, region->tables[table].stride);
        publish(table, 1);
    }
    unlock();
    return added;
}

uint32_t mpidbg_text(const char *words)
{
    lock();
    const uint32_t offset = text(words);
    unlock();
    return offset;
}

struct ring_entry *mpidbg_ring(void)
{
    return ring_of_thread();
}

void mpidbg_record(enum record_kind kind, uint16_t what, uint64_t time, const uint64_t *words, uint32_t count)
{
    record(kind, what, time, words, count);
}
