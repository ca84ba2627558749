/*
 * bound-objects.c - the calls that make, name and free communicators and windows: variables are bound to each while it lives.
 *
 * Every argument is one machine word, whatever it is in mpi.h of this library: it is only passed on. A handle is freed in our
 * session before its object is, because reading it would follow the object.
 */
#include <stdlib.h>
#include <string.h>
#include "collector.h"
#include "names.h"

typedef uintptr_t Word;
typedef int Call(Word, Word, Word, Word, Word, Word, Word, Word, Word, Word);

static Handle handle_at(Word place)
{
    return mpi_t.flavour == MPICH ? *(uint32_t *)place : *(Handle *)place;
}

static const struct bound {
    enum handle_kind kind;
    uint8_t bind;
    const char *get_name, *from_fortran;
} comms = {HANDLE_COMM, BIND_COMM, "PMPI_Comm_get_name", "PMPI_Comm_f2c"},
  wins = {HANDLE_WIN, BIND_WIN, "PMPI_Win_get_name", "PMPI_Win_f2c"};

static void made(const struct bound *of, Handle object)
{
    if (object == null_handle(of->kind))
        return;
    lock();
    pvars_bind(of->bind, object, "");
    events_bind(of->bind, object, "");
    unlock();
}

/* What is known of an object that the program frees, for the case that the library refuses. */
struct about_to_free { Handle object; bool is_bound; struct told_comm comm; };

static struct about_to_free about_to_free(const struct bound *of, Handle object)
{
    struct about_to_free about = {.object = object};
    lock();
    const bool has_variables = pvars_release(object), has_events = events_release(object);
    about.is_bound = has_variables || has_events;
    if (of->kind == HANDLE_COMM)
        about.comm = comm_freed(object);
    unlock();
    return about;
}

static void named(const struct bound *of, Handle object)
{
    int (*get_name)(Handle, char *, int *);
    char name[512] = "";
    int length = 0;
    *(void **)&get_name = next_symbol(of->get_name);
    if (get_name == NULL || get_name(object, name, &length) != 0)
        return;
    lock();
    pvars_name(object, name);
    events_name(object, name);
    if (of->kind == HANDLE_COMM)
        comm_named(object, name);
    unlock();
}

static void is_not_freed(const struct bound *of, const struct about_to_free *about)
{
    if (about->object == 0)
        return;
    lock();
    if (of->kind == HANDLE_COMM)
        comm_not_freed(about->object, &about->comm);
    unlock();
    if (!about->is_bound)
        return;
    made(of, about->object);
    named(of, about->object);
}

