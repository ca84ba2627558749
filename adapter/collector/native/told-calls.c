/* told-calls.c - the program's calls: the one that each thread is in, and the last ones, in its ring. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "collector.h"
#include "told-calls.h"

bool mpidbg_calls_are_told(void)
{
    return region_is_ours() && (region->collects & COLLECT_CALLS) != 0;
}

void *mpidbg_next_symbol(const char *name, const void *behind)
{
    return symbol_behind(name, behind);
}

void *mpidbg_first_symbol(const char *name)
{
    return first_symbol(name);
}

enum told_flavour mpidbg_flavour(void)
{
    static const enum told_flavour flavours[] = {[OPEN_MPI] = TOLD_OPEN_MPI, [MPICH] = TOLD_MPICH, [STANDARD_ABI] = TOLD_STANDARD_ABI};
    return flavours[mpi_t.flavour];
}

uint64_t mpidbg_type_of_bytes(void)
{
    static void *_Atomic known;
    if (mpi_t.flavour != OPEN_MPI)
        return mpi_t.flavour == MPICH ? 0x4c00010d : 0x247;
    void *found = atomic_load_explicit(&known, memory_order_relaxed);
    if (found == NULL)
        atomic_store_explicit(&known, found = first_symbol("ompi_mpi_byte"), memory_order_relaxed);
    return (uint64_t)(uintptr_t)found;
}

bool mpidbg_mpi_is_up(void)
{
    return collector_is_on();
}

uint32_t mpidbg_told_function(const char *name, uint32_t has)
{
    lock();
    const uint32_t index = next_index(FUNCTIONS);
    struct function_entry *added = reserve(FUNCTIONS, 1);
    if (added != NULL) {
        *added = (struct function_entry){.name = text(name), .has = has};
        publish(FUNCTIONS, 1);
    }
    unlock();
    return added == NULL ? 0 : index + 1;
}

/* MPICH's handles are Fortran's, but for files. */
static bool is_integer(enum handle_kind kind)
{
    return mpi_t.flavour == MPICH && kind != HANDLE_FILE;
}

/* What converts Fortran's handles and C's, where they differ; NULL: no library has it. */
static void *converter(void *_Atomic *known, enum handle_kind kind, const char *direction)
{
    static const char *const words[HANDLE_KINDS] = {
        [HANDLE_COMM] = "Comm", [HANDLE_DATATYPE] = "Type", [HANDLE_ERRHANDLER] = "Errhandler", [HANDLE_FILE] = "File",
        [HANDLE_GROUP] = "Group", [HANDLE_INFO] = "Info", [HANDLE_MESSAGE] = "Message", [HANDLE_OP] = "Op",
        [HANDLE_REQUEST] = "Request", [HANDLE_SESSION] = "Session", [HANDLE_WIN] = "Win",
    };
    void *found = atomic_load_explicit(known, memory_order_relaxed);
    if (found == NULL) {
        char name[32];
        snprintf(name, sizeof name, "PMPI_%s_%s", words[kind], direction);
        found = next_symbol(name);
        atomic_store_explicit(known, found, memory_order_relaxed);
    }
    return found;
}

uint64_t mpidbg_from_fortran(enum handle_kind kind, int handle)
{
    static void *_Atomic known[HANDLE_KINDS];
    if (is_integer(kind))
        return (uint32_t)handle;
    Handle (*convert)(int) = (Handle(*)(int))converter(&known[kind], kind, "f2c");
    return convert == NULL || !collector_is_on() ? 0 : convert(handle);
}

int mpidbg_to_fortran(enum handle_kind kind, uint64_t handle)
{
    static void *_Atomic known[HANDLE_KINDS];
    if (is_integer(kind))
        return (int)handle;
    int (*convert)(Handle) = (int (*)(Handle))converter(&known[kind], kind, "c2f");
    return convert == NULL || !collector_is_on() ? 0 : convert(handle);
}

uint64_t mpidbg_from_c(uint64_t argument)
{
    return mpi_t.flavour == MPICH ? (uint32_t)argument : argument;
}

uint64_t mpidbg_read_handle(enum handle_kind kind, const void *array, uint32_t index)
{
    return is_integer(kind) ? ((const uint32_t *)array)[index] : ((const uint64_t *)array)[index];
}

bool mpidbg_keeps_freed(void)
{
    static _Atomic int keeps; /* 0: not looked yet, 1: no, 2: yes */
    if (keeps == 0)
        keeps = getenv("MPIDBG_KEEP_FREED") != NULL ? 2 : 1;
    return keeps == 2 && collector_is_on();
}

