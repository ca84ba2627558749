/* watch.c - the first NaN and the first infinity that a call carries out of the rank, and into it. */
#include <stdlib.h>
#include "carried.h"
#include "handles.h"
#include "watch.h"

_Atomic bool watch_is_on;
/* What is still to be found, by direction; of enum wanted. */
static _Atomic unsigned wanted[2];

static void __attribute__((constructor)) begin(void)
{
    if (getenv("MPIDBG_WATCH_NAN") == NULL)
        return;
    watch_is_on = true;
    wanted[CARRIED_OUT] = wanted[CARRIED_IN] = WANTS_BOTH;
}

static enum wanted still(enum direction direction)
{
    return (enum wanted)atomic_load_explicit(&wanted[direction], memory_order_relaxed);
}

/* False: another thread was faster. */
static bool found(enum direction direction, bool is_nan)
{
    const unsigned what = is_nan ? WANTS_NAN : WANTS_INFINITY;
    const bool is_first = atomic_fetch_and(&wanted[direction], ~what) & what;
    if (wanted[CARRIED_OUT] == WANTS_NOTHING && wanted[CARRIED_IN] == WANTS_NOTHING)
        watch_is_on = false;
    return is_first;
}

void watch_note(const struct carried *carried)
{
    if (carried->hit.is_found && found(carried->direction, carried->hit.is_nan))
        tell_carried(carried);
}

/* How often each call of the program was come to, by where it returns to. */
enum { PLACES = 4096, PROBES = 16 };
static struct { _Atomic uint64_t caller; _Atomic uint32_t times; } places[PLACES];

/* 0: there is no more room for it. `more`: it is come to once more. */
static uint32_t times_at(uint64_t caller, uint32_t more)
{
    const unsigned home = (unsigned)((caller * UINT64_C(0x9e3779b97f4a7c15)) >> 32);
    for (unsigned probe = 0; probe < PROBES; probe++) {
        const unsigned at = (home + probe) % PLACES;
        uint64_t found = 0;
        if (atomic_load(&places[at].caller) == caller || atomic_compare_exchange_strong(&places[at].caller, &found, caller) || found == caller)
            return atomic_fetch_add(&places[at].times, more) + more;
    }
    return 0;
}

#define OF_THREAD static __thread __attribute__((tls_model("initial-exec")))
/* What was there before the call that this thread is in. */
OF_THREAD struct hit given_before, taken_before;
OF_THREAD bool has_looked_before, knows_taken_before;

static bool is_in_place_reduction(const struct call *call)
{
    const struct function *function = call->function;
    return function->flags & REDUCES && is_in_place(call, &function->gives);
}

static bool is_in_place_exchange(const struct call *call)
{
    const struct function *function = call->function;
    const bool has_parts = function->takes.shape == EACH_MEMBER || is_in_blocks(call, &function->takes);
    return function->flags & (COLLECTIVE | PERSISTENT) && has_parts && !is_in_place_reduction(call) && is_in_place(call, &function->gives);
}

static bool completes_later(const struct function *function)
{
    return function->flags & REQUEST_BY_ADDRESS;
}

static uint64_t window_of(const struct call *call)
{
    const uint8_t position = call->function->win;
    if (position == 0)
        return 0;
    const long argument = call->arguments[position];
    return call->language == IN_FORTRAN ? mpidbg_from_fortran(HANDLE_WIN, *(const int *)argument) : mpidbg_from_c((uint64_t)argument);
}

/* `hit.is_found`. */
static void tell(const struct call *call, const struct told_call *told, enum direction direction, struct hit hit, struct partner partner, int64_t count)
{
    const struct function *function = call->function;
    watch_note(&(struct carried){
        .direction = direction, .hit = hit, .function = function, .told = told, .count = count, .caller = told->caller,
        .times = times_at(told->caller, 0),
        .time = direction == CARRIED_OUT ? told->begin : told->end, .peer = partner.peer, .tag = partner.tag,
        .root = function->root != 0 ? told->root : CARRIED_NONE, .win = window_of(call),
    });
}

static int64_t count_of(const struct call *call, const struct told_call *told, const struct data_argument *data)
{
    struct buffer buffer;
    return buffer_of(call, told, data, &buffer) ? buffer.count : -1;
}

