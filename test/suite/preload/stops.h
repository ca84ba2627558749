/*
 * stops.h - holds the rank at the calls that the tool chose, and does what the tool says meanwhile.
 *
 * Over a socket, in lines. From the rank: HELLO, STOP with a HANDLE line for each handle and HELD; truth lines and ASKED;
 * CALLS; LEFT after the call that GO AND TELL let it make. From the tool: STOPS n n n; ASK and GO, GO AND TELL.
 */
#ifndef SUITE_STOPS_H
#define SUITE_STOPS_H

#include "ask.h"
#include <link.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>

static FILE *suite_commands;
static int suite_socket = -1;
static unsigned long suite_text_start, suite_text_end;

/* The calls so far, not counting what a program repeats: it polls. */
static long suite_calls;
static const char *suite_last_call = "";
static long suite_stop_calls[256];
static int suite_stop_count, suite_next_stop;

/* How many of the program's threads are inside MPI, and whether one of them holds the others. */
static pthread_mutex_t suite_threads = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t suite_threads_changed = PTHREAD_COND_INITIALIZER;
static int suite_inside, suite_is_held;
static __thread int suite_depth;
/* This thread is to tell when it leaves the call that it was held before. */
static __thread int suite_tells_leaving;
/* MPI, while it is asked, may call functions of the program. */
static __thread int suite_is_asking;

static int suite_note_text(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size, (void)unused;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type == PT_LOAD && (header->p_flags & PF_X) != 0) {
            suite_text_start = info->dlpi_addr + header->p_vaddr;
            suite_text_end = suite_text_start + header->p_memsz;
        }
    }
    return 1; /* the first one is the program */
}

static int suite_is_of_program(const void *caller)
{
    if (suite_text_end == 0)
        dl_iterate_phdr(suite_note_text, NULL);
    return (unsigned long)caller >= suite_text_start && (unsigned long)caller < suite_text_end;
}

static void suite_say(const char *line)
{
    truth_add("%s", line);
    truth_print();
}

/* The next line of the tool; the job ends with the tool. */
static const char *suite_listen(void)
{
    static char line[4096];
    if (fgets(line, sizeof line, suite_commands) == NULL)
        _exit(1);
    line[strcspn(line, "\n")] = '\0';
    return line;
}

static void suite_connect(void)
{
    const char *path = getenv("MPIDBG_SUITE");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (path == NULL)
        return;
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    suite_socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(suite_socket, (struct sockaddr *)&address, sizeof address) != 0) {
        perror(path);
        _exit(1);
    }
    suite_commands = fdopen(suite_socket, "r");
    truth_output = suite_socket;
    truth_is_wanted = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &truth_rank);
    truth_add("HELLO {\"rank\":%d,\"pid\":%d}\n", truth_rank, (int)getpid());
    truth_print();
    char *rest = (char *)suite_listen() + strlen("STOPS");
    for (char *end; suite_stop_count < 256; rest = end) {
        const long call = strtol(rest, &end, 10);
        if (end == rest)
            break;
        suite_stop_calls[suite_stop_count++] = call;
    }
}

/* Waits for the program's other threads to leave MPI, where they may stay for as long as it takes. */
static int suite_hold_threads(void)
{
    struct timespec deadline;
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += 1;
    int status = 0;
    suite_is_held = 1;
    while (suite_inside > 0 && status == 0)
        status = pthread_cond_timedwait(&suite_threads_changed, &suite_threads, &deadline);
    return suite_inside;
}

/* Called with suite_threads locked. */
static void suite_stop(const char *call)
{
    const int inside = suite_hold_threads();
    pthread_mutex_unlock(&suite_threads);
    truth_add("STOP {\"call\":\"%s\",\"number\":%ld,\"threadsInside\":%d}", call, suite_calls, inside);
    truth_print();
    suite_list_handles();
    suite_say("HELD");
    const char *command;
    for (command = suite_listen(); strncmp(command, "GO", 2) != 0; command = suite_listen()) {
        if (strcmp(command, "ASK") == 0) {
            suite_is_asking = 1;
            suite_ask_all();
            suite_is_asking = 0;
            suite_say("ASKED");
        }
    }
    suite_tells_leaving = strcmp(command, "GO AND TELL") == 0;
    pthread_mutex_lock(&suite_threads);
    suite_is_held = 0;
    pthread_cond_broadcast(&suite_threads_changed);
}

static int suite_is_due(const char *call)
{
    if (suite_depth > 0 || strcmp(call, suite_last_call) == 0)
        return 0;
    suite_last_call = call;
    suite_calls++;
    if (suite_next_stop >= suite_stop_count || suite_calls < suite_stop_calls[suite_next_stop])
        return 0;
    suite_next_stop++;
    return 1;
}

/* Before a call. No: it is none of the program's own, and passes. */
static int suite_enter(const char *call, const void *caller)
{
    if (suite_socket < 0 || suite_is_asking || !suite_is_of_program(caller))
        return 0;
    pthread_mutex_lock(&suite_threads);
    while (suite_is_held && suite_depth == 0)
        pthread_cond_wait(&suite_threads_changed, &suite_threads);
    if (suite_is_due(call))
        suite_stop(call);
    if (suite_depth++ == 0)
        suite_inside++;
    pthread_mutex_unlock(&suite_threads);
    return 1;
}

static void suite_leave(void)
{
    pthread_mutex_lock(&suite_threads);
    if (--suite_depth == 0) {
        suite_inside--;
        if (suite_tells_leaving)
            suite_say("LEFT");
        suite_tells_leaving = 0;
    }
    pthread_cond_broadcast(&suite_threads_changed);
    pthread_mutex_unlock(&suite_threads);
}

/* MPI_Finalize: the last stop, where what is left is all there is. */
static void suite_end(void)
{
    pthread_mutex_lock(&suite_threads);
    if (suite_stop_count > 0)
        suite_stop("MPI_Finalize");
    pthread_mutex_unlock(&suite_threads);
    truth_add("CALLS %ld", suite_calls);
    truth_print();
    close(suite_socket);
    suite_socket = -1;
}

#endif
