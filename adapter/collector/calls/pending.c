/* pending.c - data that comes when a request completes: a table of those that are under way. */
#include <pthread.h>
#include <stdlib.h>
#include "carried.h"
#include "watch.h"

enum { PLACES = 8192, PROBES = 64 };
static struct pending *places[PLACES];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
_Atomic uint32_t pending_count;
static _Atomic uint32_t fetched_count;

static unsigned place_of(uint64_t request, unsigned probe)
{
    return ((unsigned)((request * UINT64_C(0x9e3779b97f4a7c15)) >> 32) + probe) % PLACES;
}

static void drop(unsigned place)
{
    layout_give_back(places[place]->layout);
    blocks_give_back(places[place]->blocks);
    if (places[place]->is_fetched)
        atomic_fetch_sub(&fetched_count, 1);
    free(places[place]);
    places[place] = NULL;
    atomic_fetch_sub(&pending_count, 1);
}

bool pending_add(const struct pending *pending)
{
    struct pending *kept = malloc(sizeof *kept);
    bool is_added = false;
    if (kept == NULL)
        return false;
    *kept = *pending;
    pthread_mutex_lock(&mutex);
    int place = -1;
    for (unsigned probe = 0; probe < PROBES; probe++) {
        const unsigned at = place_of(pending->request, probe);
        /* What had the same handle is over, and nobody has seen how. */
        if (places[at] != NULL && places[at]->request == pending->request && places[at]->is_given == pending->is_given)
            drop(at);
        if (places[at] == NULL && place < 0)
            place = (int)at;
    }
    if (place >= 0) {
        places[place] = kept;
        atomic_fetch_add(&pending_count, 1);
        if (kept->is_fetched)
            atomic_fetch_add(&fetched_count, 1);
        is_added = true;
    }
    pthread_mutex_unlock(&mutex);
    if (!is_added)
        free(kept);
    return is_added;
}

static bool find(uint64_t request, bool is_given, bool stays, struct pending *to)
{
    bool is_found = false;
    if (atomic_load(&pending_count) == 0 || request == 0)
        return false;
    pthread_mutex_lock(&mutex);
    for (unsigned probe = 0; probe < PROBES && !is_found; probe++) {
        const unsigned at = place_of(request, probe);
        if (places[at] == NULL || places[at]->request != request || places[at]->is_given != is_given)
            continue;
        *to = *places[at];
        layout_kept(to->layout);
        blocks_kept(to->blocks);
        if (!stays && !to->is_prepared)
            drop(at);
        is_found = true;
    }
    pthread_mutex_unlock(&mutex);
    return is_found;
}

bool pending_take(uint64_t request, bool is_given, struct pending *to)
{
    return find(request, is_given, false, to);
}

bool pending_peek(uint64_t request, bool is_given, struct pending *to)
{
    return find(request, is_given, true, to);
}

bool pending_take_fetched(uint64_t win, int peer, unsigned *from, struct pending *to)
{
    bool is_found = false;
    if (atomic_load(&fetched_count) == 0 || win == 0)
        return false;
    pthread_mutex_lock(&mutex);
    for (; *from < PLACES && !is_found; ++*from) {
        const struct pending *each = places[*from];
        if (each == NULL || !each->is_fetched || each->win != win || (peer != CARRIED_NONE && peer != each->partner.peer))
            continue;
        *to = *each;
        layout_kept(to->layout);
        drop(*from);
        is_found = true;
    }
    pthread_mutex_unlock(&mutex);
    return is_found;
}

/* What goes and what comes. */
static void with_pending(uint64_t request, void (*act)(unsigned place, const struct hit *before), const struct hit *before)
{
    if (atomic_load(&pending_count) == 0)
        return;
    pthread_mutex_lock(&mutex);
    for (unsigned probe = 0; probe < PROBES; probe++) {
        const unsigned at = place_of(request, probe);
        if (places[at] != NULL && places[at]->request == request)
            act(at, before);
    }
    pthread_mutex_unlock(&mutex);
}

static void drop_it(unsigned place, const struct hit *before)
{
    (void)before;
    drop(place);
}

static void set_before(unsigned place, const struct hit *before)
{
    places[place]->before = *before;
    places[place]->is_before_known = true;
}

static void count_start(unsigned place, const struct hit *before)
{
    (void)before;
    places[place]->times++;
}

void pending_drop(uint64_t request)
{
    with_pending(request, drop_it, NULL);
}

void pending_set_before(uint64_t request, struct hit before)
{
    with_pending(request, set_before, &before);
}

void pending_count_start(uint64_t request)
{
    with_pending(request, count_start, NULL);
}