static void given(const struct call *call, const struct told_call *told)
{
    const struct function *function = call->function;
    const struct data_argument *data = is_in_place_reduction(call) ? &function->takes : &function->gives;
    const struct hit hit = has_looked_before ? given_before : look_at_data(call, told, data, still(CARRIED_OUT), false);
    if (hit.is_found)
        tell(call, told, CARRIED_OUT, hit, partner_of(call, told, false), count_of(call, told, data));
}

/* Where nobody knows how much of a message has come, what was there before has not. */
static bool has_come(struct hit hit, struct received received, bool is_before_known, struct hit before)
{
    return hit.is_found && (received.is_known || (is_before_known && (!before.is_found || hit.ordinal < before.ordinal)));
}

static int64_t count_in(const struct buffer *buffer, struct received received)
{
    return received.is_known && received.count < buffer->count ? received.count : buffer->count;
}

static void taken_message(const struct call *call, const struct told_call *told)
{
    struct buffer buffer;
    if (!buffer_of(call, told, &call->function->takes, &buffer))
        return;
    const struct received received = received_of(status_of(call, 0), mpidbg_size_of_type(buffer.type));
    buffer.count = count_in(&buffer, received);
    const struct hit hit = look_at(&buffer, still(CARRIED_IN), false);
    struct partner partner = partner_of(call, told, true);
    if (received.is_known)
        partner = (struct partner){received.source, received.tag};
    if (has_come(hit, received, knows_taken_before, taken_before))
        tell(call, told, CARRIED_IN, hit, partner, buffer.count);
}

static void taken(const struct call *call, const struct told_call *told)
{
    const struct data_argument *data = &call->function->takes;
    if (call->function->flags & RECEIVES) {
        taken_message(call, told);
        return;
    }
    const struct hit hit = look_at_data(call, told, data, still(CARRIED_IN), false);
    if (hit.is_found)
        tell(call, told, CARRIED_IN, hit, partner_of(call, told, true), count_of(call, told, data));
}

static uint64_t request_of(const struct call *call)
{
    const struct handle_argument request = {call->function->request, HANDLE_REQUEST, MAKES, 0};
    return handle_in_argument(call, &request, 0);
}

/* What a persistent exchange gives in place is there in blocks, too. */
static struct blocks *blocks_of_pending(const struct call *call, const struct told_call *told, const struct data_argument *data, bool is_in_place)
{
    return is_in_place ? blocks_given_in_place(call, told, true) : blocks_of(call, told, data, true);
}

static void add(const struct pending *pending)
{
    const bool is_of_interest = pending->blocks != NULL || (pending->layout != NULL && pending->layout->bytes > 0);
    if (is_of_interest && pending_add(pending))
        return;
    layout_give_back(pending->layout);
    blocks_give_back(pending->blocks);
}

/* is_given: it goes each time that the request is started, else it comes. */
static void comes_later(const struct call *call, const struct told_call *told, bool is_given)
{
    const struct function *function = call->function;
    const bool is_in_place = is_given && is_in_place_exchange(call);
    const bool is_of_reduction = is_given && is_in_place_reduction(call);
    const struct data_argument *data = is_given && !is_of_reduction ? &function->gives : &function->takes;
    struct pending pending = {
        .function = function, .told = *told, .win = window_of(call), .partner = partner_of(call, told, !is_given),
        .times = function->flags & PREPARES ? 0 : times_at(told->caller, 0), .is_prepared = function->flags & PREPARES, .is_given = is_given, .is_overwritten = is_in_place || is_of_reduction,
    };
    if (!(function->flags & FETCHES))
        pending.request = request_of(call);
    if (is_in_place || is_in_blocks(call, data)) {
        pending.buffer.count = -1;
        pending.blocks = blocks_of_pending(call, told, data, is_in_place);
        add(&pending);
        return;
    }
    if (!buffer_of(call, told, data, &pending.buffer))
        return;
    pending.layout = layout_of(pending.buffer.type, true);
    pending.size = mpidbg_size_of_type(pending.buffer.type);
    pending.before = taken_before;
    pending.is_before_known = knows_taken_before;
    pending.is_message = function->flags & RECEIVES;
    if (function->partitions != 0)
        pending.partition = integer_at(call, data->count);
    if (function->flags & FETCHES)
        fetch_later(&pending);
    else
        add(&pending);
}

struct hit look_at_pending(const struct pending *pending, enum wanted what)
{
    return pending->blocks != NULL ? look_at_blocks(pending->blocks, what) : look_in_buffer(&pending->buffer, pending->layout, what);
}

