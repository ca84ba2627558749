/*
 * type-contents.c - where the numbers of a datatype lie, from what MPI_Type_get_envelope and MPI_Type_get_contents say about its construction.
 * The handles of derived types that MPI_Type_get_contents returns have to be freed by who asks, which leaves the program's own alone.
 */
#include <stdlib.h>
#include "layouts.h"

/* MAX_TYPES: types in types, of which one may be in another several times. */
enum { MAX_DEPTH = 32, MAX_WORDS = 1 << 20, MAX_TYPES = 1 << 14 };

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
        return layout_new(LAYOUT_NONE);
    struct layout *layout = layout_floats(format, known->numbers);
    if (layout != NULL)
        layout_measure(type, layout);
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

bool is_named_float(uint64_t type)
{
    return named_type(type) != NULL;
}

/* What is being found out: a type in types, and how many more may be asked for. */
struct asking { int depth, *left; };
static struct layout *made_layout(uint64_t type, struct asking asking);

/* `sizes`: how many integers, addresses, large counts and types there are. The first three are one behind the other in `numbers`. */
enum { INTEGERS, ADDRESSES, LARGE_COUNTS, TYPES, SIZES };
struct contents { enum combiner combiner; long sizes[SIZES], count, *numbers; uint64_t *types; };

static struct layout *element(uint64_t type, struct asking asking, long *extent)
{
    struct layout *layout = made_layout(type, (struct asking){asking.depth + 1, asking.left});
    *extent = layout == NULL ? 0 : layout->extent;
    return layout;
}

static struct layout *blocks(const struct contents *of, struct asking asking)
{
    const enum combiner combiner = of->combiner;
    const bool is_one_length = combiner == INDEXED_BLOCK || combiner == HINDEXED_BLOCK, is_struct = combiner == STRUCT || combiner == STRUCT_INTEGER;
    const bool is_in_elements = combiner == INDEXED || combiner == INDEXED_BLOCK;
    const long count = of->count < 1 ? -1 : of->numbers[0];
    if (count < 0 || count > of->count || of->sizes[TYPES] < (is_struct ? count : 1) || of->count < (is_one_length ? 2 + count : 1 + 2 * count))
        return layout_new(LAYOUT_UNKNOWN);
    const long *lengths = of->numbers + 1, *offsets = is_one_length ? lengths + 1 : lengths + count;
    struct layout *layout = layout_parts(count);
    long extent = 0;
    struct layout *shared = is_struct || layout == NULL ? NULL : element(of->types[0], asking, &extent);
    for (long i = 0; layout != NULL && layout->kind != LAYOUT_UNKNOWN && i < count; i++) {
        struct layout *part = is_struct ? element(of->types[i], asking, &extent) : layout_kept(shared);
        const long length = lengths[is_one_length ? 0 : i];
        if (!layout_add(layout, layout_repeated(part, length, extent), is_in_elements ? offsets[i] * extent : offsets[i]))
            layout = layout_unknown(layout);
    }
    layout_give_back(shared);
    return layout;
}

static struct layout *made_of(const struct contents *of, struct asking asking)
{
    const long *numbers = of->numbers;
    const bool is_large = of->sizes[LARGE_COUNTS] > 0;
    long extent = 0;
    switch (of->combiner) {
    case INDEXED:
    case HINDEXED:
    case HINDEXED_INTEGER:
    case INDEXED_BLOCK:
    case HINDEXED_BLOCK:
    case STRUCT:
    case STRUCT_INTEGER:
        return blocks(of, asking);
    default:
        break;
    }
    struct layout *part = element(of->types[0], asking, &extent);
    switch (of->combiner) {
    case DUP:
    case RESIZED:
        return part;
    case CONTIGUOUS:
        return of->count < 1 ? layout_unknown(part) : layout_repeated(part, numbers[0], extent);
    case VECTOR:
    case HVECTOR:
    case HVECTOR_INTEGER:
        if (of->count < 3)
            return layout_unknown(part);
        return layout_repeated(layout_repeated(part, numbers[1], extent), numbers[0], of->combiner == VECTOR ? numbers[2] * extent : numbers[2]);
    case SUBARRAY:
        return layout_of_subarray(part, extent, numbers, of->count, is_large);
    case DARRAY:
        return layout_of_darray(part, extent, numbers, of->count, is_large);
    default:
        return layout_unknown(part);
    }
}

