/* objects.c - whose code an address is in, by the names of files. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
#include "deaths.h"

/* Without its folder; NULL: no file's code. */
static const char *file_of(const void *address)
{
    Dl_info info;
    if (dladdr(address, &info) == 0 || info.dli_fname == NULL)
        return NULL;
    const char *slash = strrchr(info.dli_fname, '/');
    return slash == NULL ? info.dli_fname : slash + 1;
}

static bool begins_with(const char *name, const char *prefix)
{
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

bool is_below_mpi(const void *address)
{
    static const char *const below[] = {"libopen-", "libpmi", "libprrte", "libprte", "libuc", "libhwloc", "libfabric", "libpsm", "mca_"};
    const char *name = file_of(address);
    /* Open MPI's operations of reductions. */
    if (name == NULL || begins_with(name, "mca_op_"))
        return false;
    for (unsigned i = 0; i < sizeof below / sizeof *below; i++)
        if (begins_with(name, below[i]))
            return true;
    return false;
}

enum owner owner_of(const void *address)
{
    static const struct { const char *prefix; enum owner owner; } known[] = {
        {"libmpi", OWNER_MPI},     {"libopen-", OWNER_MPI},   {"libpmi", OWNER_MPI},      {"libprrte", OWNER_MPI},
        {"libuc", OWNER_MPI},      {"libprte", OWNER_MPI},    {"libgfortran", OWNER_FORTRAN}, {"libstdc++", OWNER_CXX},
        {"mca_", OWNER_MPI},
    };
    const char *name = file_of(address);
    for (unsigned i = 0; name != NULL && i < sizeof known / sizeof *known; i++)
        if (begins_with(name, known[i].prefix))
            return known[i].owner;
    return OWNER_PROGRAM;
}
