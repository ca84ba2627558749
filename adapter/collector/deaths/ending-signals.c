/*
 * ending-signals.c - signals that end a process unless it does something about them. Some are errors of the program. The others are events
 * that programs wait for, which may come often: those are ours only as long as the program has nothing to do with them.
 */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include "deaths.h"

static bool is_one_of(int number, const int *numbers, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (numbers[i] == number)
            return true;
    return false;
}
#define IS_ONE_OF(number, numbers) is_one_of(number, numbers, sizeof(numbers) / sizeof *(numbers))

/* libc's own threads use those between the classical ones and the first that it gives to programs. */
enum { AFTER_CLASSICAL = 32 };

bool signal_ends_process(int number)
{
    static const int others[] = {SIGKILL, SIGSTOP, SIGCHLD, SIGCONT, SIGTSTP, SIGTTIN, SIGTTOU, SIGURG, SIGWINCH};
    const bool is_of_libc = number >= AFTER_CLASSICAL && number < SIGRTMIN;
    return !is_of_libc && !IS_ONE_OF(number, others);
}

bool signal_is_event(int number)
{
    static const int errors[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS, SIGXCPU, SIGXFSZ};
    return !IS_ONE_OF(number, errors);
}

bool is_sent_by_process(const siginfo_t *info)
{
    return info->si_code == SI_USER || info->si_code == SI_QUEUE || info->si_code == SI_TKILL;
}

/* Not by a rank. The launcher, a batch system and the terminal end jobs by these. The rank is not the cause then, and is not to wait. */
bool is_told_to_end(int number, const siginfo_t *info)
{
    static const int tell[] = {SIGTERM, SIGINT, SIGQUIT, SIGHUP};
    if (!IS_ONE_OF(number, tell))
        return false;
    const bool is_of_rank = info->si_pid == (int)SYSTEM(SYS_getpid) || deaths_has_variables_of_rank(info->si_pid);
    return !is_sent_by_process(info) || !is_of_rank;
}
