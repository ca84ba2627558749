/*
 * interpose.c - the calls of MPI that the collector stands before. Each goes on to the next definition, so that other tools
 * see it too. A process that initialises no MPI runs nothing of this.
 */
#include <stdlib.h>
#include <string.h>
#include "collector.h"

#define EXPORT __attribute__((visibility("default")))

/* Fortran's names of MPI_Init call the C ones in some libraries: the outermost call counts. */
static atomic_int starts;

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

static void end(void)
{
    if (!collector_is_on())
        return;
    sampler_stop();
    lock();
    pvars_sample();
    pvars_close();
    events_close();
    atomic_store(&region->state, STATE_FINISHED);
    unlock();
}

/* The library may take itself down while the thread reads from it. */
static void end_at_exit(void)
{
    if (region_is_ours())
        sampler_stop();
}

/* MPI_T comes first: initialised after MPI_Init, some variables of Open MPI crash it. */
static bool begin(void *caller)
{
    if (atomic_fetch_add(&starts, 1) != 0 || getenv("MPIDBG_COLLECT") == NULL || !mpi_library_find(caller))
        return false;
    int provided = 0;
    if (!collector_begin())
        return false;
    const int code = mpi_t.init_thread(thread_multiple(), &provided);
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

/* `code`: what initialising answered. */
static void begun(bool is_first, int code)
{
    if (!is_first || code != 0)
        return;
    lock();
    int changed = region->changed_first;
    if (mpi_t.category_changed != NULL)
        mpi_t.category_changed(&changed);
    atomic_store(&region->changed_last, changed);
    atomic_store(&region->changed_noticed, changed != region->changed_first);
    components_compare();
    catalog_update();
    pvars_bind(BIND_COMM, comm_world(), "MPI_COMM_WORLD");
    pvars_bind(BIND_COMM, comm_self(), "MPI_COMM_SELF");
    events_bind(BIND_COMM, comm_world(), "MPI_COMM_WORLD");
    events_bind(BIND_COMM, comm_self(), "MPI_COMM_SELF");
    comm_named(comm_world(), "MPI_COMM_WORLD");
    comm_named(comm_self(), "MPI_COMM_SELF");
    pvars_sample();
    atomic_store(&region->state, STATE_COLLECTING);
    unlock();
    atexit(end_at_exit);
    sampler_start();
}

EXPORT int MPI_Init(int *argc, char ***argv)
{
    int (*next)(int *, char ***) = next_symbol("MPI_Init", __builtin_return_address(0));
    const bool is_first = begin(__builtin_return_address(0));
    const int code = next(argc, argv);
    begun(is_first, code);
    return code;
}

EXPORT int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    int (*next)(int *, char ***, int, int *) = next_symbol("MPI_Init_thread", __builtin_return_address(0));
    const bool is_first = begin(__builtin_return_address(0));
    const int code = next(argc, argv, required, provided);
    begun(is_first, code);
    return code;
}

EXPORT int MPI_Finalize(void)
{
    int (*next)(void) = next_symbol("MPI_Finalize", __builtin_return_address(0));
    end();
    return next();
}

/* The bindings of Fortran: gfortran's name, and that of mpi_f08. */
#define FORTRAN_INIT(name)                                                                \
    EXPORT void name(int *error)                                                          \
    {                                                                                     \
        void (*next)(int *) = next_symbol(#name, __builtin_return_address(0));            \
        const bool is_first = begin(__builtin_return_address(0));                         \
        int code = 0;                                                                     \
        next(error != NULL ? error : &code);                                                                    \
        begun(is_first, error != NULL ? *error : code);                                   \
    }
#define FORTRAN_INIT_THREAD(name)                                                         \
    EXPORT void name(int *required, int *provided, int *error)                            \
    {                                                                                     \
        void (*next)(int *, int *, int *) = next_symbol(#name, __builtin_return_address(0)); \
        const bool is_first = begin(__builtin_return_address(0));                         \
        int code = 0;                                                                     \
        next(required, provided, error != NULL ? error : &code);                                                \
        begun(is_first, error != NULL ? *error : code);                                   \
    }
#define FORTRAN_FINALIZE(name)                                                            \
    EXPORT void name(int *error)                                                          \
    {                                                                                     \
        void (*next)(int *) = next_symbol(#name, __builtin_return_address(0));            \
        end();                                                                            \
        next(error);                                                                      \
    }
FORTRAN_INIT(mpi_init_)
FORTRAN_INIT(mpi_init_f08_)
FORTRAN_INIT_THREAD(mpi_init_thread_)
FORTRAN_INIT_THREAD(mpi_init_thread_f08_)
FORTRAN_FINALIZE(mpi_finalize_)
FORTRAN_FINALIZE(mpi_finalize_f08_)
