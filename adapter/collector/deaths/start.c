/*
 * start.c - where a rank begins to be one of ours. Launchers, shells without a rank and all other processes are left alone: no name
 * of ours is shown to them (presence.c), and no handler is set.
 */
#include "../native/presence.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
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

static const char *const ranks[] = {"PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK"};
enum { VARIABLES = sizeof ranks / sizeof *ranks };

bool deaths_begin(void)
{
    const char *socket = getenv("MPIDBG_DEATHS");
    if (socket == NULL || *socket == '\0')
        return false;
    for (unsigned i = 0; i < VARIABLES && deaths_rank < 0; i++)
        deaths_rank = number_in(ranks[i], -1);
    if (deaths_rank < 0)
        return false;
    /* The program may change its environment, and what it damages is often its heap. */
    static char kept_socket[sizeof ((struct sockaddr_un *)0)->sun_path + 1];
    if (strlen(socket) < sizeof kept_socket)
        deaths_socket = strcpy(kept_socket, socket);
    deaths_seconds = number_in("MPIDBG_DEATHS_WAIT", deaths_seconds);
    own_process = SYSTEM(SYS_getpid);
    return deaths_socket != NULL;
}

bool deaths_is_own_process(void)
{
    return deaths_socket != NULL && SYSTEM(SYS_getpid) == own_process;
}

static _Atomic bool has_mpi;

void deaths_note_mpi(void)
{
    has_mpi = true;
}

bool deaths_has_mpi(void)
{
    return has_mpi;
}

static bool names_rank(const char *variable)
{
    for (unsigned i = 0; i < VARIABLES; i++) {
        const size_t length = strlen(ranks[i]);
        if (strncmp(variable, ranks[i], length) == 0 && variable[length] == '=')
            return true;
    }
    return false;
}

bool deaths_has_variables_of_rank(long process)
{
    static char variables[256 * 1024];
    char path[64] = "/proc/";
    append_number(path, sizeof path, (uint64_t)process);
    append_text(path, sizeof path, "/environ");
    const int file = (int)SYSTEM(SYS_open, path, O_RDONLY | O_CLOEXEC);
    size_t length = 0;
    for (long got; file >= 0 && length < sizeof variables - 1; length += (size_t)got)
        if ((got = SYSTEM(SYS_read, file, variables + length, sizeof variables - 1 - length)) <= 0)
            break;
    if (file >= 0)
        SYSTEM(SYS_close, file);
    variables[length] = '\0';
    for (size_t at = 0; at < length; at += strlen(variables + at) + 1)
        if (names_rank(variables + at))
            return true;
    return false;
}

static bool is_child_of_rank(void)
{
    const long parent = SYSTEM(SYS_getppid);
    /* A daemon: Open MPI starts one for a process alone. */
    return parent <= 1 || deaths_has_variables_of_rank(parent);
}

bool deaths_is_rank(void)
{
    return deaths_is_own_process() && (has_mpi || !is_child_of_rank());
}

/* Behind the look of presence.c. */
static void __attribute__((constructor(102))) begin(void)
{
    if (deaths_socket == NULL)
        return;
    hooks_find();
    python_find();
    if (next_symbol("PMPI_Init") != NULL || next_symbol("MPI_Init") != NULL)
        deaths_note_mpi();
    alternate_stacks_begin();
    float_traps_begin();
    stops_begin();
    signals_begin();
    sanitizers_begin();
    exits_watch_quick_exit();
    float_traps_tell_threads();
    if (deaths_is_rank()) {
        announce_begin();
        stops_ask_at_begin();
    }
}

/* Behind what the program has to run at its exit, and before MPI's libraries take themselves down. */
static void __attribute__((destructor)) end(void)
{
    if (!deaths_is_own_process())
        return;
    stops_end();
    exits_end();
}
