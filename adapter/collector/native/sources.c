/* sources.c - what raises events, with its clock beside ours. */
#include <string.h>
#include "collector.h"

/* The table has no more; an index of MPI_T is one in it, because sources neither go nor move. */
enum { MAX_SOURCES = 64 };
static uint32_t source_of[MAX_MPI_INDEX];
static int mpi_indices[MAX_SOURCES];

/* The moment between two looks at our clock. */
static void compare(int mpi_index, struct source_entry *to)
{
    Count ticks = 0;
    const uint64_t before = now();
    const int code = mpi_t.source_get_timestamp(mpi_index, &ticks);
    const uint64_t after = now();
    if (code != 0) {
        reason(&to->error, error_word(code));
        return;
    }
    const uint64_t next = atomic_load(&to->generation) + 1;
    to->reference[next % 2].ticks = ticks;
    to->reference[next % 2].time = before + (after - before) / 2;
    atomic_store(&to->generation, next);
    atomic_store(&to->error, 0);
}

static void add_source(int mpi_index)
{
    static char name[MAX_NAME], description[MAX_DESCRIPTION];
    int name_length = MAX_NAME, description_length = MAX_DESCRIPTION, ordering = -1;
    Count ticks_per_second = 0, max_ticks = 0;
    Handle info = null_handle(HANDLE_INFO);
    if (mpi_t.source_get_info(mpi_index, name, &name_length, description, &description_length, &ordering,
                              &ticks_per_second, &max_ticks, &info) != 0)
        return;
    struct source_entry *made = reserve(SOURCES, 1);
    if (made == NULL)
        return;
    *made = (struct source_entry){
        .name = text(name), .description = text(description), .ordering = ordering_word(ordering),
        .ticks_per_second = ticks_per_second, .max_ticks = max_ticks, .first_hint = next_index(HINTS),
    };
    made->hints = hints_of(info);
    compare(mpi_index, made);
    mpi_indices[next_index(SOURCES)] = mpi_index;
    source_of[mpi_index] = next_index(SOURCES) + 1;
    publish(SOURCES, 1);
}

void sources_update(void)
{
    if (mpi_t.source_get_info != NULL && mpi_t.source_get_timestamp != NULL)
        add_new(mpi_t.source_get_num, source_of, add_source);
}

void sources_compare(void)
{
    for (uint32_t i = 0; i < next_index(SOURCES); i++)
        compare(mpi_indices[i], entry(SOURCES, i));
}

/* A source that appeared after the last look is not in the table yet. */
uint32_t source_index(int mpi_index)
{
    return mpi_index >= 0 && mpi_index < MAX_MPI_INDEX && source_of[mpi_index] != 0 ? source_of[mpi_index] - 1 : UINT32_MAX;
}

void source_dropped(int mpi_index, uint64_t count)
{
    const uint32_t index = source_index(mpi_index);
    if (index != UINT32_MAX)
        atomic_fetch_add(&((struct source_entry *)entry(SOURCES, index))->dropped, count);
}
