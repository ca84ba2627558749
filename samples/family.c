/*
 * family.c - a job whose ranks spawn two more, which are at breakpoints before MPI_Init and after:  mpirun -n 2 family
 *
 *   family [FILE]   the ranks wait until there is FILE before they spawn others, and these for FILE.children
 *                   ("-": nobody waits); all end when there is FILE.end
 *
 * Parents and children say which variables of the debugger they have in their environment, and so does a process that each child
 * forks and executes.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void tell_environment(const char *who)
{
    char **variable;
    for (variable = environ; *variable != NULL; variable++)
        if (strncmp(*variable, "MPIDBG_", 7) == 0 && strncmp(*variable, "MPIDBG_TEST_", 12) != 0)
            printf("%s has %s\n", who, *variable);
    printf("%s has told its environment\n", who);
    fflush(stdout);
}

static void wait_for(const char *file, const char *end)
{
    char path[4096];
    snprintf(path, sizeof path, "%s%s", file, end);
    while (strcmp(file, "-") != 0 && access(path, F_OK) != 0)
        usleep(10000);
}

static void tell_environment_of_another(const char *program)
{
    if (fork() == 0) {
        execl(program, program, "environment", (char *)NULL);
        _exit(127);
    }
    wait(NULL);
}

#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION < 40100000
/*
 * This MPICH over UCX has no MPI_Comm_spawn. What its launcher does for one can be had by asking it before MPI_Init; the new
 * ranks have a world of their own then, and no way to their parents.
 */
#define BY_LAUNCHER 1

static void ask_launcher(const char *request)
{
    char answer[1024];
    int fd = atoi(getenv("PMI_FD"));
    if (write(fd, request, strlen(request)) < 0 || read(fd, answer, sizeof answer) <= 0)
        exit(1);
}

static void spawn_by_launcher(char **words)
{
    char request[4096];
    int number, at;
    ask_launcher("cmd=init pmi_version=1 pmi_subversion=1\n");
    at = snprintf(request, sizeof request, "mcmd=spawn\nnprocs=2\nexecname=%s\ntotspawns=1\nspawnssofar=1\n", words[0]);
    for (number = 1; words[number] != NULL; number++)
        at += snprintf(request + at, sizeof request - at, "arg%d=%s\n", number, words[number]);
    snprintf(request + at, sizeof request - at, "argcnt=%d\npreput_num=0\ninfo_num=0\nendcmd\n", number - 1);
    ask_launcher(request);
}
#else
#define BY_LAUNCHER 0
static void spawn_by_launcher(char **words) { (void)words; }
#endif

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "-";
    int number = 100, rank;
    MPI_Comm family;

    if (strcmp(what, "environment") == 0) {
        tell_environment("executed");
        return 0;
    }
    if (strcmp(what, "child") == 0)
        number = 200; /* stop: child before MPI_Init */

    char *words[] = { argv[0], "child", (char *)what, NULL };
    if (number == 100) {
        tell_environment("parent");
        wait_for(what, "");
        if (BY_LAUNCHER && strcmp(getenv("PMI_RANK"), "0") == 0)
            spawn_by_launcher(words);
    } else {
        tell_environment("child");
        tell_environment_of_another(argv[0]);
        wait_for(argv[2], ".children");
        if (BY_LAUNCHER)
            unsetenv("PMI_SPAWNED");
    }

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    number += rank;
    if (BY_LAUNCHER)
        MPI_Comm_dup(MPI_COMM_WORLD, &family);
    else if (number >= 200)
        MPI_Comm_get_parent(&family);
    else
        MPI_Comm_spawn(argv[0], words + 1, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &family, MPI_ERRCODES_IGNORE);
    printf("process %d is number %d\n", (int)getpid(), number);
    fflush(stdout); /* stop: family made */

    wait_for(number >= 200 ? argv[2] : what, ".end");
    MPI_Barrier(family);
    MPI_Comm_disconnect(&family);
    MPI_Finalize();
    return 0;
}
