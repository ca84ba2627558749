/*
 * history.c - what made and freed the objects of the program's handles. Nothing of it is overwritten but the oldest life of a
 * handle that has had many; what finds no room is counted.
 */
#include <pthread.h>
#include <string.h>
#include "collector.h"
#include "told-calls.h"

enum {
    MAX_LIVES_OF_HANDLE = 9,        /* the last one, and eight before */
    MAX_BRIEF = MAX_LIVES / 4 * 3,  /* lives of requests and messages, which must not take the room of all others */
    MAX_NAME_BYTES = 256 * 1024,    /* of the texts */
    SLOTS_OF_HANDLES = 32 * 1024,
};
_Static_assert((int)SLOTS_OF_HANDLES > (int)MAX_LIVES, "there is always a free slot");

/* The lives of each handle, the last one first, as indices in LIVES plus 1. */
static struct known_handle { uint64_t handle; uint32_t kind, last, lives; } handles[SLOTS_OF_HANDLES];
/* For each life: the one before, and how often the program must free it. */
static struct { uint32_t before, references; } lives[MAX_LIVES];
static uint64_t last_serial;
static uint32_t brief_lives, name_bytes;

/* Not the collector's, which its thread holds while it reads variables. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static struct known_handle *known(enum handle_kind kind, uint64_t handle)
{
    uint32_t at = (uint32_t)(((handle ^ (uint64_t)kind << 56) * 0x9e3779b97f4a7c15u) >> 49);
    while (handles[at].lives != 0 && (handles[at].handle != handle || handles[at].kind != (uint32_t)kind))
        at = (at + 1) % SLOTS_OF_HANDLES;
    return &handles[at];
}

static struct life_entry *life_at(uint32_t number)
{
    return entry(LIVES, number - 1);
}

static void begin_writing(struct life_entry *life)
{
    atomic_fetch_add_explicit(&life->generation, 1, memory_order_acq_rel);
}

static void end_writing(struct life_entry *life)
{
    atomic_fetch_add_explicit(&life->generation, 1, memory_order_acq_rel);
}

static bool is_freed(const struct life_entry *life)
{
    return life->freed.function != 0;
}

static struct life_call call_of(const struct told_call *call)
{
    return (struct life_call){.time = call->begin, .caller = call->caller, .function = call->function, .thread = thread_number()};
}

/* A new entry, or 0. */
static uint32_t taken_entry(enum handle_kind kind)
{
    const bool is_brief = kind == HANDLE_REQUEST || kind == HANDLE_MESSAGE;
    if (is_brief && brief_lives == MAX_BRIEF)
        return 0;
    if (next_index(LIVES) == region->tables[LIVES].capacity)
        return 0;
    brief_lives += is_brief;
    return next_index(LIVES) + 1;
}

/* The oldest life of this handle, which is not its last one any more. */
static uint32_t oldest_entry(struct known_handle *of)
{
    uint32_t newer = 0, number = of->last;
    while (lives[number - 1].before != 0) {
        newer = number;
        number = lives[number - 1].before;
    }
    if (newer != 0)
        lives[newer - 1].before = 0;
    else
        of->last = 0;
    of->lives--;
    return number;
}

static void add(struct known_handle *of, struct told_handle told, struct life_call made, struct life_call freed)
{
    const uint32_t fresh = of->lives == MAX_LIVES_OF_HANDLE ? 0 : taken_entry(told.kind);
    if (fresh == 0 && of->lives < MAX_LIVES_OF_HANDLE)
        atomic_fetch_add(&region->tables[LIVES].refused, 1);
    if (fresh == 0 && of->lives == 0)
        return;
    const uint32_t number = fresh != 0 ? fresh : oldest_entry(of);
    struct life_entry *life = life_at(number);
    begin_writing(life);
    life->kind = told.kind;
    life->handle = told.handle;
    life->serial = ++last_serial;
    life->fortran = told.fortran;
    life->name = 0;
    life->made = made;
    life->freed = freed;
    end_writing(life);
    lives[number - 1].before = of->last;
    lives[number - 1].references = 1;
    *of = (struct known_handle){told.handle, told.kind, number, of->lives + 1};
    if (fresh != 0)
        publish(LIVES, 1);
}

