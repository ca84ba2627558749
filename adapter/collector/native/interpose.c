/*
 * interpose.c - the calls of MPI that the collector stands before. Each goes on to the next definition, so that other tools
 * see it too. A process that initialises no MPI runs nothing of this.
 */
#include <stdlib.h>
#include <string.h>
#include "collector.h"
#include "names.h"
#include "told-calls.h"

/* Fortran's names of MPI_Init call the C ones in some libraries: the outermost call counts. */
static atomic_int starts;

/* MPI is up from MPI_Init to MPI_Finalize (the world), and while there is a session. */
static atomic_int sessions;
static atomic_bool world_is_up, world_is_known, has_ended;

bool presence_is_wanted(void)
{
    return getenv("MPIDBG_COLLECT") != NULL;
}

bool presence_covers(const char *name)
{
    return ((name[0] | 0x20) == 'm' && (name[1] | 0x20) == 'p' && (name[2] | 0x20) == 'i') || strcmp(name, "dlsym") == 0;
}

void presence_has_lost(void)
{
    forget_next_definitions();
    if (mpidbg_forget_calls != NULL)
        mpidbg_forget_calls();
}

static uint32_t period_of_environment(void)
{
    const char *words = getenv("MPIDBG_COLLECT_PERIOD");
    const long period = words == NULL ? 100 : strtol(words, NULL, 10);
    return (uint32_t)(period < 10 ? 10 : period > 10000 ? 10000 : period);
}

static bool has_word(const char *words, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = words; (at = strstr(at, word)) != NULL; at += length)
        if ((at == words || at[-1] == ',') && (at[length] == ',' || at[length] == '\0'))
            return true;
    return false;
}

static uint32_t collects_of_environment(void)
{
    const char *words = getenv("MPIDBG_COLLECT");
    return (has_word(words, "pvars") ? COLLECT_PVARS : 0u) | (has_word(words, "events") ? COLLECT_EVENTS : 0u) |
           (has_word(words, "calls") ? COLLECT_CALLS : 0u) | (has_word(words, "ompt") ? COLLECT_OMPT : 0u);
}

bool collector_begin(void)
{
    lock();
    const bool is_there = region != NULL ? region_is_ours()
                                         : getenv("MPIDBG_COLLECT") != NULL &&
                                               region_create(collects_of_environment(), period_of_environment());
    unlock();
    return is_there;
}

bool collector_is_on(void)
{
    return region != NULL && region_is_ours() && atomic_load(&region->state) == STATE_COLLECTING;
}

/* Sessions go on. Which objects do is not known: of those of the world no variable may be read any more. */
static void leave_world(void)
{
    lock();
    pvars_release_objects();
    events_close();
    comm_freed(comm_world());
    comm_freed(comm_self());
    unlock();
}

static void end(void)
{
    if (!collector_is_on())
        return;
    atomic_store(&world_is_up, false);
    if (atomic_load(&sessions) > 0) {
        leave_world();
        return;
    }
    atomic_store(&has_ended, true);
    sampler_stop();
    lock();
    pvars_sample();
    pvars_close();
    events_close();
    atomic_store(&region->state, STATE_FINISHED);
    unlock();
}

/* The last session is about to take the library down, and another one may bring it up again. */
static bool pause(void)
{
    if (!collector_is_on() || atomic_load(&world_is_up))
        return false;
    sampler_stop();
    lock();
    pvars_sample();
    pvars_release_objects();
    events_close();
    atomic_store(&region->state, STATE_FINISHED);
    unlock();
    return true;
}

static void resume(void)
{
    if (region == NULL || !region_is_ours() || atomic_load(&has_ended) || atomic_load(&region->state) != STATE_FINISHED)
        return;
    atomic_store(&region->state, STATE_COLLECTING);
    sampler_start();
}

/* The library may take itself down while the thread reads from it. */
static void end_at_exit(void)
{
    if (region_is_ours())
        sampler_stop();
}

bool collector_asks_mpi_t(void)
{
    return (region->collects & (COLLECT_PVARS | COLLECT_EVENTS)) != 0;
}

