/*
 * signals.c - a handler beneath the program's for signals that end a process by themselves.
 *
 * The kernel has ours, with the mask and the flags of the program's; `kept` is what the program has set, and is told. Where that is the
 * default, or a handler of a library that never recovers, the signal is reported at once; where it is the program's own, the fault is noted, and is
 * reported when the handler ends the process. Then the kept handler is entered by a jump with the kernel's frame, or the default happens.
 * SIG_IGN is left to the kernel, and so are handlers of the program's for signals that are no errors (ending-signals.c).
 */
#define _GNU_SOURCE
#include "../native/presence.h"
#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include "deaths.h"
#include "signal-frame.h"

static struct kept {
    bool is_watched, never_recovers;
    _Atomic bool is_spent; /* The handler was for one signal (SA_RESETHAND), which has come. */
    struct sigaction action;
} kept[MAX_SIGNAL + 1];
static char *const *abort_message; /* __abort_msg of libc */

void deaths_signal(int number, siginfo_t *info, void *context);

static bool is_ours(const struct sigaction *action)
{
    return action->sa_sigaction == deaths_signal;
}

bool signals_watch(int number)
{
    return number > 0 && number <= MAX_SIGNAL && kept[number].is_watched;
}

/* ---- when a signal comes ---- */

struct died { int number; const siginfo_t *info; const ucontext_t *context; bool is_stack_full; };

static uint64_t pc_of(const ucontext_t *context)
{
    return (uint64_t)context->uc_mcontext.gregs[REG_RIP];
}

static uint64_t sp_of(const ucontext_t *context)
{
    return (uint64_t)context->uc_mcontext.gregs[REG_RSP];
}

static bool is_fault(int number, const siginfo_t *info)
{
    const bool has_address = number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL || number == SIGTRAP;
    return has_address && info->si_code > 0;
}

static void fill(struct mpidbg_death *death, const void *what)
{
    const struct died *died = what;
    death->signal = died->number;
    death->signal_code = died->info->si_code;
    if (is_sent_by_process(died->info)) {
        death->flags |= DEATH_SENT;
        death->sender = died->info->si_pid;
    } else if (is_fault(died->number, died->info)) {
        death->address = (uint64_t)died->info->si_addr;
    }
    fill_context(death, died->context);
    /* The trap of a breakpoint instruction comes behind it. */
    if (died->number == SIGTRAP && died->info->si_code == SI_KERNEL)
        death->flags |= DEATH_AT_CALL;
    if (died->is_stack_full)
        death->flags |= DEATH_STACK_IS_FULL;
    /* A length, and the text. */
    if (died->number == SIGABRT && abort_message != NULL && *abort_message != NULL)
        copy_bytes(death->words, sizeof death->words, *abort_message + sizeof(unsigned),
                   strnlen(*abort_message + sizeof(unsigned), sizeof death->words));
    for (size_t length = strlen(death->words); length > 0 && death->words[length - 1] == '\n';)
        death->words[--length] = '\0';
}

static void fill_echo(struct mpidbg_death *death, const void *what)
{
    (void)what;
    fill_from_fault(death);
}

static void fill_noted(struct mpidbg_death *death, const void *what)
{
    const struct died *died = what;
    const struct note *note = standing_note(sp_of(died->context));
    death->signal = died->number;
    death->signal_code = died->info->si_code;
    fill_place(death, &note->call);
    if (note->fill != NULL)
        note->fill(death, &note->call);
}

static void report_signal(const struct died *died)
{
    const uint64_t sp = sp_of(died->context);
    const struct note *note = died->number == SIGABRT ? standing_note(sp) : NULL;
    if (is_echo_of_fault(died->info, died->context))
        report(DEATH_SIGNAL, fill_echo, died);
    else
        report(note != NULL ? note->kind : DEATH_SIGNAL, note != NULL ? fill_noted : fill, died);
}

/* ---- handlers of SIGABRT that return ---- */

/*
 * abort() ends the process when such a handler has returned, by a signal that the kernel does not show us. So a second SIGABRT with our sign is queued
 * while the handler has it blocked: it comes where the first one came, as soon as the handler returns. Whoever leaves the handler otherwise gets it
 * elsewhere, or never, and it is passed over.
 */
static const char sign_of_abort;
OF_THREAD struct { uint64_t pc, sp; } aborting;

static void watch_return_into_abort(int number, const ucontext_t *context, int flags)
{
    const bool is_in_abort = standing_note(sp_of(context)) != NULL || (abort_message != NULL && *abort_message != NULL);
    if (number != SIGABRT || !is_in_abort || flags & SA_NODEFER || !deaths_is_own_process())
        return;
    siginfo_t info = {.si_signo = SIGABRT, .si_code = SI_QUEUE};
    info.si_pid = (int)SYSTEM(SYS_getpid);
    info.si_value.sival_ptr = (void *)&sign_of_abort;
    aborting.pc = pc_of(context);
    aborting.sp = sp_of(context);
    SYSTEM(SYS_rt_tgsigqueueinfo, info.si_pid, thread_number(), SIGABRT, &info);
}

