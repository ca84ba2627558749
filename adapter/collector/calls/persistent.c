/*
 * persistent.c - which communicator each request of a persistent collective has, so that a start counts as one more collective
 * of it.
 */
#include <pthread.h>
#include "handles.h"
#include "persistent.h"

/* Linear probing; there is always a free place. */
enum { MAX_PERSISTENT = 2048, PLACES = 2 * MAX_PERSISTENT };
static struct persistent { uint64_t request, comm; } places[PLACES];
_Atomic uint32_t persistent_count;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static uint32_t home_of(uint64_t request)
{
    return (uint32_t)((request * 0x9e3779b97f4a7c15u) >> 52) % PLACES;
}

/* Its place, or the free one that it would take. */
static uint32_t place_of(uint64_t request)
{
    uint32_t at = home_of(request);
    while (places[at].request != 0 && places[at].request != request)
        at = (at + 1) % PLACES;
    return at;
}

void persistent_made(const struct told_call *told)
{
    if (told->error != 0 || told->request == 0 || told->comm == 0)
        return;
    pthread_mutex_lock(&mutex);
    struct persistent *to = &places[place_of(told->request)];
    const bool has_room = to->request != 0 || persistent_count < MAX_PERSISTENT;
    if (has_room) {
        persistent_count += to->request == 0;
        *to = (struct persistent){told->request, told->comm};
    }
    pthread_mutex_unlock(&mutex);
    /* Its starts will not be seen: a number that misses them would be wrong. */
    if (!has_room)
        mpidbg_stop_counting(told->comm);
}

/* 0: this request is of no persistent collective. */
static uint64_t comm_of(uint64_t request)
{
    pthread_mutex_lock(&mutex);
    const uint64_t comm = request == 0 ? 0 : places[place_of(request)].comm;
    pthread_mutex_unlock(&mutex);
    return comm;
}

/* MPI_Startall may start several: the first one is told, unless they are of several communicators. */
void persistent_started(const struct call *call, const struct handle_argument *argument, struct told_call *told)
{
    bool is_of_several = false;
    const uint32_t requests = handles_in(call, argument);
    for (uint32_t i = 0; i < requests; i++) {
        const uint64_t comm = comm_of(handle_in_argument(call, argument, i));
        const uint32_t instance = comm == 0 ? 0 : mpidbg_next_instance(comm);
        if (comm == 0)
            continue;
        is_of_several = is_of_several || (told->comm != 0 && told->comm != comm);
        if (told->comm == 0) {
            told->comm = comm;
            told->instance = instance;
        }
    }
    if (is_of_several) {
        told->comm = 0;
        told->instance = 0;
    }
}

/* What follows moves up, so that a search still finds it. */
static void remove_at(uint32_t hole)
{
    persistent_count--;
    places[hole] = (struct persistent){0, 0};
    for (uint32_t at = (hole + 1) % PLACES; places[at].request != 0; at = (at + 1) % PLACES) {
        const uint32_t home = home_of(places[at].request);
        if ((at - home) % PLACES < (at - hole) % PLACES)
            continue;
        places[hole] = places[at];
        places[at] = (struct persistent){0, 0};
        hole = at;
    }
}

static void remove_all_of(uint64_t comm)
{
    for (uint32_t at = 0; at < PLACES; at++)
        /* Another one may have moved here. */
        while (places[at].request != 0 && places[at].comm == comm)
            remove_at(at);
}

void persistent_freed(enum handle_kind kind, uint64_t handle)
{
    if (handle == 0)
        return;
    pthread_mutex_lock(&mutex);
    if (kind == HANDLE_COMM) {
        remove_all_of(handle);
    } else if (kind == HANDLE_REQUEST) {
        const uint32_t at = place_of(handle);
        if (places[at].request != 0)
            remove_at(at);
    }
    pthread_mutex_unlock(&mutex);
}