void mpidbg_made(struct told_handle told, enum how_made how, const struct told_call *call)
{
    static const struct life_call none;
    if (told.handle == 0 || call->function == 0 || region->tables[LIVES].capacity == 0)
        return;
    pthread_mutex_lock(&mutex);
    struct known_handle *of = known(told.kind, told.handle);
    struct life_entry *last = of->lives == 0 ? NULL : life_at(of->last);
    /* A group that was freed may be another one now; of the other kinds all are seen that are made. */
    const bool is_more = how == OBTAINED || how == SHARED_ONE;
    const bool is_same = last != NULL && how != MADE && (!is_freed(last) || (is_more && told.kind != HANDLE_GROUP));
    if (!is_same && how != SHARED_ONE) {
        add(of, told, call_of(call), none);
    } else if (is_same && is_more && !is_freed(last)) {
        lives[of->last - 1].references++;
    } else if (is_same && is_more) {
        begin_writing(last);
        last->freed = none;
        end_writing(last);
        lives[of->last - 1].references = 1;
    }
    pthread_mutex_unlock(&mutex);
}

/* Only of an object that is there: for any other handle MPI would end the program. */
static uint32_t name_of(enum handle_kind kind, uint64_t handle)
{
    static const char *const names[HANDLE_KINDS] = {
        [HANDLE_COMM] = "PMPI_Comm_get_name", [HANDLE_DATATYPE] = "PMPI_Type_get_name", [HANDLE_WIN] = "PMPI_Win_get_name",
    };
    static int (*_Atomic askers[HANDLE_KINDS])(Handle, char *, int *);
    if (names[kind] == NULL || name_bytes > MAX_NAME_BYTES)
        return 0;
    int (*ask)(Handle, char *, int *) = atomic_load_explicit(&askers[kind], memory_order_relaxed);
    if (ask == NULL) {
        *(void **)&ask = next_symbol(names[kind]);
        atomic_store_explicit(&askers[kind], ask, memory_order_relaxed);
    }
    char name[512] = "";
    int length = 0;
    if (ask == NULL || ask(handle, name, &length) != 0 || name[0] == '\0')
        return 0;
    name_bytes += (uint32_t)strlen(name) + 1;
    lock();
    const uint32_t stored = text(name);
    unlock();
    return stored;
}

uint64_t mpidbg_life_of(enum handle_kind kind, uint64_t handle)
{
    if (handle == 0 || !collector_is_on())
        return 0;
    pthread_mutex_lock(&mutex);
    const struct known_handle *of = known(kind, handle);
    struct life_entry *last = of->lives == 0 ? NULL : life_at(of->last);
    const uint64_t serial = last == NULL ? 0 : last->serial;
    const bool is_there = last != NULL && !is_freed(last);
    pthread_mutex_unlock(&mutex);
    const uint32_t name = is_there ? name_of(kind, handle) : 0;
    if (name != 0) {
        pthread_mutex_lock(&mutex);
        if (last->serial == serial)
            last->name = name;
        pthread_mutex_unlock(&mutex);
    }
    return serial;
}

void mpidbg_freed(struct told_handle told, uint64_t life, const struct told_call *call)
{
    static const struct life_call none;
    if (told.handle == 0 || call->function == 0 || region->tables[LIVES].capacity == 0)
        return;
    pthread_mutex_lock(&mutex);
    struct known_handle *of = known(told.kind, told.handle);
    uint32_t number = of->last;
    while (number != 0 && life_at(number)->serial != life)
        number = lives[number - 1].before;
    if (number == 0 || is_freed(life_at(number))) {
        /* Made by a call that was not seen. Many requests share one object that is always complete. */
        if (told.kind != HANDLE_REQUEST)
            add(of, told, none, call_of(call));
    } else if (--lives[number - 1].references == 0) {
        struct life_entry *ended = life_at(number);
        begin_writing(ended);
        ended->freed = call_of(call);
        if (told.fortran != 0)
            ended->fortran = told.fortran;
        end_writing(ended);
    }
    pthread_mutex_unlock(&mutex);
}

bool mpidbg_is_last_reference(enum handle_kind kind, uint64_t handle, uint64_t life)
{
    pthread_mutex_lock(&mutex);
    const struct known_handle *of = known(kind, handle);
    const struct life_entry *last = life == 0 || of->lives == 0 ? NULL : life_at(of->last);
    const bool is_last = last != NULL && last->serial == life && !is_freed(last) && lives[of->last - 1].references == 1;
    pthread_mutex_unlock(&mutex);
    return is_last;
}
