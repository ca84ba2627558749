/*
 * region.h - what the collector writes and the debugger reads: one mapping in each rank.
 *
 * Everything in it is an index or an offset, never an address. Tables only grow: an entry is complete before the count that
 * shows it is stored. Values have two slots, and a generation that says which one is complete. So a reader, and a core file,
 * may look at any moment. What happens again and again is in rings, which are overwritten: each slot says which one it is.
 * plugin-api/overlays/region.ts is the reader's side of this file.
 */
#ifndef MPIDBG_REGION_H
#define MPIDBG_REGION_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* Not a string: newer compilers warn of one without room for its end. */
#define REGION_MAGIC 'M', 'P', 'I', 'D', 'B', 'G', 'R', 'G'
enum { REGION_VERSION = 5 };

/* What this process tells of its collector even when it has no region. The debugger finds it by its symbol. */
struct descriptor {
    char magic[8]; /* REGION_MAGIC */
    uint32_t version;
    uint32_t reserved;
    _Atomic uint64_t address; /* of the region; 0: there is none */
    uint64_t size;
    char problem[128]; /* why there is none */
};

enum table {
    TEXTS, VALUES, ENUMS, ENUM_ITEMS, PVARS, INSTANCES, CVARS, CATEGORIES, MEMBERS, DENIED,
    HINTS, SOURCES, EVENT_TYPES, ELEMENTS, REGISTRATIONS, RINGS, SLOTS, REQUESTS,
    FUNCTIONS, CALLING, COMMS, LIVES,
    OPENMP, CALLBACKS, OMP_THREADS, PARALLELS, TASKS, DEVICES, IMAGES,
    TABLES
};

struct table_header {
    uint64_t offset; /* from the start of the region */
    uint32_t stride, capacity;
    _Atomic uint32_t count;
    _Atomic uint32_t refused; /* entries for which there was no room */
};

enum state { STATE_STARTING, STATE_COLLECTING, STATE_FINISHED };

struct region {
    char magic[8];
    uint32_t version, header_bytes;
    uint64_t size;
    uint32_t pid;
    _Atomic uint32_t state;
    uint64_t start;      /* when the library was loaded; CLOCK_MONOTONIC, nanoseconds: all times of the region are on this clock */
    uint64_t start_real; /* CLOCK_REALTIME of the same moment */
    _Atomic uint64_t sampled;  /* when the values were read last */
    uint32_t collects;   /* of enum collects */
    uint32_t period;     /* milliseconds */
    _Atomic uint32_t problem; /* text: why nothing can be collected; 0: it can */
    uint32_t table_count;
    int32_t changed_first;
    _Atomic int32_t changed_last; /* MPI_T_category_changed */
    _Atomic uint32_t changed_noticed;
    uint32_t reserved;
    _Atomic uint64_t unrecorded; /* records for which no ring was free */
    struct table_header tables[TABLES];
};

enum collects { COLLECT_PVARS = 1, COLLECT_EVENTS = 2, COLLECT_CALLS = 4, COLLECT_OMPT = 8 };

/* How a value is stored: each element in 64 bits, or as a text. */
enum kind { KIND_UNKNOWN, KIND_SIGNED, KIND_UNSIGNED, KIND_REAL, KIND_TEXT };

/* Classes, binds, verbosities and scopes are numbered in the order of mpi.h, from 0; this is none of them. */
enum { UNKNOWN_WORD = 255, BIND_NO_OBJECT = 0, BIND_COMM = 1, BIND_WIN = 8 };

/* Texts are offsets in TEXTS, where 0 is the empty one. An enumeration is an index in ENUMS plus 1; 0: none. */
struct enum_entry { uint32_t name, first_item, items; };
struct enum_item { int32_t value; uint32_t name; };

enum { PVAR_READONLY = 1, PVAR_CONTINUOUS = 2, PVAR_ATOMIC = 4 };
enum pvar_status { PVAR_ACTIVE, PVAR_INACTIVE, PVAR_DENIED };
struct pvar_entry {
    uint32_t name, datatype, description, enumeration;
    uint8_t class, bind, verbosity, flags;
    uint8_t kind;
    _Atomic uint8_t status;
    uint8_t reserved[2];
};

enum { INSTANCE_STARTED = 1, INSTANCE_FREED = 2 };
struct instance_entry {
    uint32_t pvar;
    _Atomic uint32_t flags;
    uint64_t object;    /* the handle as the program has it; 0: bound to no object */
    uint32_t count;
    uint32_t values;    /* index in VALUES of two slots of `count` elements */
    _Atomic uint64_t generation; /* 0: nothing was read yet; slot generation % 2 is complete */
    uint64_t time[2];
    _Atomic uint32_t error; /* text: MPI_T's refusal of the last read; 0: none */
    uint32_t object_name;
};

