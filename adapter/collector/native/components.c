/*
 * components.c - the loadable components of Open MPI: those that were unloaded while MPI was initialised.
 *
 * Some releases (4.1.4: UCX's) go on listing the control variables of such a component, and read where it was.
 */
#define _GNU_SOURCE
#include <link.h>
#include <stdio.h>
#include <string.h>
#include "collector.h"

enum { MAX_COMPONENTS = 512, MAX_PREFIX = 96 };

static struct component { uint64_t address; char prefix[MAX_PREFIX]; bool is_there; } components[MAX_COMPONENTS];
static int count;

/* "osc_ucx_" of ".../mca_osc_ucx.so", "opal_common_ucx_" of ".../libmca_common_ucx.so.40": what its variables begin with. */
static bool prefix_of(const char *path, char *prefix)
{
    const char *name = strrchr(path, '/') == NULL ? path : strrchr(path, '/') + 1;
    const bool is_shared = strncmp(name, "libmca_", 7) == 0;
    if (!is_shared && strncmp(name, "mca_", 4) != 0)
        return false;
    name += is_shared ? 7 : 4;
    const int length = (int)strcspn(name, ".");
    return length > 0 && snprintf(prefix, MAX_PREFIX, "%s%.*s_", is_shared ? "opal_" : "", length, name) < MAX_PREFIX;
}

static int note(struct dl_phdr_info *library, size_t size, void *nothing)
{
    (void)size, (void)nothing;
    struct component *to = &components[count];
    if (count < MAX_COMPONENTS && library->dlpi_name != NULL && prefix_of(library->dlpi_name, to->prefix)) {
        to->address = library->dlpi_addr;
        count++;
    }
    return 0;
}

void components_note(void)
{
    if (mpi_t.flavour == OPEN_MPI)
        dl_iterate_phdr(note, NULL);
}

static int mark(struct dl_phdr_info *library, size_t size, void *nothing)
{
    (void)size, (void)nothing;
    for (int i = 0; i < count; i++)
        if (components[i].address == library->dlpi_addr)
            components[i].is_there = true;
    return 0;
}

void components_compare(void)
{
    dl_iterate_phdr(mark, NULL);
}

bool component_is_gone(const char *variable)
{
    for (int i = 0; i < count; i++)
        if (!components[i].is_there && strncmp(variable, components[i].prefix, strlen(components[i].prefix)) == 0)
            return true;
    return false;
}
