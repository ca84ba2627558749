/* set-handlers.c - every function that sets a handler of a signal; prints what each answers, and what sigaction() and the thread's mask say then. */
#define _GNU_SOURCE
#include <errno.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>

sighandler_t bsd_signal(int number, sighandler_t handler);

static void first(int number) { (void)number; }
static void second(int number) { (void)number; }

static const char *name_of(sighandler_t handler)
{
    const struct { sighandler_t handler; const char *name; } names[] = {
        {SIG_DFL, "default"}, {SIG_IGN, "ignored"}, {SIG_ERR, "error"}, {SIG_HOLD, "hold"}, {first, "first"}, {second, "second"}};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (handler == names[i].handler)
            return names[i].name;
    return "another";
}

static void tell(const char *call, int number, const char *answer)
{
    const int error = errno;
    struct sigaction now = {0};
    sigset_t mask;
    sigaction(number, NULL, &now);
    sigprocmask(SIG_BLOCK, NULL, &mask);
    printf("%s for %d: %s, error %d, now %s, flags %x, blocks %d, %d, blocked %d\n", call, number, answer, error, name_of(now.sa_handler),
           (unsigned)now.sa_flags, sigismember(&now.sa_mask, number), sigismember(&now.sa_mask, SIGUSR2), sigismember(&mask, number));
    errno = 0;
}

#define HANDLER(call) tell(#call, number, name_of(call))
#define STATUS(call) tell(#call, number, (call) == 0 ? "done" : "refused")

static void set_all(int number)
{
    HANDLER(signal(number, first));
    HANDLER(signal(number, second));
    HANDLER(signal(number, SIG_ERR));
    HANDLER(sysv_signal(number, first));
    HANDLER(ssignal(number, second));
    STATUS(siginterrupt(number, 1));
    HANDLER(bsd_signal(number, first));
    STATUS(siginterrupt(number, 0));
    HANDLER(signal(number, SIG_IGN));
    HANDLER(sigset(number, second));
    HANDLER(sigset(number, SIG_HOLD));
    HANDLER(sigset(number, SIG_HOLD));
    HANDLER(sigset(number, first));
    HANDLER(sigset(number, SIG_ERR));
    STATUS(sigignore(number));
    STATUS(sighold(number));
    STATUS(sigrelse(number));
    HANDLER(signal(number, SIG_DFL));
}

int main(int argc, char **argv)
{
    const int numbers[] = {SIGFPE, SIGSEGV, SIGTERM, SIGUSR1, SIGCHLD, SIGKILL, 0, -1, 65};
    MPI_Init(&argc, &argv);
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
        set_all(numbers[i]);
    const int number = SIGUSR1;
    sysv_signal(number, first);
    STATUS(raise(number));
    signal(number, second);
    STATUS(raise(number));
    MPI_Finalize();
    return 0;
}
