/*
 * watch.h - looks for NaN and infinities in what the program's calls carry. Only what the library has taken without an error is looked
 * at, but for what a call overwrites.
 */
#ifndef MPIDBG_WATCH_H
#define MPIDBG_WATCH_H

#include "calls.h"
#include "handles.h"

/* watch.c: false: nothing is watched, or all that can be noted is. */
extern _Atomic bool watch_is_on;
/* Around an outermost call. */
void watch_begins(const struct call *call, const struct told_call *told);
void watch_ends(const struct call *call, const struct told_call *told);
/* `call` has completed this request, the `index`-th of those that it was given. is_gone: it has none any more. */
void watch_completed(uint64_t request, bool is_gone, const struct call *call, const struct told_call *told, uint32_t index);

/* What is looked for. */
enum wanted { WANTS_NOTHING = 0, WANTS_NAN = 1, WANTS_INFINITY = 2, WANTS_BOTH = 3 };
enum format { FORMAT_FLOAT, FORMAT_DOUBLE, FORMAT_LONG_DOUBLE, FORMAT_QUAD };

/* scan.c: the first of `count` numbers that is wanted; -1: none. */
long scan(const char *numbers, long count, enum format format, enum wanted wanted);
unsigned bytes_of_format(enum format format);
/* True for a number that is a NaN. */
bool is_nan_at(const char *number, enum format format);

/*
 * layouts.c: where the numbers lie in an element of a datatype. LAYOUT_FLOATS: `count` of them, one behind the other; LAYOUT_REPEATS: `count`
 * of the first part, `stride` bytes apart; LAYOUT_PARTS: each at its offset; LAYOUT_UNKNOWN: it cannot be told.
 */
enum layout_kind { LAYOUT_NONE, LAYOUT_FLOATS, LAYOUT_REPEATS, LAYOUT_PARTS, LAYOUT_UNKNOWN };
struct layout {
    _Atomic int users;
    enum layout_kind kind;
    enum format format;
    long count, stride, extent, lower;
    uint64_t numbers, bytes; /* in it, and how many bytes they have */
    struct layout **parts;
    long *offsets;
};
/* To be given back; NULL: not known. `may_ask`: the library has taken this type in a call, so that asking for it is no error. */
struct layout *layout_of(uint64_t type, bool may_ask);
struct layout *layout_kept(struct layout *layout);
void layout_give_back(struct layout *layout);
/* The program frees this type. */
void layout_forget(uint64_t type);

enum { SAMPLE = 4096 };
/* elements.c: elements of a type in the program's memory. */
/* sections.c: a part of an array of Fortran whose elements are so many `bytes` long, and `stride` apart in each dimension, the innermost first. */
enum { MAX_DIMENSIONS = 15 };
struct section { int dimensions; int64_t bytes; struct { int64_t count, stride; } of[MAX_DIMENSIONS]; };
/* For an array in one piece; NULL: it is in several, or there is none. */
const char *address_in_descriptor(const void *descriptor);
/* False: there is no array. */
bool section_in_descriptor(const void *descriptor, const char **address, struct section *section);
/* each: elements of each member of the communicator, one behind the other; 0: they are not of members. section: where they are no section of an array, it has no dimensions. */
struct buffer { const char *address; int64_t count, each; uint64_t type; struct section section; };
/* `ordinal`: among all numbers, from 0; is_nan: it is no infinity; peer: whose part it is, if has_peer. */
struct hit { bool is_found, is_nan, has_peer; int peer; uint64_t ordinal; };
/* At most so many bytes of numbers are looked at: half of them at the begin, the others spread over the rest. */
struct hit look_at_elements(const char *address, int64_t count, const struct layout *layout, enum wanted wanted, uint64_t most);
/* Adds to hit->ordinal the numbers that it passes. True: found. */
bool look_in(const char *address, const struct layout *layout, enum wanted wanted, uint64_t most, struct hit *hit);
struct hit look_in_section(const struct buffer *buffer, const struct layout *layout, enum wanted wanted);
/* As much of it as the user wants. */
struct hit look_in_buffer(const struct buffer *buffer, const struct layout *layout, enum wanted wanted);
uint64_t most_bytes(void);
/* was_before: before the call, when a type that is not known is not asked for, and memory need not be there. */
struct hit look_at(const struct buffer *buffer, enum wanted wanted, bool was_before);

