/* carried.c - tells mpidbg what a call has carried, and waits a moment, in which it learns who the communicator's members are. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../deaths/tell.h"
#include "carried.h"
#include "watch.h"

enum { MAX_OBJECT_NAME = 256 };

static int rank_of_environment(void)
{
    static const char *const variables[] = {"PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *words = getenv(variables[i]);
        if (words != NULL && *words >= '0' && *words <= '9')
            return atoi(words);
    }
    return -1;
}

static void name_of(uint64_t object, void *function, char *to, size_t size)
{
    /* Open MPI 5 pads to its own limit of 64, MPICH has 128. */
    char name[MAX_OBJECT_NAME] = "";
    int length = 0;
    int (*get)(uint64_t, char *, int *);
    *(void **)&get = function;
    if (object == 0 || get == NULL || get(object, name, &length) != 0)
        return;
    memcpy(to, name, size - 1);
    to[size - 1] = '\0';
}

void tell_carried(const struct carried *carried)
{
    const struct told_call *told = carried->told;
    struct mpidbg_carried record = {.magic = {CARRIED_MAGIC}, .bytes = sizeof record, .pid = (uint32_t)getpid()};
    if (mpidbg_tell == NULL)
        return;
    record.rank = rank_of_environment();
    record.flags = (carried->direction == CARRIED_IN ? CARRIED_INTO : 0u) | (carried->hit.is_nan ? CARRIED_NAN : 0u);
    record.time = carried->time;
    record.caller = carried->caller;
    record.completer = carried->completer;
    record.ordinal = carried->hit.ordinal;
    record.count = carried->count;
    record.peer = carried->hit.has_peer ? carried->hit.peer : carried->peer;
    record.tag = carried->tag;
    record.root = carried->root;
    record.times = carried->times;
    record.object = told->comm != 0 ? told->comm : carried->win;
    record.own = record.size = -1;
    int (*ask)(uint64_t, int *);
    *(void **)&ask = MPI_FUNCTION(MPI_Comm_rank);
    if (told->comm != 0 && ask != NULL)
        ask(told->comm, &record.own);
    *(void **)&ask = MPI_FUNCTION(MPI_Comm_size);
    if (told->comm != 0 && ask != NULL)
        ask(told->comm, &record.size);
    name_of(told->comm, MPI_FUNCTION(MPI_Comm_get_name), record.name, sizeof record.name);
    if (told->comm == 0 && carried->win != 0) {
        record.flags |= CARRIED_ON_WINDOW;
        name_of(carried->win, MPI_FUNCTION(MPI_Win_get_name), record.name, sizeof record.name);
    }
    snprintf(record.function, sizeof record.function, "%s", carried->function->name);
    if (carried->completed_by != NULL)
        snprintf(record.completed_by, sizeof record.completed_by, "%s", carried->completed_by->name);
    mpidbg_tell(&record, sizeof record);
}