uint64_t mpidbg_null_handle(enum handle_kind kind)
{
    return null_handle(kind);
}

void mpidbg_write_handle(enum handle_kind kind, void *variable, uint64_t handle)
{
    if (is_integer(kind))
        *(uint32_t *)variable = (uint32_t)handle;
    else
        *(uint64_t *)variable = handle;
}

/*
 * The plain MPI_Type_size cannot tell 2 GiB and more. Only for types that the library has taken in a call: an error here would
 * end the program.
 */
uint64_t mpidbg_size_of_type(uint64_t type)
{
    if (type == 0 || type == null_handle(HANDLE_DATATYPE))
        return 0;
    static int (*_Atomic size_of)(Handle, Count *);
    int (*ask)(Handle, Count *) = atomic_load_explicit(&size_of, memory_order_relaxed);
    if (ask == NULL) {
        *(void **)&ask = next_symbol("PMPI_Type_size_x");
        atomic_store_explicit(&size_of, ask, memory_order_relaxed);
    }
    Count size = 0;
    return ask != NULL && ask(type, &size) == 0 && size > 0 ? (uint64_t)size : 0;
}

int32_t mpidbg_peer(int rank)
{
    static const struct { int any_source, proc_null; } special[] = {[OPEN_MPI] = {-1, -2}, [MPICH] = {-2, -1}, [STANDARD_ABI] = {-1, -3}};
    if (rank == special[mpi_t.flavour].any_source)
        return CALL_ANY;
    return rank == special[mpi_t.flavour].proc_null ? CALL_PROC_NULL : rank;
}

int32_t mpidbg_tag(int tag)
{
    return tag == (mpi_t.flavour == STANDARD_ABI ? -2 : -1) ? CALL_ANY : tag;
}

/* Without asking MPI, which would abort the program for an invalid code. MPICH's codes add details to the class. */
uint32_t mpidbg_error_name(int code)
{
    const bool is_of_user = mpi_t.flavour == MPICH && (code & 0x40000000) != 0;
    lock();
    const uint32_t name = text(error_word(mpi_t.flavour == MPICH && !is_of_user ? code & 0x7f : code));
    unlock();
    return name;
}

/* Collectives of each communicator, in a table without a lock. A communicator that finds no room is not counted. */
enum { MAX_COMMS = 4096, IS_NOT_COUNTED = 1 << 30 };
static struct {
    _Atomic uint64_t comm;
    _Atomic uint32_t collectives;
    uint64_t freed;           /* when the last one with this handle was */
    struct comm_entry *entry; /* in the region, with its name */
} counted[MAX_COMMS];

static uint32_t place_of(uint64_t comm, bool is_added)
{
    uint32_t at = (uint32_t)((comm * 0x9e3779b97f4a7c15u) >> 52);
    for (uint32_t tries = 0; tries < 64; tries++, at = (at + 1) % MAX_COMMS) {
        uint64_t found = atomic_load_explicit(&counted[at].comm, memory_order_relaxed);
        if (found == 0 && is_added && atomic_compare_exchange_strong(&counted[at].comm, &found, comm))
            return at;
        if (found == comm)
            return at;
        if (found == 0 && !is_added)
            break;
    }
    return MAX_COMMS;
}

uint32_t mpidbg_next_instance(uint64_t comm)
{
    const uint32_t at = comm == 0 ? MAX_COMMS : place_of(comm, true);
    const uint32_t before = at == MAX_COMMS ? IS_NOT_COUNTED : atomic_fetch_add_explicit(&counted[at].collectives, 1, memory_order_relaxed);
    return before >= IS_NOT_COUNTED ? 0 : before + 1;
}

void mpidbg_stop_counting(uint64_t comm)
{
    const uint32_t at = place_of(comm, true);
    if (at != MAX_COMMS)
        atomic_fetch_or(&counted[at].collectives, IS_NOT_COUNTED);
}

void comm_named(uint64_t comm, const char *name)
{
    const uint32_t at = mpidbg_calls_are_told() ? place_of(comm, true) : MAX_COMMS;
    if (at == MAX_COMMS)
        return;
    if (counted[at].entry == NULL) {
        struct comm_entry *added = reserve(COMMS, 1);
        if (added == NULL)
            return;
        *added = (struct comm_entry){.handle = comm, .since = counted[at].freed};
        counted[at].entry = added;
        publish(COMMS, 1);
    }
    atomic_store(&counted[at].entry->name, text(name));
}

