/*
 * layouts.c - finds where the numbers of a datatype lie, from what MPI_Type_get_envelope and MPI_Type_get_contents say about its construction.
 * The handles of derived types that MPI_Type_get_contents returns have to be freed by who asks, which leaves the program's own alone.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "watch.h"

enum { MAX_DEPTH = 32, MAX_WORDS = 1 << 20, PLACES = 1024 };

/* In the order in which Open MPI counts them from 0 and MPICH from 1. */
enum combiner {
    NAMED, DUP, CONTIGUOUS, VECTOR, HVECTOR_INTEGER, HVECTOR, INDEXED, HINDEXED_INTEGER, HINDEXED, INDEXED_BLOCK, STRUCT_INTEGER,
    STRUCT, SUBARRAY, DARRAY, F90_REAL, F90_COMPLEX, F90_INTEGER, RESIZED, HINDEXED_BLOCK, OTHER_COMBINER
};

static enum combiner combiner_of(int number)
{
    static const enum combiner of_abi[] = {NAMED, DUP, CONTIGUOUS, VECTOR, HVECTOR, INDEXED, HINDEXED, INDEXED_BLOCK,
                                           HINDEXED_BLOCK, STRUCT, SUBARRAY, DARRAY, F90_REAL, F90_COMPLEX, F90_INTEGER, RESIZED};
    const enum told_flavour flavour = mpidbg_flavour();
    const int from = flavour == TOLD_MPICH ? 1 : flavour == TOLD_STANDARD_ABI ? 101 : 0;
    const int count = flavour == TOLD_STANDARD_ABI ? (int)(sizeof of_abi / sizeof *of_abi) : OTHER_COMBINER;
    if (number < from || number - from >= count)
        return OTHER_COMBINER;
    return flavour == TOLD_STANDARD_ABI ? of_abi[number - from] : (enum combiner)(number - from);
}

/* PER_SIZE: the size of all numbers tells that of one. */
enum { PER_SIZE, X87, QUAD };
static const struct named { const char *symbol; uint32_t mpich, abi; uint8_t format, numbers, is_pair; } named[] = {
#include "float-types.h"
};

void *mpi_function(void *_Atomic *known, const char *name)
{
    void *found = atomic_load_explicit(known, memory_order_relaxed);
    if (found == NULL) {
        found = mpidbg_next_symbol(name, &calls_may_be_told);
        atomic_store_explicit(known, found, memory_order_relaxed);
    }
    return found;
}

static struct layout *new_layout(enum layout_kind kind)
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

static void measure(uint64_t type, struct layout *layout)
{
    long lower = 0, extent = 0;
    int (*get)(uint64_t, long *, long *);
    *(void **)&get = MPI_FUNCTION(MPI_Type_get_extent);
    if (get == NULL || get(type, &lower, &extent) != 0)
        layout->kind = LAYOUT_UNKNOWN;
    layout->lower = lower;
    layout->extent = extent;
}

static struct layout *floats(enum format format, long count)
{
    struct layout *layout = new_layout(LAYOUT_FLOATS);
    if (layout == NULL)
        return NULL;
    layout->format = format;
    layout->count = count;
    layout->bytes = (uint64_t)count * bytes_of_format(format);
    return layout;
}

static bool format_of_size(uint64_t bytes, enum format *format)
{
    *format = bytes == 4 ? FORMAT_FLOAT : bytes == 8 ? FORMAT_DOUBLE : FORMAT_QUAD;
    return bytes == 4 || bytes == 8 || bytes == 16;
}

/* `known`: a type of the standard's that has numbers. */
static struct layout *layout_of_named(uint64_t type, const struct named *known)
{
    const uint64_t size = mpidbg_size_of_type(type);
    enum format format = known->format == X87 ? FORMAT_LONG_DOUBLE : FORMAT_QUAD;
    const bool is_pair = known->is_pair;
    if (size == 0)
        return NULL;
    if (known->format == PER_SIZE && !format_of_size(is_pair ? size - sizeof(int) : size / known->numbers, &format))
        return new_layout(LAYOUT_NONE);
    struct layout *layout = floats(format, known->numbers);
    if (layout != NULL)
        measure(type, layout);
    return layout;
}

static const struct named *named_type(uint64_t type)
{
    static void *_Atomic addresses[sizeof named / sizeof *named];
    const enum told_flavour flavour = mpidbg_flavour();
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        uint64_t handle = flavour == TOLD_MPICH ? named[i].mpich : named[i].abi;
        if (flavour == TOLD_OPEN_MPI) {
            void *found = atomic_load_explicit(&addresses[i], memory_order_relaxed);
            if (found == NULL) {
                found = mpidbg_first_symbol(named[i].symbol);
                atomic_store_explicit(&addresses[i], found == NULL ? (void *)1 : found, memory_order_relaxed);
            }
            handle = (uint64_t)(uintptr_t)found;
        }
        if (handle > 1 && handle == type)
            return &named[i];
    }
    return NULL;
}