static void give_back(const struct pending *pending)
{
    layout_give_back(pending->layout);
    blocks_give_back(pending->blocks);
}

/* What goes with this call out of what `pending` gives. */
static void note_given(const struct pending *pending, const struct call *call, const struct told_call *told, struct hit hit)
{
    watch_note(&(struct carried){
        .direction = CARRIED_OUT, .hit = hit, .function = pending->function, .completed_by = call->function, .told = &pending->told,
        .count = pending->buffer.count, .times = pending->times, .caller = pending->told.caller, .completer = told->caller, .time = told->begin,
        .peer = pending->partner.peer, .tag = pending->partner.tag, .root = pending->function->root != 0 ? pending->told.root : CARRIED_NONE,
    });
}

/* One that is about to be started, or has been. What comes in its place is looked at before, and so is what was there before that. */
static void start_of(uint64_t request, bool is_given, bool has_begun, const struct call *call, const struct told_call *told)
{
    struct pending pending;
    if (!pending_take(request, is_given, &pending))
        return;
    const bool is_time = has_begun == (is_given && !pending.is_overwritten) && pending.partition == 0;
    const struct hit hit = is_time ? look_at_pending(&pending, still(is_given ? CARRIED_OUT : CARRIED_IN)) : (struct hit){0};
    give_back(&pending);
    if (is_time && is_given)
        note_given(&pending, call, told, hit);
    else if (is_time && pending.is_message)
        pending_set_before(request, hit);
}

static void starts(const struct call *call, const struct told_call *told, bool has_begun)
{
    const struct handle_argument *argument = &call->function->handles[0];
    if (argument->how != STARTS || argument->position == 0 || atomic_load(&pending_count) == 0)
        return;
    for (uint32_t i = 0; i < handles_in(call, argument); i++) {
        const uint64_t request = handle_in_argument(call, argument, i);
        if (!has_begun)
            pending_count_start(request);
        start_of(request, true, has_begun, call, told);
        start_of(request, false, has_begun, call, told);
    }
}

static struct hit look_at_partition(const struct pending *pending, int64_t partition, enum wanted what)
{
    if (partition < 0 || partition >= pending->buffer.count / pending->partition || pending->buffer.section.dimensions > 0)
        return (struct hit){0};
    const char *address = pending->buffer.address + partition * pending->partition * pending->layout->extent;
    return look_at_elements(address, pending->partition, pending->layout, what, most_bytes());
}

/* Partitions: one, those from one to another, or a list with its length before. */
static void readies(const struct call *call, const struct told_call *told)
{
    struct pending pending;
    const uint8_t request = call->function->request;
    if (!pending_take(told->request, true, &pending))
        return;
    const int64_t first = integer_at(call, 1);
    const bool is_list = request == 3 && call->function->flags & IS_LIST;
    const int64_t last = is_list ? first - 1 : request == 3 ? integer_at(call, 2) : first;
    for (int64_t i = is_list ? 0 : first; pending.partition > 0 && i <= last; i++)
        note_given(&pending, call, told, look_at_partition(&pending, is_list ? integer_in(call, 2, (int)i, false) : i, still(CARRIED_OUT)));
    give_back(&pending);
}

/* Whether it has completed all requests that it was given, or the only one. */
static bool completes_all(const struct call *call)
{
    const struct function *function = call->function;
    return (function->handles[0].count == 0 || function->flags & STATUS_FOR_EACH) && call_has_found(call);
}

/* With this call, all of it or this partition: -1: it has none. */
static void come(struct pending *pending, const void *status, int64_t partition, const struct call *call, const struct told_call *told)
{
    struct received received = {0};
    /* MPICH puts nothing into that of MPI_Isendrecv. */
    if (pending->is_message && pending->function->from == 0)
        received = received_of(status, pending->size);
    pending->buffer.count = count_in(&pending->buffer, received);
    const struct hit hit = partition < 0 ? look_at_pending(pending, still(CARRIED_IN)) : look_at_partition(pending, partition, still(CARRIED_IN));
    const bool is_of_call = hit.is_found && (!pending->is_message || has_come(hit, received, pending->is_before_known, pending->before));
    if (!is_of_call || told->error != 0)
        return;
    watch_note(&(struct carried){
        .direction = CARRIED_IN, .hit = hit, .function = pending->function, .completed_by = call->function, .told = &pending->told,
        .count = pending->buffer.count, .times = pending->times, .caller = pending->told.caller, .completer = told->caller, .time = told->end,
        .peer = received.is_known ? received.source : pending->partner.peer, .tag = received.is_known ? received.tag : pending->partner.tag,
        .root = pending->function->root != 0 ? pending->told.root : CARRIED_NONE, .win = pending->win,
    });
}

