/* collector.h - what the parts of the collector share. Off, it does nothing; every failure turns it off, never the program. */
#ifndef MPIDBG_COLLECTOR_H
#define MPIDBG_COLLECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include "presence.h"
#include "region.h"

/* region.c: the region and its tables. NULL while the collector is off. */
extern struct region *region;
bool region_create(uint32_t collects, uint32_t period);
/* False in a fork of the process that made it, where there is none; from any thread and signal. */
bool region_is_ours(void);
uint64_t now(void);
void *entry(enum table table, uint32_t index);
/* The next free entries, which nobody sees before publish(); NULL when there is no room. */
void *reserve(enum table table, uint32_t entries);
uint32_t next_index(enum table table);
void publish(enum table table, uint32_t entries);
/* The offset of this text in TEXTS; 0 where there is no room. */
uint32_t text(const char *words);
/* The same where it is told again and again: stored only when it is another one. */
void reason(_Atomic uint32_t *place, const char *words);

/* rings.c: what happens again and again. OpenMP's records have rings of their own: they would soon overwrite all others. */
enum { MAX_RINGS = 112, RING_SLOTS = 128 * 1024, OMPT_SLOTS = RING_SLOTS / 2 };
/* For each thread, and slots of all together. */
uint32_t rings_wanted(uint32_t collects);
uint32_t slots_wanted(uint32_t collects);
void rings_lay_out(void);
/* From any thread and signal. `count`: at most MAX_RECORD_WORDS. Does nothing in a fork. */
void record(enum record_kind kind, uint16_t what, uint64_t time, const uint64_t *words, uint32_t count);

/* The ring that this thread writes to, which may be its first; NULL: there is none. */
struct ring_entry *ring_of_thread(void);

/* told-calls.c: the program's calls, which the wrappers tell. */
enum { MAX_FUNCTIONS = 1024 };
/* The kernel's number of this thread. */
uint32_t thread_number(void);
/* A communicator was made or gets a name, and is about to be freed; another one may get its handle. With the lock held. */
void comm_named(uint64_t comm, const char *name);
struct told_comm { uint32_t collectives; uint64_t freed; struct comm_entry *entry; };
struct told_comm comm_freed(uint64_t comm);
/* The library has refused. */
void comm_not_freed(uint64_t comm, const struct told_comm *was);

/* history.c: what made and freed the objects of the program's handles. */
enum { MAX_LIVES = 22 * 1024 };

/* mpi-library.c: the MPI library that the program has, whichever it is. Handles are 4 or 8 bytes, kept in 8. */
typedef uint64_t Handle;
typedef long long Count;
/* Called with an instance or a registration; the last argument is what was registered with it. */
typedef void Observed(Handle, Handle, int, void *);
typedef void Freed(Handle, int, void *);
typedef void Dropped(Count, Handle, int, int, void *);