static struct layout *made_layout(uint64_t type, int depth);

/* `count` of what `part` is, `stride` bytes apart. Takes `part`. */
static struct layout *repeated(struct layout *part, long count, long stride)
{
    if (part == NULL || part->kind == LAYOUT_UNKNOWN || part->kind == LAYOUT_NONE || count == 1)
        return part;
    if (count <= 0) {
        layout_give_back(part);
        return new_layout(LAYOUT_NONE);
    }
    if (part->kind == LAYOUT_FLOATS && stride == (long)part->bytes && atomic_load(&part->users) == 1) {
        part->count *= count;
        part->bytes *= (uint64_t)count;
        return part;
    }
    struct layout *layout = new_layout(LAYOUT_REPEATS);
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
    layout->bytes = part->bytes * (uint64_t)count;
    return layout;
}

static struct layout *parts_of(long count)
{
    struct layout *layout = new_layout(LAYOUT_PARTS);
    if (layout == NULL)
        return NULL;
    layout->parts = calloc((size_t)count + 1, sizeof *layout->parts);
    layout->offsets = calloc((size_t)count + 1, sizeof *layout->offsets);
    if (layout->parts != NULL && layout->offsets != NULL)
        return layout;
    layout_give_back(layout);
    return NULL;
}

/* False: it is not known. Takes `part`. */
static bool add_part(struct layout *layout, struct layout *part, long offset)
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
    layout->bytes += part->bytes;
    return true;
}

static struct layout *unknown_instead_of(struct layout *layout)
{
    layout_give_back(layout);
    return new_layout(LAYOUT_UNKNOWN);
}

struct contents { int *integers; long *addresses; uint64_t *types; int integer_count, address_count, type_count; };

static struct layout *element(uint64_t type, int depth, long *extent)
{
    struct layout *layout = made_layout(type, depth + 1);
    *extent = layout == NULL ? 0 : layout->extent;
    return layout;
}

static struct layout *blocks(const struct contents *of, enum combiner combiner, int depth)
{
    const int *integers = of->integers, count = integers[0];
    const bool is_one_length = combiner == INDEXED_BLOCK || combiner == HINDEXED_BLOCK, is_struct = combiner == STRUCT || combiner == STRUCT_INTEGER;
    const bool is_in_elements = combiner == INDEXED || combiner == INDEXED_BLOCK;
    const int *offsets = is_one_length ? integers + 2 : integers + 1 + count;
    const bool is_in_addresses = !is_in_elements && of->address_count >= count;
    if (count < 0 || of->type_count < (is_struct ? count : 1) || of->integer_count < (is_one_length ? 2 : 1 + count) + (is_in_addresses ? 0 : count))
        return new_layout(LAYOUT_UNKNOWN);
    struct layout *layout = parts_of(count);
    long extent = 0;
    struct layout *shared = is_struct || layout == NULL ? NULL : element(of->types[0], depth, &extent);
    for (int i = 0; layout != NULL && i < count; i++) {
        struct layout *part = is_struct ? element(of->types[i], depth, &extent) : layout_kept(shared);
        const long length = is_one_length ? integers[1] : integers[1 + i];
        const long offset = is_in_addresses ? of->addresses[i] : is_in_elements ? offsets[i] * extent : offsets[i];
        if (!add_part(layout, repeated(part, length, extent), offset))
            layout = unknown_instead_of(layout);
        if (layout != NULL && layout->kind == LAYOUT_UNKNOWN)
            break;
    }
    layout_give_back(shared);
    return layout;
}

static struct layout *subarray(const struct contents *of, int depth)
{
    const int dimensions = of->integers[0];
    if (dimensions < 1 || of->integer_count < 3 * dimensions + 2 || of->type_count < 1)
        return new_layout(LAYOUT_UNKNOWN);
    const int *sizes = of->integers + 1, *parts = sizes + dimensions, *starts = parts + dimensions;
    const int order = starts[dimensions];
    const bool is_of_c = order == (mpidbg_flavour() == TOLD_OPEN_MPI ? 0 : mpidbg_flavour() == TOLD_MPICH ? 56 : 12);
    long stride = 0, offset = 0;
    struct layout *layout = element(of->types[0], depth, &stride);
    for (int i = 0; i < dimensions; i++) {
        const int dimension = is_of_c ? dimensions - 1 - i : i;
        layout = repeated(layout, parts[dimension], stride);
        offset += starts[dimension] * stride;
        stride *= sizes[dimension];
    }
    struct layout *moved = parts_of(1);
    if (moved == NULL || add_part(moved, layout, offset))
        return moved;
    return unknown_instead_of(moved);
}

