/*
 * child-watcher.c - tells what a process can notice of a debugger: mpirun -n 2 child-watcher
 *
 * Each rank prints one line with its children, CPUs, open files and environment; with --variables, also the names of
 * the variables. With and without a debugger the lines must be the same.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* "ECHILD" when this process has no child, as it should be. */
static const char *wait_for_any_child(void)
{
    pid_t pid = waitpid(-1, NULL, WNOHANG);
    if (pid >= 0)
        return "a child";
    return errno == ECHILD ? "ECHILD" : strerror(errno);
}

/* The CPUs this process may run on, as "0,1". */
static void list_cpus(char *text, size_t size)
{
    cpu_set_t cpus;
    size_t length = 0;
    sched_getaffinity(0, sizeof cpus, &cpus);
    text[0] = '\0';
    for (int cpu = 0; cpu < CPU_SETSIZE && length + 8 < size; cpu++)
        if (CPU_ISSET(cpu, &cpus))
            length += snprintf(text + length, size - length, "%s%d", length > 0 ? "," : "", cpu);
}

static int count_open_files(void)
{
    int count = -3; /* ".", ".." and the directory itself */
    DIR *directory = opendir("/proc/self/fd");
    while (readdir(directory) != NULL)
        count++;
    closedir(directory);
    return count;
}

static int count_environment(void)
{
    int count = 0;
    while (environ[count] != NULL)
        count++;
    return count;
}

/* The names of all variables, separated by blanks. */
static void print_environment(int rank)
{
    printf("rank %d: variables", rank);
    for (int i = 0; environ[i] != NULL; i++)
        printf(" %.*s", (int)strcspn(environ[i], "="), environ[i]);
    printf("\n");
}

/* Signals that are blocked, as the hexadecimal mask of /proc/self/status. */
static unsigned long blocked_signals(void)
{
    sigset_t blocked;
    unsigned long mask = 0;
    sigprocmask(SIG_SETMASK, NULL, &blocked);
    for (int number = 1; number < 64; number++)
        if (sigismember(&blocked, number) == 1)
            mask |= 1UL << (number - 1);
    return mask;
}

int main(int argc, char **argv)
{
    /* Before MPI_Init, which opens files and may start threads of its own. */
    int files = count_open_files();
    int variables = count_environment();
    const char *preload = getenv("LD_PRELOAD");

    int rank;
    char cpus[1024];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    list_cpus(cpus, sizeof cpus);
    printf("rank %d: waitpid %s, cpus %s, files %d, variables %d, LD_PRELOAD %s, blocked signals %lx, stdin %s\n",
           rank, wait_for_any_child(), cpus, files, variables, preload != NULL ? preload : "(none)",
           blocked_signals(), isatty(0) ? "a terminal" : "no terminal"); /* stop: looked around */
    if (argc > 1 && strcmp(argv[1], "--variables") == 0)
        print_environment(rank);
    MPI_Finalize();
    return 0;
}
