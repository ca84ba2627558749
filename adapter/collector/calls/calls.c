/* calls.c - what a call says of itself: its arguments while it lasts, its bytes and its error when it has succeeded. */
#include <ctype.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "../native/names.h"
#include "calls.h"
#include "handles.h"
#include "keep-freed.h"
#include "persistent.h"
#include "watch.h"

#define OF_THREAD static __thread __attribute__((tls_model("initial-exec")))
/* Calls that this thread is in, one inside the other. */
OF_THREAD unsigned depth;
OF_THREAD struct told_call told;

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

__attribute__((visibility("default"))) const char mpidbg_stands_before = 1;

static void *behind_us(const char *name)
{
    return mpidbg_next_symbol(name, &calls_may_be_told);
}

/* A wrapper has all spellings of a Fortran name, and a library only one, perhaps. `name`: mpi_send_. */
static void *in_other_spelling(const char *name)
{
    const size_t length = strlen(name) - 1;
    char other[96];
    if (name[length] != '_' || length + 2 >= sizeof other)
        return NULL;
    memcpy(other, name, length + 1);
    memcpy(other + length + 1, "_", 2);
    void *found = behind_us(other);
    other[length] = '\0';
    if (found == NULL)
        found = behind_us(other);
    for (size_t i = 0; i < length; i++)
        other[i] = (char)toupper((unsigned char)other[i]);
    return found != NULL ? found : behind_us(other);
}

void *find_next_definition(void *_Atomic *known, const char *name)
{
    void *found = behind_us(name);
    if (found == NULL)
        found = in_other_spelling(name);
    if (found == NULL) {
        fprintf(stderr, "mpidbg: the program calls %s, whose library it has unloaded\n", name);
        abort();
    }
    atomic_store_explicit(known, found, memory_order_relaxed);
    return found;
}

void mpidbg_forget_calls(void)
{
    forget_next_definitions();
}

/* The value of an argument that is an int in C. */
static int integer(const struct call *call, uint8_t position)
{
    const long argument = call->arguments[position];
    return call->language == IN_C ? (int)argument : *(const int *)argument;
}

/* As C has it. */
static uint64_t handle(const struct call *call, uint8_t position, bool by_address, enum handle_kind kind)
{
    const long argument = call->arguments[position];
    if (call->language == IN_FORTRAN)
        return mpidbg_from_fortran(kind, *(const int *)argument);
    if (!by_address)
        return mpidbg_from_c((uint64_t)argument);
    return argument == 0 ? 0 : mpidbg_read_handle(kind, (const void *)argument, 0);
}

static uint64_t request(const struct call *call)
{
    const struct function *function = call->function;
    return handle(call, function->request, function->flags & REQUEST_BY_ADDRESS, HANDLE_REQUEST);
}

static uint32_t number_of(struct function *function)
{
    uint32_t number = atomic_load_explicit(&function->number, memory_order_relaxed);
    if (number != 0)
        return number;
    const uint32_t has = (function->peer != 0 ? CALL_HAS_PEER : 0u) | (function->tag != 0 ? CALL_HAS_TAG : 0u) |
                         (function->root != 0 ? CALL_HAS_ROOT : 0u) | (function->count != 0 ? CALL_HAS_BYTES : 0u);
    number = mpidbg_told_function(function->name, has);
    keep_freed_learns(function);
    atomic_store_explicit(&function->number, number, memory_order_relaxed);
    return number;
}

static void tell_begin(struct call *call)
{
    struct function *function = call->function;
    call->is_told = true;
    told = (struct told_call){.function = number_of(function), .begin = call->begin, .caller = (uint64_t)call->caller};
    if (function->comm != 0)
        told.comm = handle(call, function->comm, function->flags & COMM_BY_ADDRESS, HANDLE_COMM);
    if (function->peer != 0)
        told.peer = mpidbg_peer(integer(call, function->peer));
    if (function->tag != 0)
        told.tag = mpidbg_tag(integer(call, function->tag));
    if (function->root != 0)
        told.root = integer(call, function->root);
    /* A request that the call makes is not there yet. */
    if (function->request != 0 && function->comm == 0)
        told.request = request(call);
    if (function->flags & COLLECTIVE)
        told.instance = mpidbg_next_instance(told.comm);
    else if (function->handles[0].how == STARTS && atomic_load_explicit(&persistent_count, memory_order_relaxed) != 0)
        persistent_started(call, &function->handles[0], &told);
    mpidbg_call_begins(&told);
    call->is_kept = handles_begin(call);
    if (atomic_load_explicit(&watch_is_on, memory_order_relaxed))
        watch_begins(call, &told);
}

bool calls_may_be_told;

static void __attribute__((constructor)) learn_environment(void)
{
    calls_may_be_told = getenv("MPIDBG_COLLECT") != NULL && mpidbg_calls_are_told != NULL;
}

void call_begins(struct call *call)
{
    call->is_outermost = depth++ == 0;
    if (!call->is_outermost)
        return;
    call->begin = now();
    if (mpidbg_calls_are_told())
        tell_begin(call);
}

static uint64_t bytes(const struct call *call)
{
    const struct function *function = call->function;
    /* Between groups, such a member passes nothing, and its type may be any number. */
    if (function->root != 0 && mpidbg_peer(told.root) == CALL_PROC_NULL)
        return 0;
    const long count = call->arguments[function->count];
    const int64_t elements = function->is_large ? call->language == IN_C ? count : *(const int64_t *)count
                                                : integer(call, function->count);
    const uint64_t type = handle(call, function->type, false, HANDLE_DATATYPE);
    const int partitions = function->partitions == 0 ? 1 : integer(call, function->partitions);
    return elements <= 0 || partitions <= 0 ? 0 : (uint64_t)partitions * (uint64_t)elements * mpidbg_size_of_type(type);
}

bool call_has_found(const struct call *call)
{
    const int *found = (const int *)call->arguments[call->function->found];
    return call->function->found == 0 || found == NULL || *found != 0;
}

void call_ends(struct call *call, int error)
{
    const struct function *function = call->function;
    /* The one that has begun the collection. */
    if (call->is_outermost && !call->is_told && mpidbg_calls_are_told())
        tell_begin(call);
    if (call->is_told) {
        told.end = now();
        told.error = function->flags & HAS_ERROR && error != 0 ? mpidbg_error_name(error) : 0;
        if (told.error == 0 && mpidbg_mpi_is_up()) {
            if (function->request != 0 && function->comm != 0)
                told.request = request(call);
            if (function->count != 0)
                told.bytes = bytes(call);
            if (function->flags & PERSISTENT)
                persistent_made(&told);
        }
        if (atomic_load_explicit(&watch_is_on, memory_order_relaxed))
            watch_ends(call, &told);
        handles_end(call, &told);
        mpidbg_call_ends(&told, (function->flags & POLL) == 0 || told.error != 0 || call_has_found(call));
    }
    depth--;
}