struct told_comm comm_freed(uint64_t comm)
{
    const uint32_t at = mpidbg_calls_are_told() ? place_of(comm, false) : MAX_COMMS;
    if (at == MAX_COMMS)
        return (struct told_comm){0};
    struct told_comm was = {.freed = counted[at].freed, .entry = counted[at].entry};
    was.collectives = atomic_exchange(&counted[at].collectives, 0);
    counted[at].freed = now();
    if (counted[at].entry != NULL)
        atomic_store(&counted[at].entry->until, counted[at].freed);
    counted[at].entry = NULL;
    return was;
}

void comm_not_freed(uint64_t comm, const struct told_comm *was)
{
    const uint32_t at = mpidbg_calls_are_told() ? place_of(comm, false) : MAX_COMMS;
    if (at == MAX_COMMS)
        return;
    atomic_fetch_add(&counted[at].collectives, was->collectives);
    counted[at].freed = was->freed;
    counted[at].entry = was->entry;
    if (was->entry != NULL)
        atomic_store(&was->entry->until, 0);
}

uint32_t thread_number(void)
{
    const struct ring_entry *ring = ring_of_thread();
    return ring != NULL ? atomic_load_explicit(&ring->thread, memory_order_relaxed) : (uint32_t)syscall(SYS_gettid);
}

static uint64_t pair(int32_t low, uint32_t high)
{
    return (uint32_t)low | (uint64_t)high << 32;
}

static void show(struct shown_call *shown, const struct told_call *call)
{
    *shown = (struct shown_call){.function = call->function, .begin = call->begin};
    uint64_t *words = shown->words;
    words[CALL_END] = call->end;
    words[CALL_CALLER] = call->caller;
    words[CALL_COMM] = call->comm;
    words[CALL_PEER] = pair(call->peer, (uint32_t)call->tag);
    words[CALL_BYTES] = call->bytes;
    words[CALL_REQUEST] = call->request;
    words[CALL_ROOT] = pair(call->root, call->error);
    words[CALL_INSTANCE] = call->instance;
}

static void keep(const struct shown_call *shown)
{
    uint32_t count = CALL_WORDS;
    while (count > 2 && shown->words[count - 1] == 0)
        count--;
    record(RECORD_CALL, (uint16_t)(shown->function - 1), shown->begin, shown->words, count);
}

/* The calls of this thread; those of one that had its ring before are gone. */
static struct calling_entry *own_calls(void)
{
    const struct ring_entry *ring = ring_of_thread();
    if (ring == NULL)
        return NULL;
    struct calling_entry *calls = entry(CALLING, (uint32_t)(ring - (struct ring_entry *)entry(RINGS, 0)));
    const uint32_t thread = atomic_load_explicit(&ring->thread, memory_order_relaxed);
    if (calls->thread != thread) {
        atomic_fetch_add_explicit(&calls->generation, 1, memory_order_acq_rel);
        calls->thread = thread;
        calls->total = 0;
        calls->current.function = calls->poll.function = 0;
        atomic_fetch_add_explicit(&calls->generation, 1, memory_order_acq_rel);
    }
    return calls;
}

void mpidbg_call_begins(const struct told_call *call)
{
    struct calling_entry *calls = call->function == 0 ? NULL : own_calls();
    if (calls == NULL)
        return;
    atomic_fetch_add_explicit(&((struct function_entry *)entry(FUNCTIONS, call->function - 1))->calls, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&calls->generation, 1, memory_order_acq_rel);
    show(&calls->current, call);
    calls->total++;
    atomic_fetch_add_explicit(&calls->generation, 1, memory_order_acq_rel);
}

/* The same question again, from the same place. */
static bool repeats(const struct shown_call *poll, const struct shown_call *now)
{
    return poll->function == now->function &&
           memcmp(&poll->words[CALL_CALLER], &now->words[CALL_CALLER], (CALL_REPEATED - CALL_CALLER) * sizeof *now->words) == 0;
}

void mpidbg_call_ends(const struct told_call *call, bool is_kept)
{
    struct calling_entry *calls = call->function == 0 ? NULL : own_calls();
    if (calls == NULL)
        return;
    atomic_fetch_add_explicit(&calls->generation, 1, memory_order_acq_rel);
    struct shown_call *poll = &calls->poll, *current = &calls->current;
    show(current, call);
    if (!is_kept && repeats(poll, current)) {
        poll->words[CALL_END] = call->end;
        poll->words[CALL_REPEATED]++;
    } else {
        if (poll->function != 0)
            keep(poll);
        poll->function = 0;
        if (is_kept)
            keep(current);
        else
            *poll = *current;
    }
    current->function = 0;
    atomic_fetch_add_explicit(&calls->generation, 1, memory_order_acq_rel);
}