struct cvar_entry {
    uint32_t name, datatype, description, enumeration;
    uint8_t scope, bind, verbosity, kind;
    uint32_t count;
    uint32_t value; /* index in VALUES; of a text its offset in TEXTS */
    uint32_t error; /* text: why there is no value; 0: there is one */
};

/* Members are indices in PVARS, CVARS, CATEGORIES and EVENT_TYPES, of the four kinds one behind the other. */
struct category_entry {
    uint32_t name, description;
    uint32_t first_member;
    uint32_t pvars, cvars, categories;
    uint32_t invalid; /* members that the library counts and then refuses */
    uint32_t events;
};

struct denied_entry { uint32_t name, reason; };

/* What an MPI_Info object says. Sources and types have a range of them. */
struct hint_entry { uint32_t key, value; };

struct source_entry {
    uint32_t name, description;
    uint8_t ordering; /* 0 ordered, 1 unordered; UNKNOWN_WORD */
    uint8_t reserved[3];
    _Atomic uint32_t error; /* text: why there is no reference; 0: there is one */
    uint32_t first_hint, hints;
    int64_t ticks_per_second, max_ticks;
    _Atomic uint64_t dropped;
    _Atomic uint64_t generation; /* 0: no reference was taken yet; slot generation % 2 is complete */
    struct { int64_t ticks; uint64_t time; } reference[2];
};

struct event_type_entry {
    uint32_t name, description, enumeration;
    uint32_t first_element, elements, first_hint, hints;
    uint8_t verbosity, bind;
    uint8_t reserved[2];
    /* Totals: what rings overwrite is counted here. */
    _Atomic uint64_t raised, dropped;
};

struct element_entry {
    uint32_t datatype;
    uint8_t kind;
    uint8_t reserved[3];
    int64_t displacement;
};

enum { REGISTRATION_FREED = 1 };
/* A callback for each safety level, the lowest first: bit 0 is MPI_T_CB_REQUIRE_NONE. */
struct registration_entry {
    uint32_t event_type;
    _Atomic uint32_t flags;
    uint64_t object; /* the handle as the program has it; 0: bound to no object */
    uint32_t object_name;
    uint32_t safety;
};

/*
 * A ring is written by one thread, and by what interrupts it; it stays that thread's after its end, until no other is left.
 * A record takes slots that follow each other, from `head` on; slot n of the ring is at n % slots.
 */
struct ring_entry {
    _Atomic uint32_t thread; /* of the kernel; 0: nobody's yet */
    uint32_t first;          /* in SLOTS */
    uint32_t slots;
    uint32_t reserved;
    _Atomic uint64_t head;    /* slots that were taken since the start, whether they are written yet or not */
    _Atomic uint64_t records; /* written since the start */
    _Atomic uint64_t overwritten; /* of them */
    uint64_t unused[3];       /* rings of two threads share no cache line */
};

/* `stamp`: 2 * n + 2 for slot n, plus 1 where a record goes on; 0 while it is being written. Stored last. */
enum { FIRST_WORDS = 5, MORE_WORDS = 7, MAX_RECORD_WORDS = 100 };
struct slot {
    _Atomic uint64_t stamp;
    union {
        struct {
            uint64_t time;
            uint8_t kind;
            uint8_t count;   /* of all words of the record */
            uint16_t what;   /* as the kind says */
            uint32_t thread; /* of the kernel */
            uint64_t words[FIRST_WORDS];
        } first;
        uint64_t more[MORE_WORDS];
    };
};

/*
 * RECORD_EVENT: `what` is its type; ticks of the source, a word of enum event_bits, object of the registration, elements.
 * RECORD_DROPPED: the same, and instead of elements how many events.
 * RECORD_CALL: `what` is its function, `time` its begin; words of enum call_word, without the zeros at their end.
 * RECORD_OMPT: `what` is the callback's number, and from OMPT_ENDPOINT on its endpoint; words: its arguments, see the callbacks.
 * RECORD_DEVICE: `what` is the number that the trace has for it; device, its time, thread, target, and its fields.
 */
