/*
 * registrations.c - callbacks for events: at every safety level, and one that learns of events that were dropped.
 *
 * The callbacks run in any thread and signal, also while the collector's lock is held: they only count, and write records.
 */
#include <errno.h>
#include <string.h>
#include "collector.h"

enum { MAX_TYPES = 1024, MAX_REGISTRATIONS = 8192, HEAD_WORDS = 3 };

static const struct event_type *known[MAX_TYPES];
static uint32_t known_count;

static struct registration {
    const struct event_type *type;
    Handle handle;
    struct registration_entry *told;
} registrations[MAX_REGISTRATIONS];
static uint32_t count;

static struct event_type_entry *told_of(const struct event_type *type)
{
    return entry(EVENT_TYPES, type->index);
}

static uint64_t event_bits(uint32_t source, int safety, enum payload payload)
{
    return (uint64_t)source << EVENT_SOURCE | (uint64_t)safety_word(safety) << EVENT_SAFETY | (uint64_t)payload << EVENT_PAYLOAD;
}

/* All elements at once where their places are known and near, else one by one. */
static enum payload read_payload(Handle instance, const struct event_type *type, uint64_t *to)
{
    _Alignas(16) char buffer[MAX_COPY];
    if (type->is_denied || type->count == 0)
        return type->is_denied ? PAYLOAD_DENIED : PAYLOAD_NONE;
    if (type->fits_copy && mpi_t.event_copy != NULL && mpi_t.event_copy(instance, buffer) == 0) {
        for (uint32_t i = 0; i < type->count; i++)
            widen(buffer + type->elements[i].displacement, 1, type->elements[i].datatype, &to[i]);
        return PAYLOAD_COPIED;
    }
    for (uint32_t i = 0; i < type->count; i++) {
        memset(buffer, 0, 16);
        if (mpi_t.event_read == NULL || mpi_t.event_read(instance, (int)i, buffer) != 0)
            return PAYLOAD_NONE;
        widen(buffer, 1, type->elements[i].datatype, &to[i]);
    }
    return PAYLOAD_READ;
}

static void observed(Handle instance, Handle handle, int safety, void *user_data)
{
    (void)handle;
    if (!region_is_ours())
        return;
    const uint64_t time = now();
    const int error = errno;
    const struct registration *registration = user_data;
    const struct event_type *type = registration->type;
    uint64_t words[MAX_RECORD_WORDS];
    Count ticks = 0;
    int source = -1;
    atomic_fetch_add_explicit(&told_of(type)->raised, 1, memory_order_relaxed);
    if (mpi_t.event_get_timestamp != NULL)
        mpi_t.event_get_timestamp(instance, &ticks);
    if (mpi_t.event_get_source != NULL)
        mpi_t.event_get_source(instance, &source);
    const enum payload payload = read_payload(instance, type, &words[HEAD_WORDS]);
    words[0] = (uint64_t)ticks;
    words[1] = event_bits(source_index(source), safety, payload);
    words[2] = registration->told->object;
    const bool has_elements = payload == PAYLOAD_READ || payload == PAYLOAD_COPIED;
    record(RECORD_EVENT, (uint16_t)type->index, time, words, HEAD_WORDS + (has_elements ? type->count : 0));
    errno = error;
}

/* NULL: not a registration of ours. */
static const struct registration *registration_of(Handle handle)
{
    for (uint32_t i = 0; i < count; i++)
        if (registrations[i].handle == handle)
            return &registrations[i];
    return NULL;
}

/* The handle tells which events were dropped: Open MPI 6 passes no user data to this handler. */
static void dropped(Count how_many, Handle handle, int source, int safety, void *user_data)
{
    (void)user_data;
    const struct registration *registration = region_is_ours() && how_many > 0 ? registration_of(handle) : NULL;
    if (registration == NULL)
        return;
    const uint64_t number = (uint64_t)how_many;
    const uint64_t words[] = {0, event_bits(source_index(source), safety, PAYLOAD_NONE), registration->told->object, number};
    atomic_fetch_add(&told_of(registration->type)->dropped, number);
    source_dropped(source, number);
    record(RECORD_DROPPED, (uint16_t)registration->type->index, now(), words, HEAD_WORDS + 1);
}

static void freed(Handle handle, int safety, void *user_data)
{
    (void)handle, (void)safety;
    if (region_is_ours())
        atomic_fetch_or(&((struct registration *)user_data)->told->flags, REGISTRATION_FREED);
}

/* A new one, else one that was freed. NULL: there is no room. */
static struct registration *room(void)
{
    struct registration_entry *made = count < MAX_REGISTRATIONS ? reserve(REGISTRATIONS, 1) : NULL;
    if (made != NULL) {
        publish(REGISTRATIONS, 1);
        registrations[count].told = made;
        return &registrations[count++];
    }
    for (uint32_t i = 0; i < count; i++)
        if ((atomic_load(&registrations[i].told->flags) & REGISTRATION_FREED) != 0)
            return &registrations[i];
    return NULL;
}

/* The highest level first, so that no event comes for which there is no callback yet. */
static void bind_one(const struct event_type *type, Handle object, const char *object_name)
{
    Handle handle = 0;
    if (mpi_t.event_handle_alloc(type->mpi_index, object_place(object), null_handle(HANDLE_INFO), &handle) != 0)
        return;
    struct registration *made = room();
    if (made == NULL) {
        mpi_t.event_handle_free(handle, NULL, NULL);
        return;
    }
    made->type = type;
    made->handle = handle;
    made->told->event_type = type->index;
    made->told->object = object;
    made->told->object_name = text(object_name);
    made->told->safety = 0;
    atomic_store(&made->told->flags, 0);
    for (int level = SAFETY_LEVELS - 1; level >= 0; level--)
        if (mpi_t.event_register_callback(handle, safety_number(level), null_handle(HANDLE_INFO), made, observed) == 0)
            made->told->safety |= 1u << level;
    if (mpi_t.event_set_dropped_handler != NULL)
        mpi_t.event_set_dropped_handler(handle, dropped);
}

void event_type_known(const struct event_type *type)
{
    if (known_count == MAX_TYPES)
        return;
    known[known_count++] = type;
    if (type->bind == BIND_NO_OBJECT)
        bind_one(type, 0, "");
}

void events_bind(uint8_t bind, Handle object, const char *object_name)
{
    for (uint32_t i = 0; i < known_count; i++)
        if (known[i]->bind == bind)
            bind_one(known[i], object, object_name);
}

static void release(struct registration *registration)
{
    mpi_t.event_handle_free(registration->handle, registration, freed);
    registration->handle = 0;
}

bool events_release(Handle object)
{
    bool is_bound = false;
    for (uint32_t i = 0; i < count; i++)
        if (registrations[i].handle != 0 && registrations[i].told->object == object) {
            is_bound = true;
            release(&registrations[i]);
        }
    return is_bound;
}

void events_name(Handle object, const char *object_name)
{
    for (uint32_t i = 0; i < count; i++)
        if (registrations[i].handle != 0 && registrations[i].told->object == object)
            registrations[i].told->object_name = text(object_name);
}

void events_close(void)
{
    for (uint32_t i = 0; i < count; i++)
        if (registrations[i].handle != 0 && registrations[i].told->object != 0)
            release(&registrations[i]);
}
