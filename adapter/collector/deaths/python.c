/*
 * python.c - where a rank's program in Python is, as Python itself prints it for such ends (faulthandler): without its lock, and
 * without memory of its own.
 */
#define _GNU_SOURCE
#include "../native/presence.h"
#include <fcntl.h>
#include <setjmp.h>
#include <string.h>
#include <sys/syscall.h>
#include "deaths.h"

/* int and void *: a file descriptor and a PyThreadState. NULL: no Python, or one that does not give them away (3.13 and later). */
static void (*dump_traceback)(int, void *);
static void *(*thread_state)(void);
static int (*is_initialized)(void);

static bool is_own_program, has_uncaught;

/* "python3.11": not a program that has Python inside. */
static bool is_program_of_python(void)
{
    char path[4096];
    const long length = SYSTEM(SYS_readlink, "/proc/self/exe", path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    const char *name = strrchr(path, '/');
    return name != NULL && strncmp(name, "/python", sizeof "/python" - 1) == 0;
}

void python_find(void)
{
    is_own_program = is_program_of_python();
    *(void **)&is_initialized = first_symbol("Py_IsInitialized");
    *(void **)&thread_state = first_symbol("PyGILState_GetThisThreadState");
    *(void **)&dump_traceback = first_symbol("_Py_DumpTraceback");
}

bool python_is_over(void)
{
    return is_initialized != NULL && !is_initialized();
}

static sigjmp_buf unreadable;
static int reader;

/* What Python keeps may be damaged: that is no death of its own. Other threads come again, until their handler is back. */
static void leave(int number)
{
    (void)number;
    if (thread_number() == reader)
        siglongjmp(unreadable, 1);
}

enum { FAULTS = 2 };
static const int faults[FAULTS] = {SIGSEGV, SIGBUS};

static void dump_safely(int to, void *state)
{
    const uint64_t mask = 1ull << (SIGSEGV - 1) | 1ull << (SIGBUS - 1);
    struct sigaction before[FAULTS], ours = {.sa_handler = leave, .sa_flags = SA_ONSTACK | SA_NODEFER};
    uint64_t blocked = 0;
    reader = thread_number();
    for (int i = 0; i < FAULTS; i++)
        signals_set_directly(faults[i], &ours, &before[i]);
    SYSTEM(SYS_rt_sigprocmask, SIG_UNBLOCK, &mask, &blocked, sizeof mask);
    if (sigsetjmp(unreadable, 0) == 0)
        dump_traceback(to, state);
    SYSTEM(SYS_rt_sigprocmask, SIG_SETMASK, &blocked, 0, sizeof blocked);
    for (int i = 0; i < FAULTS; i++)
        signals_set_directly(faults[i], &before[i], NULL);
}

/* For this thread, in which Python may be at work. Empty: unknown. */
static void dump_stack(char *words, size_t size)
{
    int ends[2];
    void *state = thread_state == NULL ? NULL : thread_state();
    *words = '\0';
    if (dump_traceback == NULL || state == NULL || SYSTEM(SYS_pipe2, ends, O_NONBLOCK | O_CLOEXEC) != 0)
        return;
    dump_safely(ends[1], state);
    const long length = SYSTEM(SYS_read, ends[0], words, size - 1);
    words[length > 0 ? length : 0] = '\0';
    SYSTEM(SYS_close, ends[0]);
    SYSTEM(SYS_close, ends[1]);
}

void fill_python(struct mpidbg_death *death)
{
    if (is_initialized == NULL)
        return;
    if (!python_is_over()) {
        if (death->kind == DEATH_MPI_ABORT)
            fatal_exception_of_python(death->words, sizeof death->words);
        return dump_stack(death->python, sizeof death->python);
    }
    death->flags |= DEATH_PYTHON_IS_OVER;
    /* One that the program has caught, and printed, has not ended it. */
    if (has_uncaught || dump_traceback == NULL)
        traceback_of_python(death->python, sizeof death->python);
}

void python_has_written(const char *begin)
{
    static const char traceback[] = "Traceback (most recent call last):";
    static char stack[sizeof ((struct mpidbg_death *)0)->python];
    if (!is_own_program || thread_number() != (int)SYSTEM(SYS_getpid) || strncmp(begin, traceback, sizeof traceback - 1) != 0 ||
        !deaths_is_own_process() || python_is_over())
        return;
    /* Python itself prints an exception when all functions of the program have been left. */
    dump_stack(stack, sizeof stack);
    has_uncaught = strstr(stack, "<no Python frame>") != NULL;
}

bool python_ended_by_exception(void)
{
    return has_uncaught && is_initialized != NULL && python_is_over();
}