#define MPI_T_FUNCTIONS(F)                                                                            \
    F(init_thread, (int, int *))                                                                      \
    F(enum_get_info, (Handle, int *, char *, int *))                                                  \
    F(enum_get_item, (Handle, int, int *, char *, int *))                                             \
    F(cvar_get_num, (int *))                                                                          \
    F(cvar_get_info, (int, char *, int *, int *, Handle *, Handle *, char *, int *, int *, int *))    \
    F(cvar_handle_alloc, (int, void *, Handle *, int *))                                              \
    F(cvar_handle_free, (Handle *))                                                                   \
    F(cvar_read, (Handle, void *))                                                                    \
    F(cvar_write, (Handle, const void *))                                                             \
    F(pvar_get_num, (int *))                                                                          \
    F(pvar_get_info, (int, char *, int *, int *, int *, Handle *, Handle *, char *, int *, int *, int *, int *, int *)) \
    F(pvar_session_create, (Handle *))                                                                \
    F(pvar_session_free, (Handle *))                                                                  \
    F(pvar_handle_alloc, (Handle, int, void *, Handle *, int *))                                      \
    F(pvar_handle_free, (Handle, Handle *))                                                           \
    F(pvar_start, (Handle, Handle))                                                                   \
    F(pvar_stop, (Handle, Handle))                                                                    \
    F(pvar_reset, (Handle, Handle))                                                                   \
    F(pvar_readreset, (Handle, Handle, void *))                                                       \
    F(pvar_write, (Handle, Handle, const void *))                                                     \
    F(pvar_read, (Handle, Handle, void *))                                                            \
    F(category_get_num, (int *))                                                                      \
    F(category_get_info, (int, char *, int *, char *, int *, int *, int *, int *))                    \
    F(category_get_cvars, (int, int, int *))                                                          \
    F(category_get_pvars, (int, int, int *))                                                          \
    F(category_get_categories, (int, int, int *))                                                     \
    F(category_changed, (int *))                                                                      \
    F(category_get_num_events, (int, int *))                                                          \
    F(category_get_events, (int, int, int *))                                                         \
    F(source_get_num, (int *))                                                                        \
    F(source_get_info, (int, char *, int *, char *, int *, int *, Count *, Count *, Handle *))        \
    F(source_get_timestamp, (int, Count *))                                                           \
    F(event_get_num, (int *))                                                                         \
    F(event_get_info, (int, char *, int *, int *, void *, intptr_t *, int *, Handle *, Handle *, char *, int *, int *)) \
    F(event_handle_alloc, (int, void *, Handle, Handle *))                                            \
    F(event_handle_free, (Handle, void *, Freed *))                                                   \
    F(event_register_callback, (Handle, int, Handle, void *, Observed *))                             \
    F(event_set_dropped_handler, (Handle, Dropped *))                                                 \
    F(event_read, (Handle, int, void *))                                                              \
    F(event_copy, (Handle, void *))                                                                   \
    F(event_get_timestamp, (Handle, Count *))                                                         \
    F(event_get_source, (Handle, int *))

enum flavour { OPEN_MPI, MPICH, STANDARD_ABI };

struct mpi_t {
    enum flavour flavour;
    int open_mpi_major; /* of its version; 0: not known, or another MPI */
#define F(name, arguments) int(*name) arguments;
    MPI_T_FUNCTIONS(F)
#undef F
};
extern struct mpi_t mpi_t;

/* False: the library has no MPI_T, or we do not know it. */
bool mpi_library_find(void);
int thread_multiple(void);
/* In the order of mpi.h from 0; UNKNOWN_WORD. */
uint8_t class_word(int number);
uint8_t bind_word(int number);
uint8_t verbosity_word(int number);
uint8_t scope_word(int number);
uint8_t ordering_word(int number);
/* Safety levels from the lowest, 0. */
enum { SAFETY_LEVELS = 4 };
int safety_number(int level);
uint8_t safety_word(int number);
/* "MPI_T_ERR_INVALID_INDEX" */
const char *error_word(int code);
struct datatype { const char *name; uint8_t bytes, kind; };
struct datatype datatype_of(Handle handle);
/* The size of the datatype with this name; 0: there is none. */
uint8_t bytes_of(const char *datatype);
/* 0: the library does not show it. */
Handle comm_world(void);
Handle comm_self(void);
bool is_intercommunicator(Handle comm);
/* For communicators, datatypes, error handlers, groups, infos and operations. */
Handle null_handle(enum handle_kind kind);
/* An array of handles as the library fills it: the one at this place. */
Handle handle_in(const void *handles, int place);
/* Where the library is to find the handle of an object that something is bound to. Call with the lock held. */
void *object_place(Handle object);

/* signal-stack.c: around the start of MPI_T, and when MPI is up. */
void signal_stack_before_mpi_t(void);
void signal_stack_of_mpi_t(void);
void signal_stack_give_back(void);

/* components.c: what is loaded before MPI_Init; what of it is still there afterwards. */
void components_note(void);
void components_compare(void);
bool component_is_gone(const char *variable);

