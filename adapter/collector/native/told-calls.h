/*
 * told-calls.h - what the wrappers of MPI's functions, a library of their own (../calls), tell the collector. All weak:
 * without the collector the wrappers only go on to the next definition.
 */
#ifndef MPIDBG_TOLD_CALLS_H
#define MPIDBG_TOLD_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#define SHARED __attribute__((visibility("default"), weak))

/* A call of the program. Handles as C has them; 0: it has no such argument, or it is not known yet. Times in nanoseconds. */
struct told_call {
    uint32_t function; /* of mpidbg_told_function */
    uint32_t instance; /* of a collective: the how-manieth of its communicator, from 1; 0: not known */
    uint64_t begin, end, caller;
    uint64_t comm, request, bytes;
    int32_t peer, tag, root;
    uint32_t error; /* of mpidbg_error_name; 0: none */
};

enum told_kind { TOLD_COMM, TOLD_REQUEST, TOLD_DATATYPE, TOLD_KINDS };

/* Calls are collected, by this process. */
SHARED bool mpidbg_calls_are_told(void);
/* Between the end of MPI_Init and the begin of MPI_Finalize. */
SHARED bool mpidbg_mpi_is_up(void);
SHARED void *mpidbg_next_symbol(const char *name, void *caller);
/* Its number, from 1; 0: there is no room for it. `has`: bits CALL_HAS_*. */
SHARED uint32_t mpidbg_told_function(const char *name, uint32_t has);
/* A handle of Fortran as C has it; 0: not known. */
SHARED uint64_t mpidbg_from_fortran(enum told_kind kind, int handle);
/* A handle that was passed in a register, of which MPICH's fill half. */
SHARED uint64_t mpidbg_from_c(uint64_t argument);
SHARED uint64_t mpidbg_read_handle(const void *address);
/* In bytes; 0: not known. */
SHARED uint64_t mpidbg_size_of_type(uint64_t type);
/* A rank or a tag of the program: what stands for any, or for no process, is a number of ours. */
SHARED int32_t mpidbg_peer(int rank);
SHARED int32_t mpidbg_tag(int tag);
/* A text of the region: the name of the error's class. */
SHARED uint32_t mpidbg_error_name(int code);
/* Counts the collectives of a communicator. */
SHARED uint32_t mpidbg_next_instance(uint64_t comm);
/* The thread is inside this call from now on. */
SHARED void mpidbg_call_begins(const struct told_call *call);
/* `is_kept`: false of a poll that found nothing, which is counted if it repeats the one before. */
SHARED void mpidbg_call_ends(const struct told_call *call, bool is_kept);

#endif
