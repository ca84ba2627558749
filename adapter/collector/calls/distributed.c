/* distributed.c - where the numbers of MPI_Type_create_subarray and MPI_Type_create_darray lie. */
#include "layouts.h"

struct words_of_mpi { int order_c, order_fortran, block, cyclic, none, default_argument; };

static const struct words_of_mpi *words(void)
{
    static const struct words_of_mpi of[] = {
        [TOLD_OPEN_MPI] = {0, 1, 0, 1, 2, -1},
        [TOLD_MPICH] = {56, 57, 121, 122, 123, -49767},
        [TOLD_STANDARD_ABI] = {12, 15, 17, 18, 16, 19},
    };
    return &of[mpidbg_flavour()];
}

/* The number of the dimension in which elements lie nearest is 0 in Fortran, and the last one in C. */
static long dimension_of(long nearness, long dimensions, long order)
{
    return order == words()->order_c ? dimensions - 1 - nearness : nearness;
}

static bool is_order(long order)
{
    return order == words()->order_c || order == words()->order_fortran;
}

struct layout *layout_of_subarray(struct layout *element, long stride, const long *numbers, long count, bool is_large)
{
    const long dimensions = count < 1 ? 0 : numbers[0];
    if (dimensions < 1 || dimensions > count || count < 3 * dimensions + 2)
        return layout_unknown(element);
    const long order = numbers[is_large ? 1 : 1 + 3 * dimensions];
    const long *sizes = numbers + (is_large ? 2 : 1), *parts = sizes + dimensions, *starts = parts + dimensions;
    if (!is_order(order))
        return layout_unknown(element);
    long offset = 0;
    for (long i = 0; i < dimensions; i++) {
        const long dimension = dimension_of(i, dimensions, order);
        element = layout_repeated(element, parts[dimension], stride);
        offset += starts[dimension] * stride;
        stride *= sizes[dimension];
    }
    return layout_moved(element, offset);
}

/* Blocks of `block` elements, dealt to `processes` in turn: those of process `at`. */
static struct layout *dealt(struct layout *element, long stride, long size, long block, long processes, long at)
{
    const long turn = block * processes, begin = at * block;
    const long whole = size - begin < block ? 0 : (size - begin - block) / turn + 1;
    const long rest = size - begin - whole * turn;
    struct layout *layout = layout_parts(2);
    const bool is_known = layout != NULL &&
                          layout_add(layout, layout_repeated(layout_repeated(layout_kept(element), block, stride), whole, turn * stride), begin * stride) &&
                          (rest <= 0 || layout_add(layout, layout_repeated(layout_kept(element), rest < block ? rest : block, stride), (begin + whole * turn) * stride));
    layout_give_back(element);
    return is_known ? layout : layout_unknown(layout);
}

static struct layout *of_dimension(struct layout *element, long stride, long size, long distribution, long argument, long processes, long at)
{
    const struct words_of_mpi *word = words();
    const bool is_default = argument == word->default_argument;
    if (distribution == word->none)
        return layout_repeated(element, size, stride);
    if (processes < 1 || (!is_default && argument < 1))
        return layout_unknown(element);
    if (distribution == word->block)
        return dealt(element, stride, size, is_default ? (size + processes - 1) / processes : argument, processes, at);
    return distribution == word->cyclic ? dealt(element, stride, size, is_default ? 1 : argument, processes, at) : layout_unknown(element);
}

struct layout *layout_of_darray(struct layout *element, long stride, const long *numbers, long count, bool is_large)
{
    const long dimensions = count < 3 ? 0 : numbers[2];
    if (dimensions < 1 || dimensions > count || count < 4 * dimensions + 4)
        return layout_unknown(element);
    const long *distributions = numbers + 3 + (is_large ? 0 : dimensions), *arguments = distributions + dimensions;
    const long *processes = arguments + dimensions, order = processes[dimensions];
    const long *sizes = is_large ? processes + dimensions + 1 : numbers + 3;
    if (!is_order(order))
        return layout_unknown(element);
    for (long i = 0; i < dimensions; i++) {
        const long dimension = dimension_of(i, dimensions, order);
        /* Ranks are counted as in C, whatever the order of the array is. */
        long at = numbers[1];
        for (long behind = dimensions - 1; behind > dimension; behind--)
            at /= processes[behind] < 1 ? 1 : processes[behind];
        at %= processes[dimension] < 1 ? 1 : processes[dimension];
        element = of_dimension(element, stride, sizes[dimension], distributions[dimension], arguments[dimension], processes[dimension], at);
        stride *= sizes[dimension];
    }
    return element;
}