static struct layout *made_of(const struct contents *of, enum combiner combiner, int depth)
{
    const int *integers = of->integers;
    long extent = 0;
    switch (combiner) {
    case DUP:
    case RESIZED:
        return element(of->types[0], depth, &extent);
    case CONTIGUOUS: {
        struct layout *part = element(of->types[0], depth, &extent);
        return repeated(part, integers[0], extent);
    }
    case VECTOR:
    case HVECTOR:
    case HVECTOR_INTEGER: {
        struct layout *part = element(of->types[0], depth, &extent);
        const long stride = combiner == VECTOR ? integers[2] * extent : of->address_count > 0 ? of->addresses[0] : integers[2];
        return repeated(repeated(part, integers[1], extent), integers[0], stride);
    }
    case INDEXED:
    case HINDEXED:
    case HINDEXED_INTEGER:
    case INDEXED_BLOCK:
    case HINDEXED_BLOCK:
    case STRUCT:
    case STRUCT_INTEGER:
        return blocks(of, combiner, depth);
    case SUBARRAY:
        return subarray(of, depth);
    default:
        return new_layout(LAYOUT_UNKNOWN);
    }
}

static int envelope(uint64_t type, int *integers, int *addresses, int *types)
{
    int combiner = -1;
    int (*get)(uint64_t, int *, int *, int *, int *);
    *(void **)&get = MPI_FUNCTION(MPI_Type_get_envelope);
    return get == NULL || get(type, integers, addresses, types, &combiner) != 0 ? OTHER_COMBINER : (int)combiner_of(combiner);
}

static bool is_predefined(enum combiner combiner)
{
    return combiner == NAMED || combiner == F90_REAL || combiner == F90_COMPLEX || combiner == F90_INTEGER;
}

static void free_type(uint64_t type)
{
    int integers, addresses, types;
    if (is_predefined((enum combiner)envelope(type, &integers, &addresses, &types)))
        return;
    int (*free_it)(uint64_t *);
    *(void **)&free_it = MPI_FUNCTION(MPI_Type_free);
    if (free_it != NULL)
        free_it(&type);
}

static struct layout *derived(uint64_t type, enum combiner combiner, const int *counts, int depth)
{
    const size_t words = (size_t)counts[0] + (size_t)counts[1] + (size_t)counts[2];
    if (counts[0] < 0 || counts[1] < 0 || counts[2] < 1 || words > MAX_WORDS)
        return new_layout(LAYOUT_UNKNOWN);
    struct contents of = {calloc((size_t)counts[0] + 4, sizeof(int)), calloc((size_t)counts[1] + 1, sizeof(long)), NULL, counts[0], counts[1], counts[2]};
    of.types = calloc((size_t)counts[2] + 1, sizeof *of.types);
    int (*get)(uint64_t, int, int, int, int *, long *, void *);
    *(void **)&get = MPI_FUNCTION(MPI_Type_get_contents);
    struct layout *layout = NULL;
    if (get != NULL && of.integers != NULL && of.addresses != NULL && of.types != NULL &&
        get(type, counts[0], counts[1], counts[2], of.integers, of.addresses, of.types) == 0) {
        /* Backwards: MPICH's handles are half as wide. */
        for (int i = counts[2] - 1; i >= 0; i--)
            of.types[i] = mpidbg_read_handle(HANDLE_DATATYPE, of.types, (uint32_t)i);
        layout = made_of(&of, combiner, depth);
        for (int i = 0; i < counts[2]; i++)
            free_type(of.types[i]);
    }
    free(of.integers);
    free(of.addresses);
    free(of.types);
    return layout;
}

static struct layout *made_layout(uint64_t type, int depth)
{
    const struct named *known = named_type(type);
    if (known != NULL)
        return layout_of_named(type, known);
    int counts[3] = {0, 0, 0};
    const enum combiner combiner = (enum combiner)envelope(type, &counts[0], &counts[1], &counts[2]);
    struct layout *layout;
    enum format format;
    if (combiner == NAMED || combiner == F90_INTEGER)
        layout = new_layout(LAYOUT_NONE);
    else if (combiner == F90_REAL || combiner == F90_COMPLEX) {
        const unsigned numbers = combiner == F90_REAL ? 1 : 2;
        layout = format_of_size(mpidbg_size_of_type(type) / numbers, &format) ? floats(format, numbers) : new_layout(LAYOUT_UNKNOWN);
    } else
        layout = depth > MAX_DEPTH || combiner == OTHER_COMBINER ? new_layout(LAYOUT_UNKNOWN) : derived(type, combiner, counts, depth);
    if (layout != NULL)
        measure(type, layout);
    return layout;
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
    if (layout != NULL || type == 0 || type == mpidbg_null_handle(HANDLE_DATATYPE) || (!may_ask && named_type(type) == NULL))
        return layout;
    layout = made_layout(type, 0);
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
