/* buffers.c - the program's memory that a call names: its place, and how much of it there is. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "carried.h"
#include "watch.h"

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

/* False: there is none. MPI_BOTTOM is address 0, as in C. */
bool address_of(const struct call *call, uint8_t position, const char **address)
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

static bool is_between_groups(uint64_t comm)
{
    int is_one = 0;
    int (*ask)(uint64_t, int *);
    *(void **)&ask = MPI_FUNCTION(MPI_Comm_test_inter);
    return ask == NULL || ask(comm, &is_one) != 0 || is_one;
}

static int number_of_comm(uint64_t comm, const char *what)
{
    int number = -1;
    int (*ask)(uint64_t, int *);
    if (strcmp(what, "remote") == 0)
        *(void **)&ask = MPI_FUNCTION(MPI_Comm_remote_size);
    else
        *(void **)&ask = strcmp(what, "size") == 0 ? MPI_FUNCTION(MPI_Comm_size) : MPI_FUNCTION(MPI_Comm_rank);
    return ask == NULL || comm == 0 || ask(comm, &number) != 0 ? -1 : number;
}

/* Between groups those of the other one, with whom data is exchanged. */
int partners_in(uint64_t comm)
{
    return number_of_comm(comm, is_between_groups(comm) ? "remote" : "size");
}

int rank_in(uint64_t comm)
{
    return number_of_comm(comm, "rank");
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

/* MPI_ROOT: all others of its group pass MPI_PROC_NULL, and those of the other one the number of the root. */
static bool is_root_between_groups(int root)
{
    return root == (mpidbg_flavour() == TOLD_MPICH ? -3 : -4);
}

/* MPI_NO_OP: what it would give is not read. */
static bool has_no_op(const struct call *call)
{
    static const char *_Atomic of_open_mpi;
    const uint8_t position = call->function->op;
    if (position == 0)
        return false;
    if (mpidbg_flavour() == TOLD_OPEN_MPI && of_open_mpi == NULL)
        of_open_mpi = mpidbg_first_symbol("ompi_mpi_op_no_op");
    const long argument = call->arguments[position];
    const uint64_t op = call->language == IN_FORTRAN ? mpidbg_from_fortran(HANDLE_OP, *(const int *)argument) : mpidbg_from_c((uint64_t)argument);
    const uint64_t none = mpidbg_flavour() == TOLD_OPEN_MPI ? (uint64_t)(uintptr_t)of_open_mpi : mpidbg_flavour() == TOLD_MPICH ? 0x5800000e : 0x3d;
    return op == none;
}

static bool has_neighbours(uint64_t comm, bool is_taken)
{
    int *ranks, are_there = 0;
    const int count = neighbours_in(comm, is_taken, &ranks);
    for (int i = 0; i < count; i++)
        are_there |= mpidbg_peer(ranks[i]) != CALL_PROC_NULL;
    free(ranks);
    return are_there;
}

/* In this process, data is given or taken by this argument. */
bool concerns_us(const struct call *call, const struct told_call *told, const struct data_argument *data)
{
    const struct function *function = call->function;
    if (data->buffer == 0 || partner_of(call, told, data == &function->takes).peer == CALL_PROC_NULL)
        return false;
    if (data == &function->gives && has_no_op(call))
        return false;
    if (!is_collective(call))
        return true;
    if (told->comm == 0)
        return false;
    if (function->flags & NEIGHBOURS)
        return has_neighbours(told->comm, data == &function->takes);
    if (function->root != 0 && is_between_groups(told->comm))
        return mpidbg_peer(told->root) != CALL_PROC_NULL && is_root_between_groups(told->root) == (data->when == AT_ROOT);
    if (data->when == ALWAYS)
        return true;
    return (rank_in(told->comm) == told->root) == (data->when == AT_ROOT);
}

int64_t integer_in(const struct call *call, uint8_t position, int index, bool is_address)
{
    const void *array = (const void *)call->arguments[position];
    return call->function->is_large || is_address ? ((const int64_t *)array)[index] : ((const int *)array)[index];
}

int64_t integer_at(const struct call *call, uint8_t position)
{
    const long argument = call->arguments[position];
    if (call->function->is_large)
        return call->language == IN_C ? argument : *(const int64_t *)argument;
    return call->language == IN_C ? (int)argument : *(const int *)argument;
}

uint64_t type_at(const struct call *call, uint8_t position)
{
    const long argument = call->arguments[position];
    return call->language == IN_FORTRAN ? mpidbg_from_fortran(HANDLE_DATATYPE, *(const int *)argument) : mpidbg_from_c((uint64_t)argument);
}

/* Where it is: at an address, or as a section of an array. */
static bool find_place(const struct call *call, const struct data_argument *data, struct buffer *buffer)
{
    buffer->section.dimensions = 0;
    if (address_of(call, data->buffer, &buffer->address))
        return true;
    const bool may_be_section = call->has_descriptors && data->shape == ONE_BLOCK && !is_in_place(call, data);
    return may_be_section && section_in_descriptor((const void *)call->arguments[data->buffer], &buffer->address, &buffer->section);
}

bool buffer_of(const struct call *call, const struct told_call *told, const struct data_argument *data, struct buffer *buffer)
{
    if (is_in_blocks(call, data) || !concerns_us(call, told, data) || !find_place(call, data, buffer))
        return false;
    buffer->type = type_at(call, data->type);
    buffer->each = 0;
    if (data->shape == SUM_OF_COUNTS) {
        const int members = number_of_comm(told->comm, "size");
        buffer->count = 0;
        for (int i = 0; i < members; i++)
            buffer->count += integer_in(call, data->count, i, false);
        return true;
    }
    buffer->count = data->shape == ONE_ELEMENT ? 1 : integer_at(call, data->count);
    if (call->function->partitions != 0) {
        const int64_t partitions = number_at(call, call->function->partitions);
        buffer->count *= partitions;
    }
    if (data->shape != EACH_MEMBER)
        return true;
    buffer->each = call->function->flags & REDUCES ? 0 : buffer->count;
    buffer->count *= partners_in(told->comm);
    return true;
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