static bool is_sign_of_abort(int number, const siginfo_t *info)
{
    return number == SIGABRT && info->si_code == SI_QUEUE && info->si_pid == (int)SYSTEM(SYS_getpid) &&
           info->si_value.sival_ptr == &sign_of_abort;
}

static void take_sign_of_abort(const siginfo_t *info, const ucontext_t *context)
{
    if (pc_of(context) == aborting.pc && sp_of(context) == aborting.sp)
        report_signal(&(struct died){SIGABRT, info, context, false});
}

static void set_default(int number)
{
    const struct { void *handler; unsigned long flags; void *restorer; uint64_t mask; } by_default = {0};
    SYSTEM(SYS_rt_sigaction, number, &by_default, 0, sizeof by_default.mask);
}

/* As if there were no handler: the signal comes again, before the thread goes on. */
static void let_die(int number, siginfo_t *info)
{
    set_default(number);
    SYSTEM(SYS_rt_tgsigqueueinfo, SYSTEM(SYS_getpid), thread_number(), number, info);
}

struct next { void *handler; int64_t way; };

static int set(int number, const struct sigaction *action);
static bool stays_ours(int number);

static struct next enter(int number, siginfo_t *info, ucontext_t *context, const void *frame)
{
    const struct sigaction action = kept[number].action;
    /* The kernel ignores no fault. */
    const bool is_ignored = action.sa_handler == SIG_IGN, is_default = action.sa_handler == SIG_DFL || (is_ignored && is_fault(number, info));
    const bool never_recovers = kept[number].never_recovers;
    if (is_sign_of_abort(number, info)) {
        take_sign_of_abort(info, context);
        return (struct next){NULL, 0};
    }
    if (stops_take(number, info, context))
        return (struct next){NULL, 0};
    const enum float_signal floats = float_traps_take(number, info, context);
    if (floats == FLOAT_DIES)
        let_die(number, info);
    if (floats != FLOAT_IS_NOT_OURS)
        return (struct next){NULL, 0};
    const bool is_moved = is_moved_to(context, frame);
    const bool is_to_move = is_moved && (is_our_stack(context->uc_stack.ss_sp) || !(action.sa_flags & SA_ONSTACK));
    const int64_t way = is_moved ? way_to_own_stack(context, frame) : 0;
    const struct died died = {number, info, context, is_moved && way == 0};
    if (is_ignored && !is_default)
        return (struct next){NULL, 0};
    /* Without us, the kernel would have found no room for the handler's frame. */
    const bool is_without_room = is_to_move && way == 0;
    if ((is_default || never_recovers || is_without_room) && !is_told_to_end(number, info))
        report_signal(&died);
    /* Threads of one loop often fault together: the first has the handler, and the others what the kernel then has for them. */
    const bool is_once = !is_default && (action.sa_flags & (int)SA_RESETHAND) != 0;
    const bool is_too_late = is_once && atomic_exchange(&kept[number].is_spent, true);
    if (is_too_late && !never_recovers && !is_told_to_end(number, info))
        report_signal(&died);
    if (is_default || is_without_room || is_too_late) {
        let_die(is_default || is_too_late ? number : SIGSEGV, info);
        return (struct next){NULL, 0};
    }
    if (is_to_move)
        move_frame(context, frame, way);
    if (!never_recovers && is_fault(number, info))
        note_fault(number, info, (const ucontext_t *)((const char *)context + (is_to_move ? way : 0)), is_moved && !is_to_move,
                   (uint64_t)action.sa_sigaction);
    if (!never_recovers)
        watch_return_into_abort(number, context, action.sa_flags);
    /* As the kernel would have when the signal came. */
    if (is_once && never_recovers && !stays_ours(number)) {
        set_default(number);
    } else if (is_once) {
        struct sigaction reset = action;
        reset.sa_handler = SIG_DFL;
        set(number, &reset);
    }
    return (struct next){(void *)action.sa_sigaction, is_to_move ? way : 0};
}

__attribute__((used)) static struct next signal_entered(int number, siginfo_t *info, ucontext_t *context, const void *frame)
{
    const int error = errno;
    const struct next next = enter(number, info, context, frame);
    errno = error;
    return next;
}

__asm__(".text\n.globl deaths_signal\n.hidden deaths_signal\n.type deaths_signal, @function\ndeaths_signal:\n.cfi_startproc\n"
        "push %rdi\n.cfi_adjust_cfa_offset 8\npush %rsi\n.cfi_adjust_cfa_offset 8\npush %rdx\n.cfi_adjust_cfa_offset 8\n"
        "lea 24(%rsp), %rcx\ncall signal_entered\nmov %rdx, %rcx\n"
        "pop %rdx\n.cfi_adjust_cfa_offset -8\npop %rsi\n.cfi_adjust_cfa_offset -8\npop %rdi\n.cfi_adjust_cfa_offset -8\n"
        "test %rax, %rax\njz 1f\n"
        "add %rcx, %rsi\nadd %rcx, %rdx\nadd %rcx, %rsp\nmov %rax, %r11\nxor %eax, %eax\njmp *%r11\n"
        "1: ret\n.cfi_endproc\n.size deaths_signal, . - deaths_signal\n");

