/* sections.c - arrays of Fortran as mpi_f08 may pass them, by gfortran's descriptors: in one piece, or sections with strides. */
#include <stddef.h>
#include <string.h>
#include "watch.h"

struct array_descriptor {
    const char *base;
    long offset;
    uint64_t bytes;
    int version;
    int8_t rank, type;
    int16_t attribute;
    int64_t span;
    struct { int64_t stride, lower, upper; } dimensions[MAX_DIMENSIONS];
};

/* False: it is none. */
static bool read_descriptor(const void *from, struct array_descriptor *to)
{
    memcpy(to, from, offsetof(struct array_descriptor, dimensions));
    if (to->version != 0 || to->rank < 0 || to->rank > MAX_DIMENSIONS || to->bytes == 0 || to->bytes > 1 << 20)
        return false;
    memcpy(to->dimensions, (const char *)from + offsetof(struct array_descriptor, dimensions), (size_t)to->rank * sizeof *to->dimensions);
    return true;
}

static bool is_in_one_piece(const struct array_descriptor *of)
{
    int64_t stride = 1;
    if (of->rank > 0 && of->span != 0 && of->span != (int64_t)of->bytes)
        return false;
    for (int i = 0; i < of->rank; i++) {
        if (of->dimensions[i].stride != stride)
            return false;
        stride *= of->dimensions[i].upper - of->dimensions[i].lower + 1;
    }
    return true;
}

const char *address_in_descriptor(const void *descriptor)
{
    struct array_descriptor of;
    return read_descriptor(descriptor, &of) && is_in_one_piece(&of) ? of.base : NULL;
}

bool section_in_descriptor(const void *descriptor, const char **address, struct section *section)
{
    struct array_descriptor of;
    if (!read_descriptor(descriptor, &of) || of.base == NULL || of.rank == 0)
        return false;
    const int64_t span = of.span != 0 ? of.span : (int64_t)of.bytes;
    *address = of.base;
    section->dimensions = of.rank;
    section->bytes = (int64_t)of.bytes;
    for (int i = 0; i < of.rank; i++) {
        section->of[i].count = of.dimensions[i].upper - of.dimensions[i].lower + 1;
        section->of[i].stride = of.dimensions[i].stride * span;
        if (section->of[i].count <= 0)
            return false;
    }
    return true;
}

static struct layout repeated(struct layout **part, int64_t count, int64_t stride)
{
    return (struct layout){
        .kind = LAYOUT_REPEATS, .count = count, .stride = stride, .parts = part,
        .numbers = (*part)->numbers * (uint64_t)count, .bytes = (*part)->bytes * (uint64_t)count,
    };
}

/* In the order of the array's elements; a message may end in the middle. Where an element of the datatype is no element of the array, nothing is looked at. */
struct hit look_in_section(const struct buffer *buffer, const struct layout *layout, enum wanted wanted)
{
    const struct section *section = &buffer->section;
    struct layout levels[MAX_DIMENSIONS], *parts[MAX_DIMENSIONS + 1] = {(struct layout *)layout};
    int64_t elements[MAX_DIMENSIONS + 1] = {1}, left = buffer->count;
    struct hit hit = {0};
    const char *address = buffer->address;
    if (wanted == WANTS_NOTHING || layout == NULL || layout->bytes == 0 || layout->kind == LAYOUT_UNKNOWN || layout->extent != section->bytes)
        return hit;
    for (int i = 0; i < section->dimensions; i++) {
        levels[i] = repeated(&parts[i], section->of[i].count, section->of[i].stride);
        parts[i + 1] = &levels[i];
        elements[i + 1] = elements[i] * section->of[i].count;
    }
    for (int i = section->dimensions - 1; i >= 0 && !hit.is_found; i--) {
        const int64_t all = left / elements[i], count = all < section->of[i].count ? all : section->of[i].count;
        if (count == 0)
            continue;
        const struct layout some = repeated(&parts[i], count, section->of[i].stride);
        look_in(address, &some, wanted, most_bytes(), &hit);
        if (count == section->of[i].count)
            break;
        address += count * section->of[i].stride;
        left -= count * elements[i];
    }
    return hit;
}
