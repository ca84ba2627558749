/*
 * signal-stack.c - the alternate signal stack of the thread that initialises MPI.
 *
 * MPI_T loads all components of Open MPI, those of UCX too, which gives the thread an alternate stack for its handlers; MPI_Init unloads it where
 * it is of no use, and the stack is left. Where no handler is left that runs on it, the thread gets back what it had. All of this as the
 * program is answered: mpidbg-deaths.so, which may stand before libc, has a stack and handlers that it hides.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include "collector.h"

static __thread __attribute__((tls_model("initial-exec"))) stack_t before, during;
static int (*change_stack)(const stack_t *, stack_t *);
static int (*change_handler)(int, const struct sigaction *, struct sigaction *);

void signal_stack_before_mpi_t(void)
{
    *(void **)&change_stack = dlsym(RTLD_DEFAULT, "sigaltstack");
    *(void **)&change_handler = dlsym(RTLD_DEFAULT, "sigaction");
    change_stack(NULL, &before);
}

void signal_stack_of_mpi_t(void)
{
    change_stack(NULL, &during);
}

static bool is_needed(void)
{
    for (int number = 1; number <= SIGRTMAX; number++) {
        struct sigaction action;
        if (change_handler(number, NULL, &action) == 0 && action.sa_flags & SA_ONSTACK && action.sa_handler != SIG_DFL &&
            action.sa_handler != SIG_IGN)
            return true;
    }
    return false;
}

void signal_stack_give_back(void)
{
    stack_t now;
    const bool is_of_mpi_t = during.ss_sp != before.ss_sp && change_stack(NULL, &now) == 0 && now.ss_sp == during.ss_sp;
    if (is_of_mpi_t && !is_needed())
        change_stack(&before, NULL);
}
