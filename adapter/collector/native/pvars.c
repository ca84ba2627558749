/* pvars.c - reads performance variables in a session of the collector's own, which no other session sees. */
#include <string.h>
#include "collector.h"

enum { MAX_PVARS = 4096, MAX_BOUND = 16384 };

static struct { int mpi_index; uint32_t index; uint8_t bind; struct datatype datatype; } known[MAX_PVARS];
static uint32_t known_count;

static struct { Handle handle; uint32_t instance; struct datatype datatype; } bound[MAX_BOUND];
static uint32_t bound_count;

static Handle session;
static bool has_session(void)
{
    return session != 0 || (mpi_t.pvar_session_create != NULL && mpi_t.pvar_session_create(&session) == 0 && session != 0);
}

/* Instances of freed objects, oldest first: their last values stay until so many others have come. */
enum { MAX_FREED = 256 };
static uint32_t freed[MAX_FREED];
static uint32_t freed_count;

/* Room for the values of one more object: of one that was freed long ago, or new room. NULL: there is none. */
static struct instance_entry *room_for(uint32_t pvar, uint32_t count, uint32_t *index)
{
    for (uint32_t i = 0; freed_count == MAX_FREED && i < freed_count; i++) {
        struct instance_entry *old = entry(INSTANCES, freed[i]);
        if (old->pvar != pvar || old->count != count)
            continue;
        *index = freed[i];
        memmove(&freed[i], &freed[i + 1], (--freed_count - i) * sizeof *freed);
        return old;
    }
    uint64_t *values = reserve(VALUES, 2 * count);
    struct instance_entry *made = values == NULL ? NULL : reserve(INSTANCES, 1);
    if (made == NULL)
        return NULL;
    *made = (struct instance_entry){.pvar = pvar, .count = count, .values = next_index(VALUES)};
    *index = next_index(INSTANCES);
    publish(VALUES, 2 * count);
    publish(INSTANCES, 1);
    return made;
}

static void sample(Handle handle, struct instance_entry *to, struct datatype datatype);

/* One more instance of the variable: what it is for this object. */
static void bind_one(uint32_t which, Handle object, const char *object_name)
{
    struct pvar_entry *pvar = entry(PVARS, known[which].index);
    const struct datatype datatype = known[which].datatype;
    Handle handle = 0;
    int count = 0;
    if (bound_count == MAX_BOUND)
        return;
    if (mpi_t.pvar_handle_alloc(session, known[which].mpi_index, object_place(object), &handle, &count) != 0)
        return;
    const bool fits = datatype.bytes > 0 && count > 0 && (uint64_t)count * datatype.bytes <= MAX_VALUE_BYTES;
    uint32_t index = 0;
    struct instance_entry *made = fits ? room_for(known[which].index, (uint32_t)count, &index) : NULL;
    if (made == NULL) {
        mpi_t.pvar_handle_free(session, &handle);
        return;
    }
    const bool runs = (pvar->flags & PVAR_CONTINUOUS) != 0 || mpi_t.pvar_start(session, handle) == 0;
    atomic_store(&made->generation, 0);
    made->object = object;
    made->object_name = text(object_name);
    atomic_store(&made->flags, runs ? INSTANCE_STARTED : 0);
    bound[bound_count].handle = handle;
    bound[bound_count].instance = index;
    bound[bound_count++].datatype = datatype;
    atomic_store(&pvar->status, PVAR_ACTIVE);
    sample(handle, made, datatype);
}

void pvar_known(int mpi_index, uint32_t index, struct datatype datatype)
{
    if (known_count == MAX_PVARS || !has_session())
        return;
    const struct pvar_entry *pvar = entry(PVARS, index);
    known[known_count].mpi_index = mpi_index;
    known[known_count].index = index;
    known[known_count].bind = pvar->bind;
    known[known_count++].datatype = datatype;
    if (pvar->bind == BIND_NO_OBJECT)
        bind_one(known_count - 1, 0, "");
}

void pvars_bind(uint8_t bind, Handle object, const char *object_name)
{
    static bool is_told;
    const bool is_inter = bind == BIND_COMM && is_intercommunicator(object);
    for (uint32_t i = 0; i < known_count; i++) {
        const struct pvar_entry *pvar = entry(PVARS, known[i].index);
        if (known[i].bind != bind)
            continue;
        if (!is_inter || !denied_of_intercommunicator(entry(TEXTS, pvar->name)))
            bind_one(i, object, object_name);
        else if (!is_told) {
            deny(entry(TEXTS, pvar->name), "of intercommunicators: reading it can crash Open MPI");
            is_told = true;
        }
    }
}

static void store(struct instance_entry *to, struct datatype datatype, const void *values)
{
    const uint64_t next = atomic_load(&to->generation) + 1;
    widen(values, to->count, datatype, entry(VALUES, to->values + (uint32_t)(next % 2) * to->count));
    to->time[next % 2] = now();
    atomic_store(&to->generation, next);
}

