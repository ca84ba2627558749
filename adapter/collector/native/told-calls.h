/*
 * told-calls.h - what the wrappers of MPI's functions, a library of their own (../calls), tell the collector. All weak:
 * without the collector the wrappers only go on to the next definition.
 */
#ifndef MPIDBG_TOLD_CALLS_H
#define MPIDBG_TOLD_CALLS_H

#include <stdbool.h>
#include <stdint.h>
#include "region.h"

#define SHARED __attribute__((visibility("default"), weak))

/* A call of the program. Handles as C has them; 0: it has no such argument, or it is not known yet. Times in nanoseconds. */
struct told_call {
    uint32_t function; /* of mpidbg_told_function */
    uint32_t instance; /* of a collective: its ordinal among the communicator's collectives, from 1; 0: not known */
    uint64_t begin, end, caller;
    uint64_t comm, request, bytes;
    int32_t peer, tag, root;
    uint32_t error; /* of mpidbg_error_name; 0: none */
};

/* Calls are collected, by this process. */
SHARED bool mpidbg_calls_are_told(void);
/* Between the end of MPI_Init and the begin of MPI_Finalize, and while there is a session. */
SHARED bool mpidbg_mpi_is_up(void);
/* The first definition of `name` behind the library that has this address. */
SHARED void *mpidbg_next_symbol(const char *name, const void *behind);
/* As the program sees it: the first of all. */
SHARED void *mpidbg_first_symbol(const char *name);
enum told_flavour { TOLD_OPEN_MPI, TOLD_MPICH, TOLD_STANDARD_ABI };
SHARED enum told_flavour mpidbg_flavour(void);
/* MPI_BYTE. */
SHARED uint64_t mpidbg_type_of_bytes(void);
/* Told by the wrappers: something was unloaded, and what they know of next definitions may be gone. */
SHARED void mpidbg_forget_calls(void);
/* Its number, from 1; 0: there is no room for it. `has`: bits CALL_HAS_*. */
SHARED uint32_t mpidbg_told_function(const char *name, uint32_t has);
/* A handle of Fortran as C has it; 0: not known. */
SHARED uint64_t mpidbg_from_fortran(enum handle_kind kind, int handle);
/* A handle that was passed in a register, of which MPICH's fill half. */
SHARED uint64_t mpidbg_from_c(uint64_t argument);
/* One of an array of handles in C. */
SHARED uint64_t mpidbg_read_handle(enum handle_kind kind, const void *array, uint32_t index);
/* In bytes; 0: not known. */
SHARED uint64_t mpidbg_size_of_type(uint64_t type);
/* A rank or a tag of the program: what stands for any, or for no process, is a number of ours. */
SHARED int32_t mpidbg_peer(int rank);
SHARED int32_t mpidbg_tag(int tag);
/* A text of the region: the name of the error's class. */
SHARED uint32_t mpidbg_error_name(int code);
/* Counts the collectives of a communicator. */
SHARED uint32_t mpidbg_next_instance(uint64_t comm);
/* Some of them will not be seen: no number is told of it any more. */
SHARED void mpidbg_stop_counting(uint64_t comm);
/* The thread is inside this call from now on. */
SHARED void mpidbg_call_begins(const struct told_call *call);
/* `is_kept`: false of a poll that found nothing, which is counted if it repeats the one before. */
SHARED void mpidbg_call_ends(const struct told_call *call, bool is_kept);

/*
 * The history of handles (history.c). A life goes from the call that makes an object to the one that frees it. `fortran`: the
 * INTEGER; 0 where C has the handle.
 */
struct told_handle { enum handle_kind kind; uint64_t handle; int fortran; };
/* OBTAINED: of an object that may have been there before, and is to be freed once more; SHARED_ONE: the same, if it is known;
 * KNOWN: never to be freed. */
enum how_made { MADE, OBTAINED, SHARED_ONE, KNOWN };
SHARED void mpidbg_made(struct told_handle told, enum how_made how, const struct told_call *call);
/* The serial number of what this handle stands for; 0: nothing is known of it. */
SHARED uint64_t mpidbg_life_of(enum handle_kind kind, uint64_t handle);
/* `life`: what the handle stood for before the call. */
SHARED void mpidbg_freed(struct told_handle told, uint64_t life, const struct told_call *call);

/* Whether the user wants objects to stay that the program frees (calls/keep-freed.c). */
SHARED bool mpidbg_keeps_freed(void);
/* Freeing it once more frees the object of this life. */
SHARED bool mpidbg_is_last_reference(enum handle_kind kind, uint64_t handle, uint64_t life);
/* For communicators, groups, datatypes, operations, infos and error handlers. */
SHARED uint64_t mpidbg_null_handle(enum handle_kind kind);
/* The opposites of mpidbg_read_handle (of one) and mpidbg_from_fortran. */
SHARED void mpidbg_write_handle(enum handle_kind kind, void *variable, uint64_t handle);
SHARED int mpidbg_to_fortran(enum handle_kind kind, uint64_t handle);

#endif
