/*
 * handles.c - the handles that a call makes and frees. If a handle variable holds something else after the call, such as MPI_COMM_NULL,
 * the call has freed the object. Failed calls, tests that find nothing and persistent requests leave the variable unchanged.
 */
#include <pthread.h>
#include <stdlib.h>
#include "handles.h"
#include "keep-freed.h"
#include "persistent.h"
#include "watch.h"

/* A handle in a variable of the program. */
struct before { uint64_t value, handle, life; };

#define OF_THREAD static __thread __attribute__((tls_model("initial-exec")))
enum { FEW = 16 };
OF_THREAD struct before few[FEW];
/* What the variables held before the call; NULL: nothing that it may free. */
OF_THREAD struct before *before;
OF_THREAD uint32_t count_before;

/* What the variable holds: the handle, or Fortran's INTEGER. */
static uint64_t value_at(const struct call *call, const struct handle_argument *argument, uint32_t index)
{
    const void *array = (const void *)call->arguments[argument->position];
    return call->language == IN_FORTRAN ? (uint64_t)(uint32_t)((const int *)array)[index] : mpidbg_read_handle(argument->kind, array, index);
}

static uint64_t handle_of(const struct call *call, enum handle_kind kind, uint64_t value)
{
    return call->language == IN_FORTRAN ? mpidbg_from_fortran(kind, (int)value) : value;
}

static struct told_handle told_of(const struct call *call, enum handle_kind kind, uint64_t handle, uint64_t value)
{
    return (struct told_handle){kind, handle, call->language == IN_FORTRAN ? (int)value : 0};
}

uint32_t handles_in(const struct call *call, const struct handle_argument *argument)
{
    if (call->arguments[argument->position] == 0)
        return 0;
    if (argument->count == 0)
        return 1;
    const long count = call->arguments[argument->count];
    const int handles = call->language == IN_FORTRAN ? *(const int *)count : (int)count;
    return handles < 0 ? 0 : (uint32_t)handles;
}

uint64_t handle_in_argument(const struct call *call, const struct handle_argument *argument, uint32_t index)
{
    return handle_of(call, argument->kind, value_at(call, argument, index));
}

static const struct handle_argument *freed_argument(const struct function *function)
{
    for (int i = 0; i < HANDLE_ARGUMENTS; i++)
        if (function->handles[i].position != 0 && function->handles[i].how == FREES)
            return &function->handles[i];
    return NULL;
}

/* A communicator that MPI_Comm_idup makes is there when its request has completed: its variable is read then. */
enum { MAX_UNFINISHED = 256 };
static struct unfinished {
    uint64_t request; /* 0: a free place */
    struct call call;
    struct handle_argument argument;
    long arguments[6];
    struct told_call told;
} unfinished[MAX_UNFINISHED];
static _Atomic uint32_t unfinished_count;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void made(const struct call *call, const struct handle_argument *argument, uint32_t index, const struct told_call *told)
{
    static const enum how_made hows[] = {[MAKES] = MADE, [OBTAINS] = OBTAINED, [SHARES] = SHARED_ONE, [LEARNS] = KNOWN, [MAKES_LATER] = MADE};
    const uint64_t value = value_at(call, argument, index);
    mpidbg_made(told_of(call, argument->kind, handle_of(call, argument->kind, value), value), hows[argument->how], told);
}

static void make_later(const struct call *call, const struct handle_argument *argument, const struct told_call *told)
{
    if (told->error != 0 || told->request == 0)
        return;
    pthread_mutex_lock(&mutex);
    for (uint32_t i = 0; i < MAX_UNFINISHED; i++) {
        struct unfinished *to = &unfinished[i];
        if (to->request != 0)
            continue;
        *to = (struct unfinished){.request = told->request, .call = *call, .argument = *argument, .told = *told};
        to->arguments[argument->position] = call->arguments[argument->position];
        to->call.arguments = to->arguments;
        atomic_fetch_add(&unfinished_count, 1);
        break;
    }
    pthread_mutex_unlock(&mutex);
}

static void completed(uint64_t request)
{
    if (atomic_load(&unfinished_count) == 0 || request == 0)
        return;
    pthread_mutex_lock(&mutex);
    for (uint32_t i = 0; i < MAX_UNFINISHED; i++)
        if (unfinished[i].request == request) {
            unfinished[i].request = 0;
            atomic_fetch_sub(&unfinished_count, 1);
            made(&unfinished[i].call, &unfinished[i].argument, 0, &unfinished[i].told);
        }
    pthread_mutex_unlock(&mutex);
}

bool handles_begin(const struct call *call)
{
    before = NULL;
    const struct handle_argument *argument = freed_argument(call->function);
    if (argument == NULL || !mpidbg_mpi_is_up())
        return false;
    count_before = handles_in(call, argument);
    before = count_before <= FEW ? few : malloc(count_before * sizeof *before);
    for (uint32_t i = 0; before != NULL && i < count_before; i++) {
        const uint64_t value = value_at(call, argument, i), handle = handle_of(call, argument->kind, value);
        before[i] = (struct before){value, handle, mpidbg_life_of(argument->kind, handle)};
    }
    return count_before == 1 && before != NULL && keep_freed(call, argument, before->handle, before->life);
}

static void tell_freed(const struct call *call, const struct handle_argument *argument, const struct told_call *told)
{
    for (uint32_t i = 0; i < count_before; i++) {
        const struct before *was = &before[i];
        if (value_at(call, argument, i) == was->value) {
            if (argument->kind == HANDLE_REQUEST)
                watch_completed(was->handle, false, call, told, i);
            continue;
        }
        if (atomic_load_explicit(&persistent_count, memory_order_relaxed) != 0)
            persistent_freed(argument->kind, was->handle);
        mpidbg_freed(told_of(call, argument->kind, was->handle, was->value), was->life, told);
        if (argument->kind == HANDLE_DATATYPE)
            layout_forget(was->handle);
        if (argument->kind != HANDLE_REQUEST)
            continue;
        completed(was->handle);
        watch_completed(was->handle, true, call, told, i);
    }
}

void handles_end(const struct call *call, const struct told_call *told)
{
    const struct function *function = call->function;
    for (int i = 0; i < HANDLE_ARGUMENTS; i++) {
        const struct handle_argument *argument = &function->handles[i];
        if (argument->position == 0 || call->arguments[argument->position] == 0)
            continue;
        if (argument->how == FREES && before != NULL)
            tell_freed(call, argument, told);
        else if (argument->how == MAKES_LATER)
            make_later(call, argument, told);
        else if (argument->how != FREES && argument->how != STARTS && told->error == 0 && mpidbg_mpi_is_up() && call_has_found(call))
            for (uint32_t n = 0; n < handles_in(call, argument); n++)
                made(call, argument, n, told);
    }
    if (before != NULL && before != few)
        free(before);
    before = NULL;
}