#define NEXT(name)                                                                 \
    static Call *next NEXT_DEFINITION;                                             \
    if (next == NULL)                                                              \
        *(void **)&next = next_symbol(#name);
#define WORDS Word a, Word b, Word c, Word d, Word e, Word f, Word g, Word h, Word i, Word j
#define PASS a, b, c, d, e, f, g, h, i, j

/* Fortran's bindings that this thread is in: some of them call C's names, and then the outermost counts. */
static __thread __attribute__((tls_model("initial-exec"))) unsigned in_fortran;

static bool is_watched(void)
{
    return region != NULL && in_fortran == 0 && collector_is_on();
}

/* `made_in`: the argument that takes the new handle. */
#define MAKES(of, name, made_in)                                                   \
    STANDS_BEFORE(name)                                                            \
    int BEFORE(name)(WORDS)                                                        \
    {                                                                              \
        NEXT(name)                                                                 \
        if (region == NULL)                                                        \
            return next(PASS);                                                     \
        const int code = next(PASS);                                               \
        if (code == 0 && is_watched())                                             \
            made(&of, handle_at(made_in));                                         \
        return code;                                                               \
    }
#define FREES(of, name)                                                            \
    STANDS_BEFORE(name)                                                            \
    int BEFORE(name)(WORDS)                                                        \
    {                                                                              \
        NEXT(name)                                                                 \
        struct about_to_free about = {.object = 0};                                \
        if (is_watched())                                                          \
            about = about_to_free(&of, handle_at(a));                              \
        const int code = next(PASS);                                               \
        if (code != 0)                                                             \
            is_not_freed(&of, &about);                                             \
        return code;                                                               \
    }

MAKES(comms, MPI_Comm_dup, b)
MAKES(comms, MPI_Comm_dup_with_info, c)
MAKES(comms, MPI_Comm_create, c)
MAKES(comms, MPI_Comm_create_group, d)
MAKES(comms, MPI_Comm_split, d)
MAKES(comms, MPI_Comm_split_type, e)
MAKES(comms, MPI_Cart_create, f)
MAKES(comms, MPI_Cart_sub, c)
MAKES(comms, MPI_Graph_create, f)
MAKES(comms, MPI_Dist_graph_create, i)
MAKES(comms, MPI_Dist_graph_create_adjacent, j)
MAKES(comms, MPI_Intercomm_create, f)
MAKES(comms, MPI_Intercomm_merge, c)
MAKES(comms, MPI_Comm_accept, e)
MAKES(comms, MPI_Comm_connect, e)
MAKES(comms, MPI_Comm_spawn, g)
MAKES(comms, MPI_Comm_spawn_multiple, h)
FREES(comms, MPI_Comm_free)
FREES(comms, MPI_Comm_disconnect)

MAKES(wins, MPI_Win_create, f)
MAKES(wins, MPI_Win_create_c, f)
MAKES(wins, MPI_Win_allocate, f)
MAKES(wins, MPI_Win_allocate_c, f)
MAKES(wins, MPI_Win_allocate_shared, f)
MAKES(wins, MPI_Win_allocate_shared_c, f)
MAKES(wins, MPI_Win_create_dynamic, c)
FREES(wins, MPI_Win_free)

#define NAMES(of, name)                                                            \
    STANDS_BEFORE(name)                                                            \
    int BEFORE(name)(WORDS)                                                        \
    {                                                                              \
        NEXT(name)                                                                 \
        const int code = next(PASS);                                               \
        if (code == 0 && is_watched())                                             \
            named(&of, mpi_t.flavour == MPICH ? (uint32_t)a : a);                  \
        return code;                                                               \
    }
NAMES(comms, MPI_Comm_set_name)
NAMES(wins, MPI_Win_set_name)

/*
 * Fortran's names. Every argument is an address, and a handle an INTEGER; behind the error are only lengths of texts.
 */
static Handle of_fortran(const struct bound *of, Word integer)
{
    Handle (*convert)(int);
    if (mpi_t.flavour == MPICH)
        return *(uint32_t *)integer;
    *(void **)&convert = next_symbol(of->from_fortran);
    return convert == NULL ? null_handle(of->kind) : convert(*(int *)integer);
}

#define INSIDE(call) in_fortran++, call, in_fortran--
#define FORTRAN_MAKES(of, name, made_in, error)                                    \
    STANDS_BEFORE(name)                                                            \
    void BEFORE(name)(WORDS)                                                       \
    {                                                                              \
        NEXT(name)                                                                 \
        INSIDE(next(PASS));                                                        \
        if (is_watched() && (error == 0 || *(int *)error == 0))            \
            made(&of, of_fortran(&of, made_in));                                   \
    }
#define FORTRAN_FREES(of, name)                                                    \
    STANDS_BEFORE(name)                                                            \
    void BEFORE(name)(WORDS)                                                       \
    {                                                                              \
        NEXT(name)                                                                 \
        struct about_to_free about = {.object = 0};                                \
        if (is_watched())                                                          \
            about = about_to_free(&of, of_fortran(&of, a));                        \
        INSIDE(next(PASS));                                                        \
        if (b != 0 && *(int *)b != 0)                                              \
            is_not_freed(&of, &about);                                             \
    }
#define FORTRAN_NAMES(of, name)                                                    \
    STANDS_BEFORE(name)                                                            \
    void BEFORE(name)(WORDS)                                                       \
    {                                                                              \
        NEXT(name)                                                                 \
        INSIDE(next(PASS));                                                        \
        if (is_watched())                                                          \
            named(&of, of_fortran(&of, a));                                        \
    }
/* gfortran's name, and that of mpi_f08, where the error may be left out. */
#define BOTH(of, name, made_in, error)                                             \
    FORTRAN_MAKES(of, name##_, made_in, error)                                     \
    FORTRAN_MAKES(of, name##_f08_, made_in, error)
BOTH(comms, mpi_comm_dup, b, c)
BOTH(comms, mpi_comm_dup_with_info, c, d)
BOTH(comms, mpi_comm_create, c, d)
BOTH(comms, mpi_comm_create_group, d, e)
BOTH(comms, mpi_comm_split, d, e)
BOTH(comms, mpi_comm_split_type, e, f)
BOTH(comms, mpi_cart_create, f, g)
BOTH(comms, mpi_cart_sub, c, d)
BOTH(comms, mpi_graph_create, f, g)
BOTH(comms, mpi_intercomm_create, f, g)
BOTH(comms, mpi_intercomm_merge, c, d)
FORTRAN_FREES(comms, mpi_comm_free_)
FORTRAN_FREES(comms, mpi_comm_free_f08_)
FORTRAN_FREES(comms, mpi_comm_disconnect_)
FORTRAN_FREES(comms, mpi_comm_disconnect_f08_)
FORTRAN_NAMES(comms, mpi_comm_set_name_)
FORTRAN_NAMES(comms, mpi_comm_set_name_f08_)
BOTH(wins, mpi_win_create, f, g)
BOTH(wins, mpi_win_allocate, f, g)
BOTH(wins, mpi_win_allocate_shared, f, g)
BOTH(wins, mpi_win_create_dynamic, c, d)
FORTRAN_MAKES(wins, mpi_win_allocate_cptr_, f, g)
FORTRAN_MAKES(wins, mpi_win_allocate_shared_cptr_, f, g)
FORTRAN_FREES(wins, mpi_win_free_)
FORTRAN_FREES(wins, mpi_win_free_f08_)
FORTRAN_NAMES(wins, mpi_win_set_name_)
FORTRAN_NAMES(wins, mpi_win_set_name_f08_)
