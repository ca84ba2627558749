/*
 * signal-frame.c - the frame that the kernel has made for a handler, on a stack that the program's handler would not have got: it is moved
 * to the thread's own stack, where the kernel would have put it.
 */
#define _GNU_SOURCE
#include "signal-frame.h"
#include <string.h>
#include <sys/syscall.h>
#include "deaths.h"

/* Below the stack pointer, for functions that call none (System V ABI). */
enum { RED_ZONE = 128, PAGE = 4096, MAX_FRAME = 64 * 1024 };

static bool is_within(uint64_t address, const stack_t *stack)
{
    return address - (uint64_t)stack->ss_sp < stack->ss_size;
}

bool is_moved_to(const ucontext_t *context, const void *frame)
{
    const uint64_t sp = (uint64_t)context->uc_mcontext.gregs[REG_RSP];
    return is_within((uint64_t)frame, &context->uc_stack) && !is_within(sp, &context->uc_stack);
}

/* The kernel writes to it, as it would have for the frame: this lets a stack grow, and fails where it may not. */
static bool can_write(uint64_t address)
{
    return SYSTEM(SYS_rt_sigprocmask, SIG_BLOCK, 0, address & ~7ull, sizeof(uint64_t)) == 0;
}

/* The end of the frame: of what the kernel has saved of the registers of vectors. */
static uint64_t end_of_frame(const ucontext_t *context)
{
    enum { BYTES_OF_FXSAVE = 512, BYTES_TOLD = sizeof(struct _fpx_sw_bytes) };
    const uint64_t registers = (uint64_t)context->uc_mcontext.fpregs;
    if (registers == 0)
        return (uint64_t)context + offsetof(ucontext_t, uc_sigmask) + sizeof(uint64_t) + sizeof(siginfo_t);
    const struct _fpx_sw_bytes *told = (const void *)(registers + BYTES_OF_FXSAVE - BYTES_TOLD);
    return registers + (told->magic1 == FP_XSTATE_MAGIC1 ? told->extended_size : BYTES_OF_FXSAVE);
}

int64_t way_to_own_stack(const ucontext_t *context, const void *frame)
{
    const uint64_t sp = (uint64_t)context->uc_mcontext.gregs[REG_RSP], from = (uint64_t)frame;
    const uint64_t length = end_of_frame(context) - from;
    if (length > MAX_FRAME)
        return 0;
    /* Saved registers are aligned to 64 bytes. */
    uint64_t to = sp - RED_ZONE - length;
    to -= (to - from) % 64;
    for (uint64_t page = (sp - RED_ZONE) & ~(uint64_t)(PAGE - 1); page + PAGE > to; page -= PAGE)
        if (!can_write(page < to ? to : page))
            return 0;
    return (int64_t)(to - from);
}

void move_frame(const ucontext_t *context, const void *frame, int64_t way)
{
    memcpy((char *)frame + way, frame, end_of_frame(context) - (uint64_t)frame);
    ucontext_t *moved = (ucontext_t *)((char *)context + way);
    if (moved->uc_mcontext.fpregs != NULL)
        moved->uc_mcontext.fpregs = (fpregset_t)((char *)moved->uc_mcontext.fpregs + way);
}
