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

/* As many as a library allows at once, again and again. */
static void ten_thousand(void)
{
    enum { AT_ONCE = 1000 };
    static MPI_Comm made[AT_ONCE];
    int count = 0;
    MPI_Init(NULL, NULL);
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < AT_ONCE; i++)
            count += MPI_Comm_dup(MPI_COMM_SELF, &made[i]) == MPI_SUCCESS;
        for (int i = 0; i < AT_ONCE; i++)
            MPI_Comm_free(&made[i]);
    }
    tell("made", count);
    MPI_Finalize();
}

static void *send_to_itself(void *comm)
{
    long sum = 0;
    for (int i = 0; i < 100; i++) {
        int received = 0;
        MPI_Sendrecv(&i, 1, MPI_INT, 0, 1, &received, 1, MPI_INT, 0, 1, *(MPI_Comm *)comm, MPI_STATUS_IGNORE);
        sum += received;
    }
    return (void *)sum;
}

/* All at once, each with a communicator of its own. */
static void many_threads(void)
{
    enum { THREADS = 64 };
    pthread_t threads[THREADS];
    MPI_Comm comms[THREADS];
    int provided;
    long sum = 0;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
    for (int i = 0; i < THREADS; i++)
        MPI_Comm_dup(MPI_COMM_SELF, &comms[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, send_to_itself, &comms[i]);
    for (int i = 0; i < THREADS; i++) {
        void *its_sum;
        pthread_join(threads[i], &its_sum);
        sum += (long)its_sum;
        MPI_Comm_free(&comms[i]);
    }
    tell("sum", (int)sum);
    MPI_Finalize();
}

/* Sessions need no MPI_Init. */
static void session(void)
{
    int size = 0;
#if MPI_VERSION >= 4
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://SELF", &group);
    MPI_Comm_create_from_group(group, "mpidbg", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Comm_size(comm, &size);
    MPI_Comm_free(&comm);
    MPI_Group_free(&group);
    MPI_Session_finalize(&session);
#endif
    tell("session", size);
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

static rlim_t address_space(void)
{
    unsigned long pages = 0;
    FILE *sizes = fopen("/proc/self/statm", "r");
    if (sizes == NULL || fscanf(sizes, "%lu", &pages) != 1)
        abort();
    fclose(sizes);
    return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

/* Only for now: a tool behind ours may lift it again. */
static void limit_it(int what, rlim_t most)
{
    struct rlimit limit;
    getrlimit(what, &limit);
    limit.rlim_cur = most;
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
    else if (strcmp(wanted, "locked-memory") == 0)
        limit_it(RLIMIT_MEMLOCK, 0);
    else if (strcmp(wanted, "address-space") == 0)
        limit_it(RLIMIT_AS, address_space() + (4 << 20));
    else if (strcmp(wanted, "ten-thousand") == 0)
        ten_thousand();
    else if (strcmp(wanted, "threads") == 0)
        many_threads();
    else if (strcmp(wanted, "session") == 0)
        session();
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
