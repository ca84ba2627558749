/* fetched.c - what MPI_Get and the like fetch from a window: it is there when the window is synchronized. */
#include "carried.h"
#include "watch.h"

void fetch_later(struct pending *pending)
{
    /* Requests of MPI are addresses or numbers of 32 bits. */
    static _Atomic uint64_t serial = UINT64_C(1) << 63;
    pending->request = atomic_fetch_add(&serial, 1);
    pending->is_fetched = true;
    if (pending->layout == NULL || pending->layout->bytes == 0 || !pending_add(pending))
        layout_give_back(pending->layout);
}

void fetched(const struct call *call, const struct told_call *told, uint64_t win, enum wanted wanted)
{
    const int peer = call->function->peer == 0 ? CARRIED_NONE : told->peer;
    struct pending pending;
    for (unsigned from = 0; pending_take_fetched(win, peer, &from, &pending);) {
        const struct hit hit = look_at_pending(&pending, wanted);
        layout_give_back(pending.layout);
        watch_note(&(struct carried){
            .direction = CARRIED_IN, .hit = hit, .function = pending.function, .completed_by = call->function, .told = &pending.told,
            .count = pending.buffer.count, .times = pending.times, .caller = pending.told.caller, .completer = told->caller, .time = told->end, .win = win,
            .peer = pending.partner.peer, .tag = pending.partner.tag, .root = CARRIED_NONE,
        });
    }
}
