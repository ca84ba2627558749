/*
 * signal-stack.c - the alternate signal stack of the thread that initialises MPI.
 *
 * MPI_T loads all components of Open MPI, those of UCX too, which gives the thread an alternate stack for its handlers; MPI_Init unloads it where
 * it is of no use, and the stack is left. Where no handler is left that runs on it, the thread gets back what it had.
 */
#include <signal.h>
#include "collector.h"

static __thread __attribute__((tls_model("initial-exec"))) stack_t before, during;

void signal_stack_before_mpi_t(void)
{
    sigaltstack(NULL, &before);
}

void signal_stack_of_mpi_t(void)
{
    sigaltstack(NULL, &during);
}

static bool is_needed(void)
{
    for (int number = 1; number <= SIGRTMAX; number++) {
        struct sigaction action;
        if (sigaction(number, NULL, &action) == 0 && action.sa_flags & SA_ONSTACK && action.sa_handler != SIG_DFL &&
            action.sa_handler != SIG_IGN)
            return true;
    }
    return false;
}

void signal_stack_give_back(void)
{
    stack_t now;
    const bool is_of_mpi_t = during.ss_sp != before.ss_sp && sigaltstack(NULL, &now) == 0 && now.ss_sp == during.ss_sp;
    if (is_of_mpi_t && !is_needed())
        sigaltstack(&before, NULL);
}
