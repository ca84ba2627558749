/* deny-list.c - what MPI_T offers and a released library cannot take: it is listed with the reason, and never touched. */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "collector.h"

static const struct { enum flavour flavour; const char *prefix, *reason; } pvars[] = {
    /* Open MPI 4.1.4, 5.0.7 and 6.0.0rc2: allocating a handle reads statistics of an endpoint that was never opened. */
    {OPEN_MPI, "mtl_psm2_", "allocating a handle crashes Open MPI where PSM2 is not in use"},
    /* Writing this one makes the component write its counts to files. */
    {OPEN_MPI, "pml_monitoring_flush", "it is a switch, not a value: touching it makes Open MPI write files"},
};

/* Whether one of the globs of the user, with commas between them, matches. */
static bool is_wanted(const char *name, const char *variable)
{
    const char *globs = getenv(variable);
    char glob[256];
    for (size_t length; globs != NULL && *globs != '\0'; globs += length + (globs[length] == ',')) {
        length = strcspn(globs, ",");
        snprintf(glob, sizeof glob, "%.*s", (int)length, globs);
        if (fnmatch(glob, name, 0) == 0)
            return true;
    }
    return getenv(variable) == NULL;
}

/* The component takes every window for one of its own, which only a user who has chosen it for all can know. */
static bool is_of_unknown_window(const char *name)
{
    const char *component = getenv("OMPI_MCA_osc");
    return mpi_t.flavour == OPEN_MPI && strncmp(name, "osc_rdma_", 9) == 0 &&
           (component == NULL || strcmp(component, "rdma") != 0);
}

const char *denied_pvar(const char *name)
{
    if (!is_wanted(name, "MPIDBG_COLLECT_PVARS"))
        return "it was not asked for (MPIDBG_COLLECT_PVARS, or collector.pvars in launch.json)";
    if (is_of_unknown_window(name))
        return "reading it of a window that another component serves can crash Open MPI: with OMPI_MCA_osc=rdma there is none";
    for (size_t i = 0; i < sizeof pvars / sizeof *pvars; i++)
        if (pvars[i].flavour == mpi_t.flavour && strncmp(name, pvars[i].prefix, strlen(pvars[i].prefix)) == 0)
            return pvars[i].reason;
    return NULL;
}

bool denied_of_intercommunicator(const char *name)
{
    return mpi_t.flavour == OPEN_MPI && strncmp(name, "pml_ob1_", 8) == 0;
}

const char *denied_cvar(const char *name)
{
    /* Registered with the address of a local variable, in all of 5.0 and 6.0 so far. */
    const bool is_of_5_or_6 = mpi_t.open_mpi_major == 5 || mpi_t.open_mpi_major == 6;
    if (mpi_t.flavour == OPEN_MPI && is_of_5_or_6 && strcmp(name, "mpi_ft_verbose") == 0)
        return "Open MPI reads it from memory that it uses for something else by then";
    return component_is_gone(name) ? "its component has been unloaded: reading it can crash Open MPI" : NULL;
}

const char *denied_event(const char *name)
{
    if (is_wanted(name, "MPIDBG_COLLECT_EVENTS"))
        return NULL;
    return "it was not asked for (MPIDBG_COLLECT_EVENTS, or collector.events in launch.json)";
}

/* MPICH 4.0.2 and later raise it when the request that its data is read from is gone (mpidig_recvq.h). */
const char *denied_payload(const char *name)
{
    const bool is_denied = mpi_t.flavour == MPICH && strcmp(name, "unexp_message_dequeued") == 0;
    return is_denied ? "reading its data crashes MPICH: it is counted only" : NULL;
}