/* ---- what the program sets ---- */

HOOK_IN_C(sigaction)

static int real(int number, const struct sigaction *action, struct sigaction *before)
{
    int (*next)(int, const struct sigaction *, struct sigaction *) = next_of(&hook_sigaction);
    return next(number, action, before);
}

void signals_set_directly(int number, const struct sigaction *action, struct sigaction *before)
{
    real(number, action, before);
}

/* True for signals that come also where nothing is wrong. */
static bool stays_ours(int number)
{
    return (float_traps_are_wanted() && (number == SIGFPE || number == SIGTRAP)) || (stops_are_wanted() && number == SIGSEGV);
}

/* What the kernel gets: with the program's flags and mask; always on an alternate stack, from where the frame is moved. */
static struct sigaction beneath(int number, const struct sigaction *action)
{
    const bool is_events = action->sa_handler != SIG_DFL && signal_is_event(number);
    struct sigaction ours = *action;
    if ((action->sa_handler == SIG_IGN || is_events) && !stays_ours(number))
        return ours;
    ours.sa_sigaction = deaths_signal;
    ours.sa_flags |= SA_SIGINFO | SA_ONSTACK;
    /* Another thread may fault before we have the first one's death told. */
    ours.sa_flags &= (int)~SA_RESETHAND;
    return ours;
}

static int set(int number, const struct sigaction *action)
{
    const bool is_handler = action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN;
    const struct kept before = kept[number];
    kept[number].action = *action;
    kept[number].is_spent = false;
    kept[number].never_recovers = is_handler && owner_of((const void *)action->sa_sigaction) != OWNER_PROGRAM;
    const struct sigaction ours = beneath(number, action);
    struct sigaction now;
    const int result = real(number, &ours, NULL);
    if (result != 0 || real(number, NULL, &now) != 0) {
        kept[number] = before;
        return result;
    }
    /* libc and the kernel add flags and leave some out. */
    enum { LAID = SA_SIGINFO | SA_ONSTACK | (int)SA_RESETHAND };
    kept[number].action.sa_flags = (now.sa_flags & ~LAID) | (action->sa_flags & LAID);
    kept[number].action.sa_mask = now.sa_mask;
    kept[number].action.sa_restorer = now.sa_restorer;
    return result;
}

/* What was set before us. */
static void adopt(int number)
{
    struct sigaction now;
    if (real(number, NULL, &now) != 0 || is_ours(&now) || set(number, &now) != 0)
        return;
    /* libc adds a restorer when an action is set; one that was never set has none. */
    kept[number].action.sa_flags = now.sa_flags;
    kept[number].action.sa_restorer = now.sa_restorer;
}

/* One at a time, and no handler of this thread meanwhile. */
static _Atomic int is_locked;

static uint64_t lock(void)
{
    const uint64_t all = ~0ull;
    uint64_t before = 0;
    SYSTEM(SYS_rt_sigprocmask, SIG_BLOCK, &all, &before, sizeof before);
    for (int free = 0; !__atomic_compare_exchange_n((int *)&is_locked, &free, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED); free = 0)
        SYSTEM(SYS_sched_yield);
    return before;
}

static void unlock(uint64_t mask)
{
    is_locked = 0;
    SYSTEM(SYS_rt_sigprocmask, SIG_SETMASK, &mask, 0, sizeof mask);
}

/* The kernel never has the program's for a moment: another thread may get a signal of ours just then. */
int signals_change(int number, const struct sigaction *action, struct sigaction *before)
{
    if (!signals_watch(number))
        return real(number, action, before);
    struct sigaction was, wanted;
    if (action != NULL)
        wanted = *action;
    const bool is_own = deaths_is_own_process();
    const uint64_t mask = lock();
    int result = real(number, NULL, &was);
    if (result == 0 && is_ours(&was))
        was = kept[number].action;
    if (result == 0 && action != NULL)
        result = is_own ? set(number, &wanted) : real(number, &wanted, NULL);
    unlock(mask);
    if (result == 0 && before != NULL)
        *before = was;
    return result;
}

int BEFORE(sigaction)(int number, const struct sigaction *action, struct sigaction *before)
{
    return signals_change(number, action, before);
}

HOOK_IN_C(__sigaction)
int BEFORE(__sigaction)(int number, const struct sigaction *action, struct sigaction *before)
{
    return signals_change(number, action, before);
}

void signals_begin(void)
{
    abort_message = first_symbol("__abort_msg");
    for (int number = 1; number <= MAX_SIGNAL; number++) {
        kept[number].is_watched = signal_ends_process(number);
        if (kept[number].is_watched)
            adopt(number);
    }
}