/* MPI_T comes first: initialised after MPI_Init, some variables of Open MPI crash it. */
static bool begin(void)
{
    if (atomic_fetch_add(&starts, 1) != 0 || getenv("MPIDBG_COLLECT") == NULL || !mpi_library_find())
        return false;
    int provided = 0;
    if (!collector_begin())
        return false;
    if (!collector_asks_mpi_t())
        return true;
    signal_stack_before_mpi_t();
    const int code = mpi_t.init_thread(thread_multiple(), &provided);
    signal_stack_of_mpi_t();
    if (code != 0) {
        atomic_store(&region->problem, text(error_word(code)));
        return false;
    }
    components_note();
    int changed = 0;
    if (mpi_t.category_changed != NULL && mpi_t.category_changed(&changed) == 0)
        region->changed_first = changed;
    return true;
}

/* What every program has that calls MPI_Init. With the lock held. */
static void bind_world(void)
{
    if (atomic_exchange(&world_is_known, true))
        return;
    pvars_bind(BIND_COMM, comm_world(), "MPI_COMM_WORLD");
    pvars_bind(BIND_COMM, comm_self(), "MPI_COMM_SELF");
    events_bind(BIND_COMM, comm_world(), "MPI_COMM_WORLD");
    events_bind(BIND_COMM, comm_self(), "MPI_COMM_SELF");
    comm_named(comm_world(), "MPI_COMM_WORLD");
    comm_named(comm_self(), "MPI_COMM_SELF");
}

static void begin_collecting(bool has_world)
{
    signal_stack_give_back();
    lock();
    if (collector_asks_mpi_t()) {
        int changed = region->changed_first;
        if (mpi_t.category_changed != NULL)
            mpi_t.category_changed(&changed);
        atomic_store(&region->changed_last, changed);
        atomic_store(&region->changed_noticed, changed != region->changed_first);
        components_compare();
        catalog_update();
    }
    if (has_world)
        bind_world();
    pvars_sample();
    atomic_store(&region->state, STATE_COLLECTING);
    unlock();
    atexit(end_at_exit);
    sampler_start();
}

/* `code`: what initialising answered. */
static void begun(bool is_first, int code)
{
    if (code != 0)
        return;
    atomic_store(&world_is_up, true);
    if (is_first) {
        begin_collecting(true);
        return;
    }
    resume();
    if (collector_is_on()) {
        lock();
        bind_world();
        unlock();
    }
}

static void session_begun(bool is_first, int code)
{
    if (code != 0)
        return;
    const bool is_only = atomic_fetch_add(&sessions, 1) == 0;
    if (is_first)
        begin_collecting(false);
    else if (is_only)
        resume();
}

STANDS_BEFORE(MPI_Init)
int BEFORE(MPI_Init)(int *argc, char ***argv)
{
    int (*next)(int *, char ***) = next_symbol("MPI_Init");
    const bool is_first = begin();
    const int code = next(argc, argv);
    begun(is_first, code);
    return code;
}

STANDS_BEFORE(MPI_Init_thread)
int BEFORE(MPI_Init_thread)(int *argc, char ***argv, int required, int *provided)
{
    int (*next)(int *, char ***, int, int *) = next_symbol("MPI_Init_thread");
    const bool is_first = begin();
    const int code = next(argc, argv, required, provided);
    begun(is_first, code);
    return code;
}

/* Open MPI answers the level of threads to the first who asks only, and that is the collector: what any number of threads may use has it. */
STANDS_BEFORE(MPI_T_init_thread)
int BEFORE(MPI_T_init_thread)(int required, int *provided)
{
    int (*next)(int, int *) = next_symbol("MPI_T_init_thread");
    int level = required;
    const int code = next(required, &level);
    if (code == 0 && provided != NULL)
        *provided = level;
    return code;
}

STANDS_BEFORE(MPI_Finalize)
int BEFORE(MPI_Finalize)(void)
{
    int (*next)(void) = next_symbol("MPI_Finalize");
    end();
    return next();
}

/* Fortran's names of the calls for sessions that this thread is in: they may call the C ones. */
static __thread __attribute__((tls_model("initial-exec"))) unsigned in_fortran;

