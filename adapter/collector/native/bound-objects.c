/*
 * communicators.c - the calls that make, name and free communicators: variables are bound to each while it lives.
 *
 * Every argument is one machine word, whatever it is in mpi.h of this library: it is only passed on. A handle is freed in our
 * session before its communicator is, because reading it would follow the communicator.
 */
#include <stdlib.h>
#include <string.h>
#include "collector.h"

#define EXPORT __attribute__((visibility("default")))
typedef uintptr_t Word;
typedef int Call(Word, Word, Word, Word, Word, Word, Word, Word, Word, Word);

static Handle handle_at(Word place)
{
    return mpi_t.flavour == MPICH ? *(uint32_t *)place : *(Handle *)place;
}

static void made(Handle comm)
{
    if (comm == null_handle(HANDLE_COMM))
        return;
    lock();
    pvars_bind(BIND_COMM, comm, "");
    events_bind(BIND_COMM, comm, "");
    unlock();
}

static void about_to_free(Handle comm)
{
    lock();
    pvars_release(comm);
    events_release(comm);
    comm_freed(comm);
    unlock();
}

static void named(Handle comm)
{
    static int (*get_name)(Handle, char *, int *);
    char name[512] = "";
    int length = 0;
    if (get_name == NULL)
        *(void **)&get_name = next_symbol("PMPI_Comm_get_name", __builtin_return_address(0));
    if (get_name == NULL || get_name(comm, name, &length) != 0)
        return;
    lock();
    pvars_name(comm, name);
    events_name(comm, name);
    comm_named(comm, name);
    unlock();
}

#define NEXT(name)                                                                 \
    static Call *next;                                                             \
    if (next == NULL)                                                              \
        *(void **)&next = next_symbol(#name, __builtin_return_address(0));
#define WORDS Word a, Word b, Word c, Word d, Word e, Word f, Word g, Word h, Word i, Word j
#define PASS a, b, c, d, e, f, g, h, i, j

/* Fortran's bindings that this thread is in: some of them call C's names, and then the outermost counts. */
static __thread unsigned in_fortran;

static bool is_watched(void)
{
    return in_fortran == 0 && collector_is_on();
}

/* `made_in`: the argument that takes the new handle. */
#define MAKES(name, made_in)                                                       \
    EXPORT int name(WORDS)                                                         \
    {                                                                              \
        NEXT(name)                                                                 \
        const int code = next(PASS);                                               \
        if (code == 0 && is_watched())                                             \
            made(handle_at(made_in));                                              \
        return code;                                                               \
    }
#define FREES(name)                                                                \
    EXPORT int name(WORDS)                                                         \
    {                                                                              \
        NEXT(name)                                                                 \
        if (is_watched())                                                          \
            about_to_free(handle_at(a));                                           \
        return next(PASS);                                                         \
    }

MAKES(MPI_Comm_dup, b)
MAKES(MPI_Comm_dup_with_info, c)
MAKES(MPI_Comm_create, c)
MAKES(MPI_Comm_create_group, d)
MAKES(MPI_Comm_split, d)
MAKES(MPI_Comm_split_type, e)
MAKES(MPI_Cart_create, f)
MAKES(MPI_Cart_sub, c)
MAKES(MPI_Graph_create, f)
MAKES(MPI_Dist_graph_create, i)
MAKES(MPI_Dist_graph_create_adjacent, j)
MAKES(MPI_Intercomm_create, f)
MAKES(MPI_Intercomm_merge, c)
MAKES(MPI_Comm_accept, e)
MAKES(MPI_Comm_connect, e)
MAKES(MPI_Comm_spawn, g)
MAKES(MPI_Comm_spawn_multiple, h)
FREES(MPI_Comm_free)
FREES(MPI_Comm_disconnect)

EXPORT int MPI_Comm_set_name(WORDS)
{
    NEXT(MPI_Comm_set_name)
    const int code = next(PASS);
    if (code == 0 && is_watched())
        named(mpi_t.flavour == MPICH ? (uint32_t)a : a);
    return code;
}

/*
 * Fortran's names. Every argument is an address, and a handle an INTEGER; behind the error are only lengths of texts.
 */
static Handle of_fortran(Word integer)
{
    static Handle (*convert)(int);
    if (mpi_t.flavour == MPICH)
        return *(uint32_t *)integer;
    if (convert == NULL)
        *(void **)&convert = next_symbol("PMPI_Comm_f2c", __builtin_return_address(0));
    return convert == NULL ? null_handle(HANDLE_COMM) : convert(*(int *)integer);
}

#define INSIDE(call) in_fortran++, call, in_fortran--
#define FORTRAN_MAKES(name, made_in, error)                                        \
    EXPORT void name(WORDS)                                                        \
    {                                                                              \
        NEXT(name)                                                                 \
        INSIDE(next(PASS));                                                        \
        if (is_watched() && (error == 0 || *(int *)error == 0))            \
            made(of_fortran(made_in));                                             \
    }
#define FORTRAN_FREES(name)                                                        \
    EXPORT void name(WORDS)                                                        \
    {                                                                              \
        NEXT(name)                                                                 \
        if (is_watched())                                                          \
            about_to_free(of_fortran(a));                                          \
        INSIDE(next(PASS));                                                             \
    }
#define FORTRAN_NAMES(name)                                                        \
    EXPORT void name(WORDS)                                                        \
    {                                                                              \
        NEXT(name)                                                                 \
        INSIDE(next(PASS));                                                        \
        if (is_watched())                                                          \
            named(of_fortran(a));                                                  \
    }
/* gfortran's name, and that of mpi_f08, where the error may be left out. */
#define BOTH(name, made_in, error) FORTRAN_MAKES(name##_, made_in, error) FORTRAN_MAKES(name##_f08_, made_in, error)
BOTH(mpi_comm_dup, b, c)
BOTH(mpi_comm_dup_with_info, c, d)
BOTH(mpi_comm_create, c, d)
BOTH(mpi_comm_create_group, d, e)
BOTH(mpi_comm_split, d, e)
BOTH(mpi_comm_split_type, e, f)
BOTH(mpi_cart_create, f, g)
BOTH(mpi_cart_sub, c, d)
BOTH(mpi_graph_create, f, g)
BOTH(mpi_intercomm_create, f, g)
BOTH(mpi_intercomm_merge, c, d)
FORTRAN_FREES(mpi_comm_free_)
FORTRAN_FREES(mpi_comm_free_f08_)
FORTRAN_FREES(mpi_comm_disconnect_)
FORTRAN_FREES(mpi_comm_disconnect_f08_)
FORTRAN_NAMES(mpi_comm_set_name_)
FORTRAN_NAMES(mpi_comm_set_name_f08_)
