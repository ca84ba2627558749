/* buffers.c - the program's memory that a call names: its place, how much of it there is, and what is looked at. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>
#include "carried.h"
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

static uint64_t numbers_in(const struct layout *layout)
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

/* Variables of Fortran's bindings that MPI knows by their addresses: in Open MPI, in MPICH's common blocks and in its mpi_f08. */
enum special { IN_PLACE, BOTTOM, STATUS_IGNORE, STATUSES_IGNORE, SPECIALS };
static const struct { const char *name; long offset; } specials[SPECIALS][3] = {
    [IN_PLACE] = {{"mpi_fortran_in_place_", 0}, {"mpipriv1_", 4}, {"MPIR_F08_MPI_IN_PLACE", 0}},
    [BOTTOM] = {{"mpi_fortran_bottom_", 0}, {"mpipriv1_", 0}, {"MPIR_F08_MPI_BOTTOM", 0}},
    [STATUS_IGNORE] = {{"mpi_fortran_status_ignore_", 0}, {"mpipriv1_", 8}, {"MPIR_F08_MPI_STATUS_IGNORE_OBJ", 0}},
    [STATUSES_IGNORE] = {{"mpi_fortran_statuses_ignore_", 0}, {"mpipriv2_", 0}, {"MPIR_F08_MPI_STATUSES_IGNORE_OBJ", 0}},
};

static bool is_of_fortran(const void *address, enum special special)
{
    static const char *_Atomic known[SPECIALS][3];
    static const char nowhere;
    for (int i = 0; i < 3; i++) {
        const char *at = atomic_load_explicit(&known[special][i], memory_order_relaxed);
        if (at == NULL) {
            const char *first = mpidbg_first_symbol(specials[special][i].name);
            at = first == NULL ? &nowhere : first + specials[special][i].offset;
            atomic_store_explicit(&known[special][i], at, memory_order_relaxed);
        }
        if (at == address)
            return true;
    }
    return false;
}

/* No address of the program's: MPI_IN_PLACE. */
static bool is_special(long address)
{
    return address == -1 || (address > 0 && address < 4096);
}

/* gfortran's descriptor of an array that lies in one piece; NULL: another one. */
static const char *address_in_descriptor(const void *descriptor)
{
    struct { const char *base; long offset; uint64_t bytes; int version; int8_t rank, type; int16_t attribute; int64_t span; struct { int64_t stride, lower, upper; } dimensions[15]; } of;
    memcpy(&of, descriptor, offsetof(__typeof__(of), dimensions));
    if (of.version != 0 || of.rank < 0 || of.rank > 15 || of.bytes == 0 || of.bytes > 1 << 20)
        return NULL;
    memcpy(of.dimensions, (const char *)descriptor + offsetof(__typeof__(of), dimensions), (size_t)of.rank * sizeof *of.dimensions);
    if (of.rank > 0 && of.span != 0 && of.span != (int64_t)of.bytes)
        return NULL;
    int64_t stride = 1;
    for (int i = 0; i < of.rank; i++) {
        if (of.dimensions[i].stride != stride)
            return NULL;
        stride *= of.dimensions[i].upper - of.dimensions[i].lower + 1;
    }
    return of.base;
}

/* False: there is none. MPI_BOTTOM is address 0, as in C. */
static bool address_of(const struct call *call, uint8_t position, const char **address)
{
    const long argument = call->arguments[position];
    if (call->language == IN_C) {
        *address = (const char *)argument;
        return !is_special(argument);
    }
    *address = call->has_descriptors ? address_in_descriptor((const void *)argument) : (const char *)argument;
    if (*address == NULL || is_of_fortran(*address, IN_PLACE))
        return false;
    if (is_of_fortran(*address, BOTTOM))
        *address = NULL;
    return true;
}

bool is_in_place(const struct call *call, const struct data_argument *data)
{
    const long argument = call->arguments[data->buffer];
    if (data->buffer == 0)
        return false;
    if (call->language == IN_C)
        return is_special(argument);
    return is_of_fortran(call->has_descriptors ? *(const void *const *)argument : (const void *)argument, IN_PLACE);
}

static int number_of_comm(uint64_t comm, const char *what)
{
    int number = -1;
    int (*ask)(uint64_t, int *);
    *(void **)&ask = *what == 's' ? MPI_FUNCTION(MPI_Comm_size) : MPI_FUNCTION(MPI_Comm_rank);
    return ask == NULL || comm == 0 || ask(comm, &number) != 0 ? -1 : number;
}

static int size_of_comm(uint64_t comm)
{
    return number_of_comm(comm, "size");
}

static bool is_between_groups(uint64_t comm)
{
    int is_one = 0;
    int (*ask)(uint64_t, int *);
    *(void **)&ask = MPI_FUNCTION(MPI_Comm_test_inter);
    return ask == NULL || ask(comm, &is_one) != 0 || is_one;
}

static bool is_collective(const struct call *call)
{
    return call->function->flags & (COLLECTIVE | PERSISTENT);
}

static int number_at(const struct call *call, uint8_t position)
{
    const long argument = call->arguments[position];
    return call->language == IN_C ? (int)argument : *(const int *)argument;
}