/* Handles and addresses, each in one register, which are only passed on. */
STANDS_BEFORE(MPI_Session_init)
int BEFORE(MPI_Session_init)(uintptr_t info, uintptr_t errhandler, uintptr_t session)
{
    int (*next)(uintptr_t, uintptr_t, uintptr_t) = next_symbol("MPI_Session_init");
    if (in_fortran != 0)
        return next(info, errhandler, session);
    const bool is_first = begin();
    const int code = next(info, errhandler, session);
    session_begun(is_first, code);
    return code;
}

/* True: the collector pauses. */
static bool session_ends(void)
{
    return atomic_fetch_sub(&sessions, 1) == 1 && pause();
}

static void session_has_ended(bool pauses, int code)
{
    if (code == 0)
        return;
    atomic_fetch_add(&sessions, 1);
    if (pauses)
        resume();
}

STANDS_BEFORE(MPI_Session_finalize)
int BEFORE(MPI_Session_finalize)(uintptr_t session)
{
    int (*next)(uintptr_t) = next_symbol("MPI_Session_finalize");
    if (in_fortran != 0)
        return next(session);
    const bool pauses = session_ends();
    const int code = next(session);
    session_has_ended(pauses, code);
    return code;
}

/* The bindings of Fortran: gfortran's name, and that of mpi_f08. */
#define FORTRAN_INIT(name)                                                                \
    STANDS_BEFORE(name)                                                                   \
    void BEFORE(name)(int *error)                                                         \
    {                                                                                     \
        void (*next)(int *) = next_symbol(#name);            \
        const bool is_first = begin();                         \
        int code = 0;                                                                     \
        next(error != NULL ? error : &code);                                                                    \
        begun(is_first, error != NULL ? *error : code);                                   \
    }
#define FORTRAN_INIT_THREAD(name)                                                         \
    STANDS_BEFORE(name)                                                                   \
    void BEFORE(name)(int *required, int *provided, int *error)                           \
    {                                                                                     \
        void (*next)(int *, int *, int *) = next_symbol(#name); \
        const bool is_first = begin();                         \
        int code = 0;                                                                     \
        next(required, provided, error != NULL ? error : &code);                                                \
        begun(is_first, error != NULL ? *error : code);                                   \
    }
#define FORTRAN_FINALIZE(name)                                                            \
    STANDS_BEFORE(name)                                                                   \
    void BEFORE(name)(int *error)                                                         \
    {                                                                                     \
        void (*next)(int *) = next_symbol(#name);            \
        end();                                                                            \
        next(error);                                                                      \
    }
FORTRAN_INIT(mpi_init_)
FORTRAN_INIT(mpi_init_f08_)
FORTRAN_INIT_THREAD(mpi_init_thread_)
FORTRAN_INIT_THREAD(mpi_init_thread_f08_)
FORTRAN_FINALIZE(mpi_finalize_)
FORTRAN_FINALIZE(mpi_finalize_f08_)

#define FORTRAN_SESSION(lower)                                                            \
    STANDS_BEFORE(mpi_session_init_##lower)                                               \
    void BEFORE(mpi_session_init_##lower)(int *info, int *errhandler, int *session, int *error)\
    {                                                                                     \
        void (*next)(int *, int *, int *, int *) = next_symbol("mpi_session_init_" #lower); \
        const bool is_first = begin();                         \
        int code = 0;                                                                     \
        in_fortran++;                                                                     \
        next(info, errhandler, session, error != NULL ? error : &code);                   \
        in_fortran--;                                                                     \
        session_begun(is_first, error != NULL ? *error : code);                           \
    }                                                                                     \
    STANDS_BEFORE(mpi_session_finalize_##lower)                                           \
    void BEFORE(mpi_session_finalize_##lower)(int *session, int *error)                   \
    {                                                                                     \
        void (*next)(int *, int *) = next_symbol("mpi_session_finalize_" #lower); \
        const bool pauses = session_ends();                                               \
        int code = 0;                                                                     \
        in_fortran++;                                                                     \
        next(session, error != NULL ? error : &code);                                     \
        in_fortran--;                                                                     \
        session_has_ended(pauses, error != NULL ? *error : code);                         \
    }
FORTRAN_SESSION()
FORTRAN_SESSION(f08_)