/* deny-list.c: NULL, or why this variable is never touched. */
const char *denied_pvar(const char *name);
/* ob1 counts the processes of the local group, and reads so many of the remote one. */
bool denied_of_intercommunicator(const char *name);
const char *denied_cvar(const char *name);
/* Events of this type are not asked for at all; they are counted, and their data is not touched. */
const char *denied_event(const char *name);
const char *denied_payload(const char *name);

/* catalog.c: what MPI_T has. Call with the lock held. */
void catalog_update(void);
uint32_t enumeration_of(Handle handle);
void deny(const char *what, const char *reason);
/* The indices of MPI_T whose places in `listed` are 0 are added; the others are known. */
enum { MAX_NAME = 1024, MAX_DESCRIPTION = 4096, MAX_MPI_INDEX = 16384 };
void add_new(int (*get_num)(int *), const uint32_t *listed, void (*add)(int));

/* values.c: elements of an MPI datatype as 64 bits each. */
enum { MAX_VALUE_BYTES = 65536 };
void widen(const void *from, uint32_t count, struct datatype datatype, uint64_t *to);
void narrow(const uint64_t *from, uint32_t count, struct datatype datatype, void *to);

/* pvars.c: the collector's own session. Call with the lock held. */
void pvar_known(int mpi_index, uint32_t index, struct datatype datatype);
void pvars_bind(uint8_t bind, Handle object, const char *object_name);
/* Before the object is freed. Its last values stay readable for a while. False: nothing was bound to it. */
bool pvars_release(Handle object);
/* Releases all objects before the library goes that has them. */
void pvars_release_objects(void);
void pvars_name(Handle object, const char *object_name);
void pvars_sample(void);
/* On one of the instances; answers MPI_T's refusal by name, or NULL. */
const char *pvar_act(uint32_t instance, const struct request_entry *request);
/* On all: of the last that was refused. */
const char *pvars_act(const struct request_entry *request);
void pvars_close(void);

/* infos.c: appends what this object says to HINTS, answers how many, and frees it. */
uint32_t hints_of(Handle info);

/* sources.c: what raises events. Call with the lock held. */
void sources_update(void);
/* Their clocks beside ours. */
void sources_compare(void);
/* In SOURCES; UINT32_MAX: it is not listed. These two from any thread and signal. */
uint32_t source_index(int mpi_index);
void source_dropped(int mpi_index, uint64_t count);

/* event-types.c: what may be raised. Call with the lock held; the others from any thread and signal. */
struct event_type {
    int mpi_index;
    uint32_t index; /* in EVENT_TYPES */
    uint8_t bind;
    bool is_denied, fits_copy;
    uint32_t count;
    const struct payload_element { int64_t displacement; struct datatype datatype; } *elements;
};
enum { MAX_COPY = 1024 };
void event_types_update(void);
/* What each index of MPI_T is in EVENT_TYPES, plus 1; 0: not listed. */
const uint32_t *listed_event_types(void);

/* registrations.c: callbacks for events. Call with the lock held. `type`: as long as the process. */
void event_type_known(const struct event_type *type);
void events_bind(uint8_t bind, Handle object, const char *object_name);
/* False: nothing was registered on it. */
bool events_release(Handle object);
void events_name(Handle object, const char *object_name);
/* Ends those that are bound to objects; the others also see how MPI ends. */
void events_close(void);

/* catalog.c: writes a control variable and reads it again; answers MPI_T's refusal by name, or NULL. */
const char *cvar_write(uint32_t index, const struct request_entry *request);

/* requests.c: does what a debugger has asked for. Call with the lock held. */
void requests_serve(void);

/* interpose.c: whether MPI_T is initialised at all. It loads components of the library, of which some stay. With a region. */
bool collector_asks_mpi_t(void);
/* interpose.c: whether this process, and not one that it was forked from, collects now. */
bool collector_is_on(void);
/* Makes the region, if the environment asks for one and there is none yet; false: there is none for this process. */
bool collector_begin(void);

/* sampler.c: the collector's thread. The lock serialises all that calls MPI_T or writes tables. */
void lock(void);
void unlock(void);
void sampler_start(void);
/* Ends the thread; waits for it a second at most. */
void sampler_stop(void);

#endif
