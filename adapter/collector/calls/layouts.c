/* layouts.c - puts together where the numbers of a datatype lie, and keeps what is known of each type. */
#include <pthread.h>
#include <stdlib.h>
#include "layouts.h"

enum { PLACES = 1024 };

struct layout *layout_new(enum layout_kind kind)
{
    struct layout *layout = calloc(1, sizeof *layout);
    if (layout != NULL)
        *layout = (struct layout){.users = 1, .kind = kind};
    return layout;
}

struct layout *layout_kept(struct layout *layout)
{
    if (layout != NULL)
        atomic_fetch_add(&layout->users, 1);
    return layout;
}

void layout_give_back(struct layout *layout)
{
    if (layout == NULL || atomic_fetch_sub(&layout->users, 1) > 1)
        return;
    const long parts = layout->kind == LAYOUT_PARTS ? layout->count : layout->kind == LAYOUT_REPEATS ? 1 : 0;
    for (long i = 0; i < parts; i++)
        layout_give_back(layout->parts[i]);
    free(layout->parts);
    free(layout->offsets);
    free(layout);
}

void layout_measure(uint64_t type, struct layout *layout)
{
    long lower = 0, extent = 0;
    int (*get)(uint64_t, long *, long *);
    *(void **)&get = MPI_FUNCTION(MPI_Type_get_extent);
    if (get == NULL || get(type, &lower, &extent) != 0)
        layout->kind = LAYOUT_UNKNOWN;
    layout->lower = lower;
    layout->extent = extent;
}

struct layout *layout_floats(enum format format, long count)
{
    struct layout *layout = layout_new(LAYOUT_FLOATS);
    if (layout == NULL)
        return NULL;
    layout->format = format;
    layout->count = count;
    layout->numbers = (uint64_t)count;
    layout->bytes = (uint64_t)count * bytes_of_format(format);
    return layout;
}

struct layout *layout_repeated(struct layout *part, long count, long stride)
{
    if (part == NULL || part->kind == LAYOUT_UNKNOWN || part->kind == LAYOUT_NONE || count == 1)
        return part;
    if (count <= 0) {
        layout_give_back(part);
        return layout_new(LAYOUT_NONE);
    }
    if (part->kind == LAYOUT_FLOATS && stride == (long)part->bytes && atomic_load(&part->users) == 1) {
        part->count *= count;
        part->numbers *= (uint64_t)count;
        part->bytes *= (uint64_t)count;
        return part;
    }
    struct layout *layout = layout_new(LAYOUT_REPEATS);
    struct layout **parts = malloc(sizeof *parts);
    if (layout == NULL || parts == NULL) {
        free(layout);
        free(parts);
        layout_give_back(part);
        return NULL;
    }
    *parts = part;
    layout->parts = parts;
    layout->count = count;
    layout->stride = stride;
    layout->numbers = part->numbers * (uint64_t)count;
    layout->bytes = part->bytes * (uint64_t)count;
    return layout;
}

struct layout *layout_parts(long count)
{
    struct layout *layout = layout_new(LAYOUT_PARTS);
    if (layout == NULL)
        return NULL;
    layout->parts = calloc((size_t)count + 1, sizeof *layout->parts);
    layout->offsets = calloc((size_t)count + 1, sizeof *layout->offsets);
    if (layout->parts != NULL && layout->offsets != NULL)
        return layout;
    layout_give_back(layout);
    return NULL;
}

bool layout_add(struct layout *layout, struct layout *part, long offset)
{
    if (part == NULL || part->kind == LAYOUT_UNKNOWN) {
        layout_give_back(part);
        return false;
    }
    if (part->kind == LAYOUT_NONE) {
        layout_give_back(part);
        return true;
    }
    layout->parts[layout->count] = part;
    layout->offsets[layout->count++] = offset;
    layout->numbers += part->numbers;
    layout->bytes += part->bytes;
    return true;
}

struct layout *layout_moved(struct layout *part, long offset)
{
    struct layout *moved = layout_parts(1);
    if (moved != NULL)
        return layout_add(moved, part, offset) ? moved : layout_unknown(moved);
    layout_give_back(part);
    return NULL;
}

struct layout *layout_unknown(struct layout *layout)
{
    layout_give_back(layout);
    return layout_new(LAYOUT_UNKNOWN);
}

static struct { uint64_t type; struct layout *layout; } cache[PLACES];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static unsigned place_of(uint64_t type)
{
    return (unsigned)((type * UINT64_C(0x9e3779b97f4a7c15)) >> 32) % PLACES;
}

static struct layout *known_layout(uint64_t type)
{
    pthread_mutex_lock(&mutex);
    const unsigned place = place_of(type);
    struct layout *found = cache[place].type == type ? layout_kept(cache[place].layout) : NULL;
    pthread_mutex_unlock(&mutex);
    return found;
}

static void keep(uint64_t type, struct layout *layout)
{
    pthread_mutex_lock(&mutex);
    const unsigned place = place_of(type);
    layout_give_back(cache[place].layout);
    cache[place].type = type;
    cache[place].layout = layout_kept(layout);
    pthread_mutex_unlock(&mutex);
}

struct layout *layout_of(uint64_t type, bool may_ask)
{
    struct layout *layout = type == 0 ? NULL : known_layout(type);
    if (layout != NULL || type == 0 || type == mpidbg_null_handle(HANDLE_DATATYPE) || (!may_ask && !is_named_float(type)))
        return layout;
    layout = layout_by_contents(type);
    if (layout != NULL)
        keep(type, layout);
    return layout;
}

void layout_forget(uint64_t type)
{
    pthread_mutex_lock(&mutex);
    const unsigned place = place_of(type);
    if (cache[place].type == type) {
        layout_give_back(cache[place].layout);
        cache[place].type = 0;
        cache[place].layout = NULL;
    }
    pthread_mutex_unlock(&mutex);
}