enum record_kind { RECORD_EVENT = 1, RECORD_DROPPED = 2, RECORD_CALL = 3, RECORD_OMPT = 4, RECORD_DEVICE = 5 };
enum { OMPT_ENDPOINT = 8 };
enum event_bits { EVENT_SOURCE = 0, EVENT_SAFETY = 32, EVENT_PAYLOAD = 40 }; /* where 32, 8 and 8 bits begin */
enum payload { PAYLOAD_NONE, PAYLOAD_READ, PAYLOAD_COPIED, PAYLOAD_DENIED };

/*
 * What a debugger asks of the collector's thread: the only thing that a debugger writes. It stores all but `state`, then
 * REQUEST_ASKED; the thread answers in `error` and `values`, and stores REQUEST_DONE.
 */
enum request_state { REQUEST_IDLE, REQUEST_ASKED, REQUEST_DONE };
enum request_action { ACTION_START, ACTION_STOP, ACTION_RESET, ACTION_READRESET, ACTION_WRITE, ACTION_WRITE_CVAR };
enum { ALL_INSTANCES = 0xffffffff, MAX_REQUEST_VALUES = 64 };
struct request_entry {
    _Atomic uint32_t state;
    uint32_t action;
    uint32_t subject; /* in INSTANCES, in CVARS, or ALL_INSTANCES */
    uint32_t count;   /* of values; of a text its bytes, with the NUL */
    uint32_t error;   /* text: why it was refused; 0: done */
    uint32_t reserved;
    uint64_t values[MAX_REQUEST_VALUES];
};

/* An MPI function that was called, and what its calls have. */
enum { CALL_HAS_PEER = 1, CALL_HAS_TAG = 2, CALL_HAS_ROOT = 4, CALL_HAS_BYTES = 8 };
struct function_entry {
    uint32_t name, has;
    _Atomic uint64_t calls;
};

/*
 * Handles as C has them, 0 for none. PEER has the tag in its upper half, ROOT a text, the name of the error. CALL_ANY is
 * MPI_ANY_SOURCE and MPI_ANY_TAG.
 */
enum { CALL_ANY = INT32_MIN, CALL_PROC_NULL = INT32_MIN + 1 };
enum call_word { CALL_END, CALL_CALLER, CALL_COMM, CALL_PEER, CALL_BYTES, CALL_REQUEST, CALL_ROOT, CALL_INSTANCE, CALL_REPEATED, CALL_WORDS };
struct shown_call {
    uint32_t function; /* index in FUNCTIONS plus 1; 0: none */
    uint32_t reserved;
    uint64_t begin;
    uint64_t words[CALL_WORDS];
};

/* The thread that has the ring with the same index: the call that it is in, and the last poll that found nothing. */
struct calling_entry {
    _Atomic uint64_t generation; /* odd while it is written */
    uint32_t thread, reserved;
    uint64_t total;
    struct shown_call current, poll;
};

/* A communicator that was made or named, under its handle of then: `name` is its name from `since` to `until`. */
struct comm_entry {
    uint64_t handle, since;
    _Atomic uint64_t until; /* 0: it is there */
    _Atomic uint32_t name;
    uint32_t reserved;
};

/* In the order of HandleKind in records.ts, without the status. */
enum handle_kind {
    HANDLE_COMM, HANDLE_DATATYPE, HANDLE_ERRHANDLER, HANDLE_FILE, HANDLE_GROUP, HANDLE_INFO, HANDLE_MESSAGE, HANDLE_OP,
    HANDLE_REQUEST, HANDLE_SESSION, HANDLE_WIN,
    HANDLE_KINDS
};

/* A call that made or freed an object. `function`: index in FUNCTIONS plus 1; 0: no call was seen. */
struct life_call {
    uint64_t time, caller;
    uint32_t function, thread;
};

/* What a handle stood for, from the call that made it to the one that freed it. A later one of the same handle may take its entry. */
struct life_entry {
    _Atomic uint32_t generation; /* odd while it is written */
    uint32_t kind;               /* of enum handle_kind */
    uint64_t handle;             /* as C has it */
    uint64_t serial;             /* later ones have higher numbers, from 1 */
    int32_t fortran;             /* the INTEGER, where Fortran made or freed it; 0: it did not */
    uint32_t name;               /* when it was freed */
    struct life_call made, freed;
};

/* OpenMP, as OMPT tells it: whether its runtime has a tool, and which. */
enum openmp_state { OPENMP_EXPECTED, OPENMP_OTHER_TOOL, OPENMP_STARTED, OPENMP_ENDED };
struct openmp_entry {
    _Atomic uint32_t state;
    uint32_t version;
    _Atomic uint32_t runtime; /* text: what ompt_start_tool was told */
    _Atomic uint32_t other;   /* text: the tool that is there instead of ours */
};

