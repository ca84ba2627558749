/* signal-calls.c - older functions that set handlers of signals, each as glibc's, by way of sigaction. */
#define _GNU_SOURCE
#include <errno.h>
#include "deaths.h"

static sighandler_t change_by(int number, sighandler_t handler, int flags, bool blocks_itself)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags}, was;
    if (handler == SIG_ERR) {
        errno = EINVAL;
        return SIG_ERR;
    }
    if (blocks_itself)
        sigaddset(&action.sa_mask, number);
    return signals_change(number, &action, &was) == 0 ? was.sa_handler : SIG_ERR;
}

static bool interrupt[MAX_SIGNAL + 1]; /* a system call does not go on; by siginterrupt() */

#define CHANGES_BY(name, flags, blocks_itself)                               \
    HOOK_IN_C(name)                                                          \
    sighandler_t BEFORE(name)(int number, sighandler_t handler)              \
    {                                                                        \
        sighandler_t (*next)(int, sighandler_t) = next_of(&hook_##name);     \
        if (!signals_watch(number))                                          \
            return next(number, handler);                                    \
        return change_by(number, handler, flags, blocks_itself);             \
    }
CHANGES_BY(signal, interrupt[number] ? 0 : SA_RESTART, true)
CHANGES_BY(bsd_signal, interrupt[number] ? 0 : SA_RESTART, true)
CHANGES_BY(ssignal, interrupt[number] ? 0 : SA_RESTART, true)
CHANGES_BY(sysv_signal, (int)(SA_RESETHAND | SA_NODEFER), false)
CHANGES_BY(__sysv_signal, (int)(SA_RESETHAND | SA_NODEFER), false)

/* It answers by the mask of the thread, and changes it. */
HOOK_IN_C(sigset)
sighandler_t BEFORE(sigset)(int number, sighandler_t handler)
{
    sighandler_t (*next)(int, sighandler_t) = next_of(&hook_sigset);
    if (!signals_watch(number))
        return next(number, handler);
    const bool is_to_hold = handler == SIG_HOLD;
    const struct sigaction action = {.sa_handler = handler};
    struct sigaction was;
    sigset_t only, before;
    if (signals_change(number, is_to_hold ? NULL : &action, &was) != 0)
        return SIG_ERR;
    sigemptyset(&only);
    sigaddset(&only, number);
    sigprocmask(is_to_hold ? SIG_BLOCK : SIG_UNBLOCK, &only, &before);
    return sigismember(&before, number) == 1 ? SIG_HOLD : was.sa_handler;
}

HOOK_IN_C(sigignore)
int BEFORE(sigignore)(int number)
{
    return signals_change(number, &(struct sigaction){.sa_handler = SIG_IGN}, NULL);
}

/* libc keeps the flag for signal(), too. */
HOOK_IN_C(siginterrupt)
int BEFORE(siginterrupt)(int number, int interrupts)
{
    int (*next)(int, int) = next_of(&hook_siginterrupt);
    struct sigaction action;
    if (!signals_watch(number))
        return next(number, interrupts);
    if (signals_change(number, NULL, &action) != 0)
        return -1;
    interrupt[number] = interrupts != 0;
    action.sa_flags = interrupts ? action.sa_flags & ~SA_RESTART : action.sa_flags | SA_RESTART;
    return signals_change(number, &action, NULL);
}
