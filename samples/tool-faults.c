/*
 * tool-faults.c - a process of its own that does to a tool in it what programs do: each CASE prints one line, and ends as it says.
 *
 *     tool-faults CASE
 *
 * The line begins with whether a tool's memory (MPIDBG_TOOL_MEMORY, a part of a line of /proc/self/maps) is mapped.
 */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static int has_tool(void)
{
    char line[1024];
    const char *part = getenv("MPIDBG_TOOL_MEMORY");
    int found = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps != NULL && part != NULL && fgets(line, sizeof line, maps) != NULL)
        found |= strstr(line, part) != NULL;
    if (maps != NULL)
        fclose(maps);
    return found;
}

static void tell(const char *what, int number)
{
    printf("%d %s %d\n", has_tool(), what, number);
    fflush(stdout);
}

/* The child has neither the tool's thread nor its memory, and calls MPI nevertheless. */
static void fork_it(void)
{
    MPI_Init(NULL, NULL);
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        int size = 0;
        MPI_Comm_size(MPI_COMM_SELF, &size);
        tell("child", size);
        exit(7);
    }
    int status;
    waitpid(child, &status, 0);
    tell("parent", WEXITSTATUS(status));
    MPI_Finalize();
}

static void exec_it(const char *program)
{
    MPI_Init(NULL, NULL);
    MPI_Finalize();
    execl(program, program, "none", (char *)NULL);
}

static void *make_and_free(void *nothing)
{
    for (int i = 0; i < 200; i++) {
        MPI_Comm made;
        MPI_Comm_dup(MPI_COMM_SELF, &made);
        MPI_Comm_set_name(made, "brief");
        MPI_Comm_free(&made);
    }
    return nothing;
}

/* MPI_COMM_SELF is used by one thread at a time, as MPI wants it. */
static void many_communicators(void)
{
    int provided;
    pthread_t thread;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
    for (int i = 0; i < 8; i++) {
        pthread_create(&thread, NULL, make_and_free, NULL);
        pthread_join(thread, NULL);
    }
    tell("made", 8 * 200);
    MPI_Finalize();
}

/* The program is a tool too, and the last to leave. */
static void own_tool(void)
{
    int provided, count = 0;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_Init(NULL, NULL);
    MPI_T_pvar_get_num(&count);
    MPI_T_finalize();
    tell("variables", count > 0);
    MPI_Finalize();
}

static void limit_it(int what, rlim_t most)
{
    const struct rlimit limit = {most, most};
    setrlimit(what, &limit);
    MPI_Init(NULL, NULL);
    tell("started", 1);
    MPI_Finalize();
}

int main(int argc, char **argv)
{
    const char *wanted = argc > 1 ? argv[1] : "";
    if (strcmp(wanted, "none") == 0)
        tell("no MPI", 0);
    else if (strcmp(wanted, "fork") == 0)
        fork_it();
    else if (strcmp(wanted, "exec") == 0)
        exec_it(argv[0]);
    else if (strcmp(wanted, "communicators") == 0)
        many_communicators();
    else if (strcmp(wanted, "own-tool") == 0)
        own_tool();
    else if (strcmp(wanted, "file-size") == 0)
        limit_it(RLIMIT_FSIZE, 5 << 20);
    else {
        MPI_Init(NULL, NULL);
        tell("started", 1);
        if (strcmp(wanted, "exit") == 0)
            exit(3); /* without MPI_Finalize */
        if (strcmp(wanted, "abort") == 0)
            abort();
        if (strcmp(wanted, "kill") == 0)
            kill(getpid(), SIGKILL);
        MPI_Finalize();
    }
    return 0;
}
