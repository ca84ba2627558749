/* calls.h - the program's MPI calls: what the wrappers tell, and what is kept of it. */
#ifndef MPIDBG_CALLS_H
#define MPIDBG_CALLS_H

#include <stdatomic.h>
#include "../native/region.h"
#include "../native/told-calls.h"

/* What a call does with a handle in a variable of the program, or with an array of them. */
struct handle_argument {
    uint8_t position; /* 0: there is no such argument */
    uint8_t kind;     /* of enum handle_kind */
    uint8_t how;
    uint8_t count; /* the argument that says how many there are; 0: one */
};
/* OBTAINS: of an object that may have been there before, and must be freed once more; SHARES: if the program has made it;
 * LEARNS: of one that is never freed; MAKES_LATER: when the call's request has completed; STARTS: leaves the request as it is. */
enum { MAKES, OBTAINS, SHARES, LEARNS, MAKES_LATER, STARTS, FREES };
enum { HANDLE_ARGUMENTS = 2 };

/*
 * Data that a call gives or takes. ONE_BLOCK: `count` of `type`; EACH_MEMBER: so many of each process of the communicator; BLOCKS: with a count and
 * a displacement for each; TYPED_BLOCKS: with a datatype for each, too, and displacements in bytes; ONE_ELEMENT of `type`; SUM_OF_COUNTS: one behind the other; OWN_COUNT: this process's of the counts. AT_ROOT: nowhere else; where
 * there is no root it is process 0.
 */
enum { ONE_BLOCK, EACH_MEMBER, BLOCKS, SUM_OF_COUNTS, OWN_COUNT, TYPED_BLOCKS, ONE_ELEMENT };
enum { ALWAYS, AT_ROOT, NOT_AT_ROOT };
struct data_argument { uint8_t buffer, count, type, displacements, shape, when; /* buffer 0: none */ };

/* What is known of a function. Positions of arguments count from 1; 0: it has none. */
struct function {
    const char *name;
    _Atomic uint32_t number; /* that the collector has given it; 0: none yet */
    uint8_t arguments; /* in C; in Fortran the error follows */
    bool is_large;     /* its count has 64 bits */
    uint8_t comm, peer, tag, root, count, type, partitions, request, found; /* count: of each partition, where it has some */
    uint8_t from, from_tag, status, win, op; /* from: of a message that comes, where `peer` is that of one that goes */
    uint32_t flags;
    struct data_argument gives, takes;
    struct handle_argument handles[HANDLE_ARGUMENTS];
};
enum {
    HAS_ERROR = 1, COMM_BY_ADDRESS = 2, REQUEST_BY_ADDRESS = 4, COLLECTIVE = 8,
    POLL = 16, /* `found` is 0 where it found nothing */
    PERSISTENT = 32, /* its request stands for a collective each time that it is started */
    REDUCES = 64,    /* what it gives in place is what it takes */
    REPLACES = 128,  /* it takes into the place of what it gives */
    RECEIVES = 256,  /* it takes a message, which may be shorter than the buffer */
    PREPARES = 1024, /* what its request carries each time that it is started */
    COMMITS = 2048,  /* the datatype that is its argument */
    FETCHES = 4096,  /* what it takes is there when the window is synchronized */
    SYNCHRONIZES = 8192, /* the window: all of it, or with its peer */
    NEIGHBOURS = 16384,  /* members are those next to the process in the communicator's topology */
    READIES = 32768,     /* partitions of what its request gives */
    IS_LIST = 65536,     /* its first two arguments are the length of an array and the array */
    PEEKS = 131072,      /* what its request takes is there, or a partition of it, and the request stays */
    STATUS_FOR_EACH = 512 /* of the requests that it completes */
};

/* Fortran passes the address of everything, and INTEGERs for handles. */
enum language { IN_C, IN_FORTRAN };

/* Lives in the wrapper while the call lasts. */
struct call {
    struct function *function;
    const long *arguments; /* from 1 on */
    void *caller;
    enum language language;
    bool has_descriptors; /* of Fortran: buffers are passed by descriptors of arrays */
    bool is_outermost, is_told, is_kept; /* is_kept: the object that it frees: the library is not called */
    uint64_t begin;
};

/* Only the outermost call of a thread is told: what a library calls of itself, or Fortran's bindings of C's, is not. */
void call_begins(struct call *call);
/* `error`: what the call has answered. */
void call_ends(struct call *call, int error);

/* False: a poll that found nothing. */
bool call_has_found(const struct call *call);

/* False: nothing is collected in this process, ever, and a wrapper does nothing but go on. */
extern bool calls_may_be_told;

void *find_next_definition(void *_Atomic *known, const char *name);

/* The next definition of `name` behind the wrapper; found once, kept in `*known`. */
static inline void *next_definition(void *_Atomic *known, const char *name)
{
    void *found = atomic_load_explicit(known, memory_order_relaxed);
    return found != NULL ? found : find_next_definition(known, name);
}

#endif
