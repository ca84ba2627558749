/* objects.c - whose code an address is in, by the names of files. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
#include "deaths.h"

enum owner owner_of(const void *address)
{
    static const struct { const char *prefix; enum owner owner; } known[] = {
        {"libmpi", OWNER_MPI},     {"libopen-", OWNER_MPI},   {"libpmi", OWNER_MPI},      {"libprrte", OWNER_MPI},
        {"libuc", OWNER_MPI},      {"libprte", OWNER_MPI},    {"libgfortran", OWNER_FORTRAN}, {"libstdc++", OWNER_CXX},
        {"mca_", OWNER_MPI},
    };
    Dl_info info;
    if (dladdr(address, &info) == 0 || info.dli_fname == NULL)
        return OWNER_PROGRAM;
    const char *slash = strrchr(info.dli_fname, '/'), *name = slash == NULL ? info.dli_fname : slash + 1;
    for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
        if (strncmp(name, known[i].prefix, strlen(known[i].prefix)) == 0)
            return known[i].owner;
    return OWNER_PROGRAM;
}