/* buffers.c: in this process, data is given or taken by this argument. */
bool concerns_us(const struct call *call, const struct told_call *told, const struct data_argument *data);
/* An argument that is a number, and one of an array of numbers. */
int64_t integer_at(const struct call *call, uint8_t position);
int64_t integer_in(const struct call *call, uint8_t position, int index, bool is_address);
/* False: there is none. MPI_BOTTOM is address 0, as in C. */
bool address_of(const struct call *call, uint8_t position, const char **address);
uint64_t type_at(const struct call *call, uint8_t position);
/* How many processes exchange data with this one, in a communicator; -1: it is not known. */
int partners_in(uint64_t comm);
int rank_in(uint64_t comm);
/* neighbours.c: how many, and which (to be freed); -1: it is not known. MPI_PROC_NULL among them: nothing goes there or comes from there. */
int neighbours_in(uint64_t comm, bool is_taken, int **ranks);
/* A call's argument that names data, all in one piece. False: there is none to look at. */
bool buffer_of(const struct call *call, const struct told_call *told, const struct data_argument *data, struct buffer *buffer);

/* blocks.c: those of each member, or neighbour. layout NULL: of no interest. */
enum { OF_NOBODY = INT32_MIN };
struct block { const char *address; int64_t count; int peer; struct layout *layout; };
struct blocks { _Atomic int users; int count; struct block each[]; };
bool is_in_blocks(const struct call *call, const struct data_argument *data);
/* To be given back; NULL: there are none. */
struct blocks *blocks_of(const struct call *call, const struct told_call *told, const struct data_argument *data, bool may_ask);
struct blocks *blocks_kept(struct blocks *blocks);
void blocks_give_back(struct blocks *blocks);
struct hit look_at_blocks(const struct blocks *blocks, enum wanted wanted);
/* Gives them back. */
struct hit look_once(struct blocks *blocks, enum wanted wanted);
/* Before an exchange with MPI_IN_PLACE: what it gives of the buffer that it takes into. To be given back; NULL: there are none. */
struct blocks *blocks_given_in_place(const struct call *call, const struct told_call *told, bool may_ask);
/* All of it, blocks of a member each included. */
struct hit look_at_data(const struct call *call, const struct told_call *told, const struct data_argument *data, enum wanted wanted, bool was_before);
bool is_in_place(const struct call *call, const struct data_argument *data);
/* Its status, or `index` of several; NULL: the program ignores it. */
const void *status_of(const struct call *call, uint32_t index);
/* A received message: how many elements of `size` bytes it has, and who has sent it. */
struct received { bool is_known; int64_t count; int source, tag; };
struct received received_of(const void *status, uint64_t size);
/* CARRIED_NONE: the call has none. */
struct partner { int peer, tag; };
struct partner partner_of(const struct call *call, const struct told_call *told, bool is_taken);

/* pending.c: data that comes when a request completes. */
struct pending {
    uint64_t request;
    struct buffer buffer;
    uint64_t size; /* of an element, in bytes */
    struct layout *layout;
    struct blocks *blocks; /* instead of the buffer */
    uint64_t win;
    struct hit before; /* what was there already */
    bool is_before_known, is_message, is_fetched;
    bool is_prepared, is_given; /* it comes, or goes (is_given), each time that the request is started */
    bool is_overwritten;        /* what is given, by what comes */
    uint32_t times;             /* how often the process has come to the call, or has started what is prepared */
    int64_t partition;          /* elements of each; 0: it has none, else what is given goes when they are ready */
    struct partner partner;
    const struct function *function;
    struct told_call told;
};
/* False: there are too many. Takes the layout and the blocks. */
bool pending_add(const struct pending *pending);
/* False: no such one. Its layout and blocks are to be given back. What is prepared stays. */
bool pending_take(uint64_t request, bool is_given, struct pending *to);
/* As pending_take, but it stays. */
bool pending_peek(uint64_t request, bool is_given, struct pending *to);
struct hit look_at_pending(const struct pending *pending, enum wanted what);
/* The next one at or behind `*from` that is fetched from this window, from `peer`; CARRIED_NONE: from anybody. */
bool pending_take_fetched(uint64_t win, int peer, unsigned *from, struct pending *to);
void pending_drop(uint64_t request);
/* It is started once more. */
void pending_count_start(uint64_t request);
void pending_set_before(uint64_t request, struct hit before);
extern _Atomic uint32_t pending_count;

/* carried.c: tells mpidbg. */
enum direction { CARRIED_OUT, CARRIED_IN };
struct carried {
    enum direction direction;
    struct hit hit;
    const struct function *function, *completed_by;
    const struct told_call *told;
    uint64_t time, caller, completer, win;
    uint32_t times;
    int peer, tag, root;
    int64_t count;
};
void tell_carried(const struct carried *carried);

/* fetched.c: what is there when the window is synchronized. Takes the layout. */
void fetch_later(struct pending *pending);
/* `call` has synchronized the window. */
void fetched(const struct call *call, const struct told_call *told, uint64_t win, enum wanted wanted);
/* watch.c: tells it, if it has been found and is the first. */
void watch_note(const struct carried *carried);

/* A function of MPI's library under its profiling name; NULL: it has none. */
void *mpi_function(void *_Atomic *known, const char *name);
#define MPI_FUNCTION(name) ({ static void *_Atomic known_##name; mpi_function(&known_##name, "P" #name); })

#endif
