/*
 * start.c - where a rank begins to be one of ours. Launchers, shells without a rank and all other processes are left alone: no name
 * of ours is shown to them (presence.c), and no handler is set.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include "deaths.h"

const char *deaths_socket;
int deaths_seconds = 10, deaths_rank = -1;
static long own_process;

static int number_in(const char *variable, int otherwise)
{
    const char *words = getenv(variable);
    char *end;
    const long number = words == NULL ? -1 : strtol(words, &end, 10);
    return number < 0 || number > 1000000000 || end == words || *end != '\0' ? otherwise : (int)number;
}

bool deaths_begin(void)
{
    static const char *const ranks[] = {"PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK"};
    const char *socket = getenv("MPIDBG_DEATHS");
    if (socket == NULL || *socket == '\0')
        return false;
    for (unsigned i = 0; i < sizeof ranks / sizeof *ranks && deaths_rank < 0; i++)
        deaths_rank = number_in(ranks[i], -1);
    if (deaths_rank < 0)
        return false;
    /* The program may change its environment. */
    deaths_socket = strdup(socket);
    deaths_seconds = number_in("MPIDBG_DEATHS_WAIT", deaths_seconds);
    own_process = SYSTEM(SYS_getpid);
    return deaths_socket != NULL;
}

bool deaths_is_own_process(void)
{
    return deaths_socket != NULL && SYSTEM(SYS_getpid) == own_process;
}

/* Behind the look of presence.c. */
static void __attribute__((constructor(102))) begin(void)
{
    if (deaths_socket == NULL)
        return;
    hooks_find();
    alternate_stacks_begin();
    signals_begin();
}

/* Behind what the program has to run at its exit, and before MPI's libraries take themselves down. */
static void __attribute__((destructor)) end(void)
{
    if (deaths_is_own_process())
        exits_end();
}
