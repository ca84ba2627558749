/* faults.c - the first fault that a handler of the program's own took: the program may recover from it, or end because of it. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/syscall.h>
#include "deaths.h"

static struct {
    int thread, signal, code, is_on_alternate_stack;
    uint64_t address, time, handler;
    ucontext_t at;
    const ucontext_t *kernels; /* the one that the handler got */
} fault;
static _Atomic int is_noted;

static bool is_on_alternate_stack(void)
{
    stack_t now = {0};
    SYSTEM(SYS_sigaltstack, 0, &now);
    return now.ss_flags & SS_ONSTACK;
}

static uint64_t general(const ucontext_t *context, int number)
{
    return (uint64_t)context->uc_mcontext.gregs[number];
}

void note_fault(int number, const siginfo_t *info, const ucontext_t *context, bool is_on_alternate, uint64_t handler)
{
    /* One that was recovered from gives way to the next. */
    if (is_noted && (fault.thread != thread_number() || fault_stands(general(context, REG_RSP))))
        return;
    fault.thread = thread_number();
    fault.signal = number;
    fault.code = info->si_code;
    fault.is_on_alternate_stack = is_on_alternate;
    fault.address = (uint64_t)info->si_addr;
    fault.time = monotonic();
    fault.handler = handler;
    /* The kernel's is shorter than libc's. */
    memcpy(&fault.at, context, offsetof(ucontext_t, uc_sigmask));
    fault.kernels = context;
    is_noted = 1;
}

bool fault_stands(uint64_t sp)
{
    if (!is_noted || fault.thread != thread_number() || sp >= (uint64_t)fault.kernels)
        return false;
    if (fault.is_on_alternate_stack && !is_on_alternate_stack())
        return false;
    return general(fault.kernels, REG_RIP) == general(&fault.at, REG_RIP) &&
           general(fault.kernels, REG_RSP) == general(&fault.at, REG_RSP);
}

bool is_echo_of_fault(const siginfo_t *info, const ucontext_t *context)
{
    if (!is_noted || fault.thread != thread_number() || info->si_code > 0 ||
        info->si_pid != (int)SYSTEM(SYS_getpid))
        return false;
    const bool has_returned = general(context, REG_RIP) == general(&fault.at, REG_RIP) &&
                              general(context, REG_RSP) == general(&fault.at, REG_RSP);
    return has_returned || fault_stands(general(context, REG_RSP));
}

void fill_fault(struct mpidbg_death *death)
{
    if (!is_noted)
        return;
    death->fault.signal = fault.signal;
    death->fault.code = fault.code;
    death->fault.tid = (uint32_t)fault.thread;
    death->fault.address = fault.address;
    death->fault.time = fault.time;
    death->fault.rip = general(&fault.at, REG_RIP);
    death->fault.rsp = general(&fault.at, REG_RSP);
    death->fault.rbp = general(&fault.at, REG_RBP);
}

void fill_from_fault(struct mpidbg_death *death)
{
    fill_context(death, &fault.at);
    death->signal = fault.signal;
    death->signal_code = fault.code;
    death->address = fault.address;
    death->handler = fault.handler;
}