/* MPI 4 has types of large counts, of which the older function knows nothing, and which it calls an error. */
static enum combiner envelope(uint64_t type, long sizes[SIZES])
{
    int combiner = -1;
    int (*get_large)(uint64_t, long *, long *, long *, long *, int *);
    *(void **)&get_large = MPI_FUNCTION(MPI_Type_get_envelope_c);
    if (get_large != NULL)
        return get_large(type, &sizes[INTEGERS], &sizes[ADDRESSES], &sizes[LARGE_COUNTS], &sizes[TYPES], &combiner) != 0 ? OTHER_COMBINER : combiner_of(combiner);
    int counts[SIZES] = {0};
    int (*get)(uint64_t, int *, int *, int *, int *);
    *(void **)&get = MPI_FUNCTION(MPI_Type_get_envelope);
    if (get == NULL || get(type, &counts[INTEGERS], &counts[ADDRESSES], &counts[TYPES], &combiner) != 0)
        return OTHER_COMBINER;
    for (int i = 0; i < SIZES; i++)
        sizes[i] = counts[i];
    return combiner_of(combiner);
}

static bool is_predefined(enum combiner combiner)
{
    return combiner == NAMED || combiner == F90_REAL || combiner == F90_COMPLEX || combiner == F90_INTEGER;
}

static void free_type(uint64_t type)
{
    long sizes[SIZES];
    if (is_predefined(envelope(type, sizes)))
        return;
    int (*free_it)(uint64_t *);
    *(void **)&free_it = MPI_FUNCTION(MPI_Type_free);
    if (free_it != NULL)
        free_it(&type);
}

static bool get_contents(uint64_t type, struct contents *of, int *integers)
{
    const long *sizes = of->sizes;
    long *addresses = of->numbers + sizes[INTEGERS], *large = addresses + sizes[ADDRESSES];
    int (*get_large)(uint64_t, long, long, long, long, int *, long *, long *, void *);
    *(void **)&get_large = MPI_FUNCTION(MPI_Type_get_contents_c);
    if (get_large != NULL)
        return get_large(type, sizes[INTEGERS], sizes[ADDRESSES], sizes[LARGE_COUNTS], sizes[TYPES], integers, addresses, large, of->types) == 0;
    int (*get)(uint64_t, int, int, int, int *, long *, void *);
    *(void **)&get = MPI_FUNCTION(MPI_Type_get_contents);
    return get != NULL && get(type, (int)sizes[INTEGERS], (int)sizes[ADDRESSES], (int)sizes[TYPES], integers, addresses, of->types) == 0;
}

static struct layout *derived(uint64_t type, struct contents *of, struct asking asking)
{
    const long *sizes = of->sizes;
    of->count = 0;
    for (int i = 0; i < TYPES; i++) {
        if (sizes[i] < 0 || sizes[i] > MAX_WORDS)
            return layout_new(LAYOUT_UNKNOWN);
        of->count += sizes[i];
    }
    if (sizes[TYPES] < 1 || sizes[TYPES] > MAX_WORDS)
        return layout_new(LAYOUT_UNKNOWN);
    int *integers = calloc((size_t)sizes[INTEGERS] + 1, sizeof *integers);
    of->numbers = calloc((size_t)of->count + 1, sizeof *of->numbers);
    of->types = calloc((size_t)sizes[TYPES] + 1, sizeof *of->types);
    struct layout *layout = NULL;
    if (integers != NULL && of->numbers != NULL && of->types != NULL && get_contents(type, of, integers)) {
        for (long i = 0; i < sizes[INTEGERS]; i++)
            of->numbers[i] = integers[i];
        /* Backwards: MPICH's handles are half as wide. */
        for (long i = sizes[TYPES] - 1; i >= 0; i--)
            of->types[i] = mpidbg_read_handle(HANDLE_DATATYPE, of->types, (uint32_t)i);
        layout = made_of(of, asking);
        for (long i = 0; i < sizes[TYPES]; i++)
            free_type(of->types[i]);
    }
    free(integers);
    free(of->numbers);
    free(of->types);
    return layout;
}

static struct layout *made_layout(uint64_t type, struct asking asking)
{
    const struct named *known = named_type(type);
    if (known != NULL)
        return layout_of_named(type, known);
    struct contents of = {.combiner = OTHER_COMBINER};
    if (asking.depth <= MAX_DEPTH && --*asking.left > 0)
        of.combiner = envelope(type, of.sizes);
    struct layout *layout;
    enum format format;
    if (of.combiner == NAMED || of.combiner == F90_INTEGER)
        layout = layout_new(LAYOUT_NONE);
    else if (of.combiner == F90_REAL || of.combiner == F90_COMPLEX) {
        const unsigned numbers = of.combiner == F90_REAL ? 1 : 2;
        layout = format_of_size(mpidbg_size_of_type(type) / numbers, &format) ? layout_floats(format, numbers) : layout_new(LAYOUT_UNKNOWN);
    } else
        layout = of.combiner == OTHER_COMBINER ? layout_new(LAYOUT_UNKNOWN) : derived(type, &of, asking);
    if (layout != NULL)
        layout_measure(type, layout);
    return layout;
}

struct layout *layout_by_contents(uint64_t type)
{
    int left = MAX_TYPES;
    return made_layout(type, (struct asking){0, &left});
}