struct partner partner_of(const struct call *call, const struct told_call *told, bool is_taken)
{
    const struct function *function = call->function;
    if (is_taken && function->from != 0)
        return (struct partner){mpidbg_peer(number_at(call, function->from)), mpidbg_tag(number_at(call, function->from_tag))};
    return (struct partner){function->peer == 0 ? CARRIED_NONE : told->peer, function->tag == 0 ? CARRIED_NONE : told->tag};
}

/* In this process, data is given or taken by this argument. */
static bool concerns_us(const struct call *call, const struct told_call *told, const struct data_argument *data)
{
    const struct function *function = call->function;
    if (data->buffer == 0 || partner_of(call, told, data == &function->takes).peer == CALL_PROC_NULL)
        return false;
    if (!is_collective(call))
        return true;
    if (told->comm == 0 || is_between_groups(told->comm))
        return false;
    if (data->when == ALWAYS)
        return true;
    return (number_of_comm(told->comm, "rank") == told->root) == (data->when == AT_ROOT);
}

static int64_t integer_at(const struct call *call, uint8_t position)
{
    const long argument = call->arguments[position];
    if (call->function->is_large)
        return call->language == IN_C ? argument : *(const int64_t *)argument;
    return call->language == IN_C ? (int)argument : *(const int *)argument;
}

static uint64_t type_at(const struct call *call, uint8_t position)
{
    const long argument = call->arguments[position];
    return call->language == IN_FORTRAN ? mpidbg_from_fortran(HANDLE_DATATYPE, *(const int *)argument) : mpidbg_from_c((uint64_t)argument);
}

bool buffer_of(const struct call *call, const struct told_call *told, const struct data_argument *data, struct buffer *buffer)
{
    if (data->shape == BLOCKS || data->shape == OWN_COUNT || !concerns_us(call, told, data) || !address_of(call, data->buffer, &buffer->address))
        return false;
    buffer->type = type_at(call, data->type);
    if (data->shape == SUM_OF_COUNTS) {
        const int *counts = (const int *)call->arguments[data->count], members = size_of_comm(told->comm);
        buffer->count = 0;
        for (int i = 0; i < members; i++)
            buffer->count += counts[i];
        return true;
    }
    buffer->count = integer_at(call, data->count);
    if (data->shape == EACH_MEMBER)
        buffer->count *= size_of_comm(told->comm);
    return true;
}

/* Counts and displacements of each member. */
static struct hit look_at_blocks(const struct call *call, const struct told_call *told, const struct data_argument *data, enum wanted wanted, bool was_before)
{
    struct hit hit = {0};
    const char *address;
    if (call->function->is_large || !concerns_us(call, told, data) || !address_of(call, data->buffer, &address))
        return hit;
    const int members = size_of_comm(told->comm), *counts = (const int *)call->arguments[data->count];
    const uint64_t type = type_at(call, data->type);
    if (data->shape == OWN_COUNT) {
        const int rank = number_of_comm(told->comm, "rank");
        return rank < 0 ? hit : look_at(&(struct buffer){address, counts[rank], type}, wanted, was_before);
    }
    struct layout *layout = layout_of(type, !was_before);
    const int *displacements = (const int *)call->arguments[data->displacements];
    uint64_t before = 0;
    for (int i = 0; layout != NULL && i < members && !hit.is_found; i++) {
        const char *block = address + (int64_t)displacements[i] * layout->extent;
        if (counts[i] <= 0)
            continue;
        hit = look_at_elements(block, counts[i], layout, wanted);
        hit.ordinal += before;
        before += (uint64_t)counts[i] * numbers_in(layout);
    }
    layout_give_back(layout);
    return hit;
}

struct hit look_at_data(const struct call *call, const struct told_call *told, const struct data_argument *data, enum wanted wanted, bool was_before)
{
    struct buffer buffer;
    if (data->shape == BLOCKS || data->shape == OWN_COUNT)
        return look_at_blocks(call, told, data, wanted, was_before);
    if (!buffer_of(call, told, data, &buffer))
        return (struct hit){0};
    return look_at(&buffer, wanted, was_before);
}

const void *status_of(const struct call *call, uint32_t index)
{
    static const unsigned bytes[] = {[TOLD_OPEN_MPI] = 24, [TOLD_MPICH] = 20, [TOLD_STANDARD_ABI] = 32};
    const struct function *function = call->function;
    const long argument = function->status == 0 ? 0 : call->arguments[function->status];
    const void *address = (const void *)argument;
    if (argument == 0 || is_special(argument))
        return NULL;
    if (call->language == IN_FORTRAN && (is_of_fortran(address, STATUS_IGNORE) || is_of_fortran(address, STATUSES_IGNORE)))
        return NULL;
    return (const char *)address + (size_t)index * bytes[mpidbg_flavour()];
}

struct received received_of(const void *status, uint64_t size)
{
    long long bytes = -1;
    int (*get)(const void *, uint64_t, long long *);
    *(void **)&get = MPI_FUNCTION(MPI_Get_elements_x);
    if (status == NULL || size == 0 || get == NULL || get(status, mpidbg_type_of_bytes(), &bytes) != 0 || bytes < 0)
        return (struct received){0};
    const int *words = (const int *)status + (mpidbg_flavour() == TOLD_MPICH ? 2 : 0);
    return (struct received){true, (int64_t)((uint64_t)bytes / size), words[0], words[1]};
}