static void sample(Handle handle, struct instance_entry *to, struct datatype datatype)
{
    static _Alignas(8) char buffer[MAX_VALUE_BYTES];
    const int code = mpi_t.pvar_read(session, handle, buffer);
    reason(&to->error, code == 0 ? "" : error_word(code));
    if (code == 0)
        store(to, datatype, buffer);
}

void pvars_sample(void)
{
    for (uint32_t i = 0; i < bound_count; i++)
        sample(bound[i].handle, entry(INSTANCES, bound[i].instance), bound[i].datatype);
    atomic_store(&region->sampled, now());
}

static void mark_started(struct instance_entry *instance, bool is_started)
{
    if (is_started)
        atomic_fetch_or(&instance->flags, INSTANCE_STARTED);
    else
        atomic_fetch_and(&instance->flags, ~(uint32_t)INSTANCE_STARTED);
}

static const char *act(uint32_t which, const struct request_entry *request)
{
    static _Alignas(8) char buffer[MAX_VALUE_BYTES];
    const Handle handle = bound[which].handle;
    const struct datatype datatype = bound[which].datatype;
    struct instance_entry *instance = entry(INSTANCES, bound[which].instance);
    int code = 0;
    switch (request->action) {
    case ACTION_START:
        code = mpi_t.pvar_start(session, handle);
        break;
    case ACTION_STOP:
        code = mpi_t.pvar_stop(session, handle);
        break;
    case ACTION_RESET:
        code = mpi_t.pvar_reset(session, handle);
        break;
    case ACTION_READRESET:
        code = mpi_t.pvar_readreset(session, handle, buffer);
        if (code == 0)
            store(instance, datatype, buffer);
        break;
    case ACTION_WRITE:
        if (request->count != instance->count)
            return "it has another number of values";
        narrow(request->values, request->count, datatype, buffer);
        code = mpi_t.pvar_write(session, handle, buffer);
        break;
    default:
        return "there is no such action";
    }
    if (code != 0)
        return error_word(code);
    if (request->action == ACTION_START || request->action == ACTION_STOP)
        mark_started(instance, request->action == ACTION_START);
    if (request->action != ACTION_READRESET)
        sample(handle, instance, datatype);
    return NULL;
}

const char *pvar_act(uint32_t instance, const struct request_entry *request)
{
    for (uint32_t i = 0; i < bound_count; i++)
        if (bound[i].instance == instance)
            return act(i, request);
    return "its object was freed";
}

/* As MPI_T_PVAR_ALL_HANDLES has it: continuous variables are not started or stopped, and those that are read-only not reset. */
const char *pvars_act(const struct request_entry *request)
{
    const bool is_of_running = request->action == ACTION_START || request->action == ACTION_STOP;
    const char *problem = NULL;
    for (uint32_t i = 0; i < bound_count; i++) {
        const struct instance_entry *instance = entry(INSTANCES, bound[i].instance);
        const struct pvar_entry *pvar = entry(PVARS, instance->pvar);
        const bool is_started = (atomic_load(&instance->flags) & INSTANCE_STARTED) != 0;
        const bool is_so = is_of_running && is_started == (request->action == ACTION_START);
        if (is_so || (pvar->flags & (is_of_running ? PVAR_CONTINUOUS : PVAR_READONLY)) != 0)
            continue;
        const char *refusal = act(i, request);
        problem = refusal != NULL ? refusal : problem;
    }
    return problem;
}

static void release(uint32_t which)
{
    struct instance_entry *instance = entry(INSTANCES, bound[which].instance);
    sample(bound[which].handle, instance, bound[which].datatype);
    mpi_t.pvar_handle_free(session, &bound[which].handle);
    atomic_fetch_and(&instance->flags, ~(uint32_t)INSTANCE_STARTED);
    if (instance->object != 0)
        atomic_fetch_or(&instance->flags, INSTANCE_FREED);
}

/* `object` 0: all that are bound to objects. */
static bool release_of(Handle object)
{
    bool is_bound = false;
    for (uint32_t i = 0; i < bound_count; i++) {
        const uint32_t instance = bound[i].instance;
        const Handle of = ((struct instance_entry *)entry(INSTANCES, instance))->object;
        if (of == 0 || (object != 0 && of != object))
            continue;
        is_bound = true;
        release(i);
        bound[i--] = bound[--bound_count];
        if (freed_count < MAX_FREED)
            freed[freed_count++] = instance;
    }
    return is_bound;
}

bool pvars_release(Handle object)
{
    return object != 0 && release_of(object);
}

void pvars_release_objects(void)
{
    release_of(0);
}

void pvars_name(Handle object, const char *object_name)
{
    for (uint32_t i = 0; i < bound_count; i++) {
        struct instance_entry *instance = entry(INSTANCES, bound[i].instance);
        if (instance->object == object)
            instance->object_name = text(object_name);
    }
}

void pvars_close(void)
{
    for (uint32_t i = 0; i < bound_count; i++)
        release(i);
    bound_count = 0;
    if (session != 0)
        mpi_t.pvar_session_free(&session);
    session = 0;
}
