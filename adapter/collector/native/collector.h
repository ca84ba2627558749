/* collector.h - what the parts of the collector share. Off, it does nothing; every failure turns it off, never the program. */
#ifndef MPIDBG_COLLECTOR_H
#define MPIDBG_COLLECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include "region.h"

/* region.c: the region and its tables. NULL while the collector is off. */
extern struct region *region;
bool region_create(uint32_t collects, uint32_t period);
uint64_t now(void);
void *entry(enum table table, uint32_t index);
/* The next free entries, which nobody sees before publish(); NULL when there is no room. */
void *reserve(enum table table, uint32_t entries);
uint32_t next_index(enum table table);
void publish(enum table table, uint32_t entries);
/* The offset of this text in TEXTS; 0 where there is no room. */
uint32_t text(const char *words);

/* mpi-library.c: the MPI library that the program has, whichever it is. Handles are 4 or 8 bytes, kept in 8. */
typedef uint64_t Handle;
typedef long long Count;

#define MPI_T_FUNCTIONS(F)                                                                            \
    F(init_thread, (int, int *))                                                                      \
    F(enum_get_info, (Handle, int *, char *, int *))                                                  \
    F(enum_get_item, (Handle, int, int *, char *, int *))                                             \
    F(cvar_get_num, (int *))                                                                          \
    F(cvar_get_info, (int, char *, int *, int *, Handle *, Handle *, char *, int *, int *, int *))    \
    F(cvar_handle_alloc, (int, void *, Handle *, int *))                                              \
    F(cvar_handle_free, (Handle *))                                                                   \
    F(cvar_read, (Handle, void *))                                                                    \
    F(pvar_get_num, (int *))                                                                          \
    F(pvar_get_info, (int, char *, int *, int *, int *, Handle *, Handle *, char *, int *, int *, int *, int *, int *)) \
    F(pvar_session_create, (Handle *))                                                                \
    F(pvar_session_free, (Handle *))                                                                  \
    F(pvar_handle_alloc, (Handle, int, void *, Handle *, int *))                                      \
    F(pvar_handle_free, (Handle, Handle *))                                                           \
    F(pvar_start, (Handle, Handle))                                                                   \
    F(pvar_read, (Handle, Handle, void *))                                                            \
    F(category_get_num, (int *))                                                                      \
    F(category_get_info, (int, char *, int *, char *, int *, int *, int *, int *))                    \
    F(category_get_cvars, (int, int, int *))                                                          \
    F(category_get_pvars, (int, int, int *))                                                          \
    F(category_get_categories, (int, int, int *))                                                     \
    F(category_changed, (int *))

enum flavour { OPEN_MPI, MPICH, STANDARD_ABI };

struct mpi_t {
    enum flavour flavour;
#define F(name, arguments) int(*name) arguments;
    MPI_T_FUNCTIONS(F)
#undef F
};
extern struct mpi_t mpi_t;

/* The next definition of this name behind ours, also when the library was loaded for `caller` alone. */
void *next_symbol(const char *name, void *caller);
/* False: the library has no MPI_T, or is none that we know. */
bool mpi_library_find(void *caller);
int thread_multiple(void);
/* In the order of mpi.h from 0; UNKNOWN_WORD. */
uint8_t class_word(int number);
uint8_t bind_word(int number);
uint8_t verbosity_word(int number);
uint8_t scope_word(int number);
/* "MPI_T_ERR_INVALID_INDEX" */
const char *error_word(int code);
struct datatype { const char *name; uint8_t bytes, kind; };
struct datatype datatype_of(Handle handle);
/* 0: the library does not show it. */
Handle comm_world(void);
Handle comm_self(void);
Handle comm_null(void);

/* components.c: what is loaded before MPI_Init; what of it is still there afterwards. */
void components_note(void);
void components_compare(void);
bool component_is_gone(const char *variable);

/* deny-list.c: NULL, or why this variable is never touched. */
const char *denied_pvar(const char *name);
const char *denied_cvar(const char *name);

/* catalog.c: what MPI_T has. Call with the lock held. */
void catalog_update(void);
uint32_t enumeration_of(Handle handle);

/* values.c: elements of an MPI datatype as 64 bits each. */
enum { MAX_VALUE_BYTES = 65536 };
void widen(const void *from, uint32_t count, struct datatype datatype, uint64_t *to);

/* pvars.c: the collector's own session. Call with the lock held. */
void pvar_known(int mpi_index, uint32_t index, struct datatype datatype);
void pvars_bind(uint8_t bind, Handle object, const char *object_name);
/* Before the object is freed. Its last values stay readable for a while. */
void pvars_release(Handle object);
void pvars_name(Handle object, const char *object_name);
void pvars_sample(void);
void pvars_close(void);

/* interpose.c: whether this process, and not one that it was forked from, collects now. */
bool collector_is_on(void);

/* sampler.c: the collector's thread. The lock serialises all that calls MPI_T or writes tables. */
void lock(void);
void unlock(void);
void sampler_start(void);
/* Ends the thread; waits for it a second at most. */
void sampler_stop(void);

#endif