/* At the number that omp-tools.h gives it. */
struct callback_entry {
    uint32_t answer; /* ompt_set_result_t */
    uint32_t reserved;
    _Atomic uint64_t called; /* in threads that have no entry in OMP_THREADS */
};

/* A parallel region or an explicit task, from its begin to its end; at its id or up to OMP_PROBES places behind it. */
enum { OMP_PROBES = 16 };
#define OMP_HAS_ENDED (UINT64_C(1) << 63)
#define OMP_BEING_WRITTEN UINT64_MAX
struct omp_scope {
    _Atomic uint64_t id; /* 0: free; with OMP_HAS_ENDED, it may be overwritten */
    uint64_t enclosing;  /* the region around it */
    uint64_t task;       /* that has met it */
    uint64_t code;
    uint32_t flags, requested;
};

/* `what` a thread waits for; `kind` as the callback says, of ompt_sync_region_t, ompt_mutex_t or ompt_target_t. */
enum omp_wait { WAIT_SYNC = 1, WAIT_MUTEX = 2, WAIT_TARGET = 3 };
enum { OMP_FORKS = 1, OMP_REDUCES = 2 };
enum { MAX_LEVELS = 8, MAX_WAITS = 8, MAX_HELD = 16, MAX_CALLBACKS = 40 };

 /*
  * The thread that has the ring with the same index. `levels` and `waits` are how many there are, the innermost last,
  * though only the first have room. A thread waits while the task that began the innermost wait is its current one.
  */
struct omp_thread_entry {
    _Atomic uint64_t generation; /* odd while it is written */
    uint32_t thread;
    uint8_t type; /* ompt_thread_t */
    uint8_t flags, levels, waits;
    uint64_t task; /* the current one; 0: none */
    struct omp_level { uint64_t parallel, task; uint32_t team, index, flags, reserved; } level[MAX_LEVELS];
    struct omp_waiting { uint64_t task, wait_id, code, since; uint32_t what, kind, impl, hint; } wait[MAX_WAITS];
    struct omp_held { _Atomic uint64_t wait_id; uint64_t code, since; uint32_t kind, reserved; } held[MAX_HELD];
    _Atomic uint64_t called[MAX_CALLBACKS]; /* also by threads that had the entry before */
    uint64_t unused[5];                     /* entries of two threads share no cache line */
};

enum device_tracing { TRACING_ABSENT, TRACING_REFUSED, TRACING_ON, TRACING_ENDED };
struct device_entry {
    int32_t number;
    uint32_t type, documentation;
    _Atomic uint32_t tracing;
    _Atomic uint64_t buffers_lost;
};
struct image_entry {
    int32_t device;
    _Atomic uint32_t is_unloaded;
    uint64_t module, address, bytes;
};

/* What the reader relies on. */
_Static_assert(offsetof(struct region, tables) == 96 && sizeof(struct table_header) == 24, "region");
_Static_assert(sizeof(struct enum_entry) == 12 && sizeof(struct enum_item) == 8 && sizeof(struct pvar_entry) == 24, "tables");
_Static_assert(sizeof(struct instance_entry) == 56 && sizeof(struct cvar_entry) == 32, "tables");
_Static_assert(sizeof(struct category_entry) == 32 && sizeof(struct denied_entry) == 8, "tables");
_Static_assert(sizeof(struct source_entry) == 88 && sizeof(struct event_type_entry) == 48, "tables");
_Static_assert(sizeof(struct element_entry) == 16 && sizeof(struct registration_entry) == 24, "tables");
_Static_assert(sizeof(struct request_entry) == 536, "tables");
_Static_assert(sizeof(struct ring_entry) == 64 && sizeof(struct slot) == 64, "tables");
_Static_assert(sizeof(struct function_entry) == 16 && sizeof(struct calling_entry) == 200 && sizeof(struct comm_entry) == 32, "tables");
_Static_assert(sizeof(struct life_entry) == 80, "tables");
_Static_assert(sizeof(struct openmp_entry) == 16 && sizeof(struct callback_entry) == 16 && sizeof(struct omp_scope) == 40, "tables");
_Static_assert(sizeof(struct omp_thread_entry) == 1536 && sizeof(struct device_entry) == 24 && sizeof(struct image_entry) == 32, "tables");
_Static_assert(offsetof(struct omp_thread_entry, wait) == 280 && offsetof(struct omp_thread_entry, held) == 664, "tables");
_Static_assert(offsetof(struct omp_thread_entry, called) == 1176, "tables");

#endif