/* The data is there, and the program may use it before it completes the request. */
static void peeked(const struct call *call, const struct told_call *told)
{
    struct pending pending;
    if (!call_has_found(call) || !still(CARRIED_IN) || !pending_peek(told->request, false, &pending))
        return;
    come(&pending, status_of(call, 0), pending.partition > 0 ? integer_at(call, 2) : -1, call, told);
    give_back(&pending);
}

void watch_completed(uint64_t request, bool is_gone, const struct call *call, const struct told_call *told, uint32_t index)
{
    struct pending pending;
    const bool may_be_over = is_gone || completes_all(call);
    if (!watch_is_on || !may_be_over)
        return;
    const bool is_taken = pending_take(request, false, &pending);
    if (is_gone)
        pending_drop(request);
    if (!is_taken)
        return;
    /* MPI_Request_free: nobody is told when it is over. */
    if (is_gone && pending.is_prepared) {
        give_back(&pending);
        return;
    }
    come(&pending, status_of(call, call->function->flags & STATUS_FOR_EACH ? index : 0), -1, call, told);
    give_back(&pending);
}

/* A type that the library has taken, so that it may be asked for: calls that follow know it before they are made. */
static void learn_type(const struct call *call)
{
    const struct handle_argument type = {1, HANDLE_DATATYPE, MAKES, 0};
    layout_give_back(layout_of(handle_in_argument(call, &type, 0), true));
}

void watch_begins(const struct call *call, const struct told_call *told)
{
    const struct function *function = call->function;
    given_before = taken_before = (struct hit){0};
    has_looked_before = knows_taken_before = false;
    if (!mpidbg_mpi_is_up())
        return;
    if (function->gives.buffer != 0 || function->takes.buffer != 0)
        times_at(told->caller, 1);
    starts(call, told, false);
    if (function->flags & PREPARES) {
        /* It is looked at when it is started. */
    } else if (is_in_place_reduction(call)) {
        has_looked_before = true;
        given_before = look_at_data(call, told, &function->takes, still(CARRIED_OUT), true);
    } else if (is_in_place_exchange(call)) {
        has_looked_before = true;
        given_before = look_once(blocks_given_in_place(call, told, false), still(CARRIED_OUT));
    } else if (function->flags & REPLACES) {
        has_looked_before = true;
        given_before = look_at_data(call, told, &function->gives, still(CARRIED_OUT), true);
    }
    /* How much a message has is not known of all of them: what was there already has not come. */
    const bool is_message = function->takes.buffer != 0 && function->flags & RECEIVES;
    struct buffer buffer;
    if (is_message && (completes_later(function) || status_of(call, 0) == NULL) && still(CARRIED_IN) &&
        buffer_of(call, told, &function->takes, &buffer)) {
        struct layout *layout = layout_of(buffer.type, false);
        knows_taken_before = layout != NULL;
        layout_give_back(layout);
        if (knows_taken_before)
            taken_before = look_at(&buffer, still(CARRIED_IN), true);
    }
}

void watch_ends(const struct call *call, const struct told_call *told)
{
    const struct function *function = call->function;
    if (told->error != 0 || !mpidbg_mpi_is_up())
        return;
    starts(call, told, true);
    if (function->flags & READIES)
        readies(call, told);
    if (function->flags & PEEKS)
        peeked(call, told);
    if (function->flags & SYNCHRONIZES)
        fetched(call, told, window_of(call), still(CARRIED_IN));
    if (function->flags & COMMITS)
        learn_type(call);
    const bool is_prepared = function->flags & PREPARES;
    if (function->gives.buffer != 0 && still(CARRIED_OUT)) {
        if (is_prepared)
            comes_later(call, told, true);
        else
            given(call, told);
    }
    if (function->takes.buffer == 0 || !still(CARRIED_IN))
        return;
    if (completes_later(function) || function->flags & FETCHES)
        comes_later(call, told, false);
    else
        taken(call, told);
}
