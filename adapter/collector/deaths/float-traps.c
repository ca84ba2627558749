/*
 * float-traps.c - the floating point operation that makes the first NaN or infinity ends the rank, or is only told. MPIDBG_TRAP_FP has the kinds.
 *
 * The processor traps what MXCSR of a thread does not mask; x87 is left alone. The thread that calls MPI_Init traps from its return, threads
 * that the program or its libraries start trap from their start, those of MPI's libraries never. Libraries such as BLAS start some before
 * the program and we begin: a signal tells these. What the program itself has unmasked stays
 * its own: libc sets the masks of x87 along with those of MXCSR, so that they tell what it wants.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include "deaths.h"

/* Flags of MXCSR; their masks lie MASKS bits above. */
enum { INVALID = 1, ZERO = 4, OVERFLOW = 8, FLAGS = 0x3f, MASKS = 7 };
enum { TRAP_FLAG = 0x100 }; /* of the processor's flags: a trap behind the next instruction */

static uint32_t wanted;
static bool is_rank;
/* The rank goes on behind the first of each kind, whose flags are in `over` then. */
static bool goes_on;
static _Atomic uint32_t over;

static uint32_t still_wanted(void)
{
    return wanted & ~over;
}

/*
 * probed: the instruction that runs once more with its flags alone, before: what they were. is_stepping: it runs without traps,
 * unmasked: those that come back then. told: what the instruction makes that mpidbg has been told of. programs: unmasked by the program when traps began.
 */
OF_THREAD struct {
    bool is_trapping, is_stepping, was_trap_blocked;
    uint32_t programs, before, unmasked, told;
    unsigned calls_of_init;
    uint64_t probed;
} thread;

static uint32_t control(void)
{
    uint32_t now;
    __asm__ volatile("stmxcsr %0" : "=m"(now));
    return now;
}

static void set_control(uint32_t now)
{
    __asm__ volatile("ldmxcsr %0" : : "m"(now));
}

static uint32_t unmasked_in(uint32_t mxcsr)
{
    return ~(mxcsr >> MASKS) & FLAGS;
}

static void trap(void)
{
    if (!thread.is_trapping)
        thread.programs |= unmasked_in(control());
    thread.is_trapping = true;
    set_control(control() & ~(still_wanted() << MASKS));
}

static void mask_ours(void)
{
    if (thread.is_trapping)
        set_control(control() | (wanted & ~thread.programs) << MASKS);
}

/* ---- where traps begin ---- */

bool float_traps_are_wanted(void)
{
    return wanted != 0;
}

struct float_start float_traps_pass_on(const void *caller)
{
    if (wanted == 0 || !(is_rank || deaths_has_mpi()))
        return (struct float_start){0, false, false};
    return (struct float_start){thread.programs, owner_of(caller) != OWNER_MPI, thread.is_trapping};
}

void float_traps_begin_thread(struct float_start start)
{
    if (wanted == 0)
        return;
    /* It has what its creator had. */
    thread.programs = start.programs;
    thread.is_trapping = start.was_trapping;
    if (start.is_wanted) {
        trap();
    } else {
        mask_ours();
        thread.is_trapping = false;
    }
}

/* While MPI initializes itself, nothing traps: its own arithmetic and its own threads are not the program's. */
static long init(struct hook *hook, long a, long b, long c, long d)
{
    long (*next)(long, long, long, long) = next_of(hook);
    if (thread.calls_of_init++ == 0)
        mask_ours();
    const long result = next(a, b, c, d);
    if (--thread.calls_of_init == 0 && deaths_is_own_process())
        trap();
    return result;
}

#define INITS(each)                                                                                                            \
    each(MPI_Init) each(MPI_Init_thread) each(MPI_Session_init) each(PMPI_Init) each(PMPI_Init_thread) each(PMPI_Session_init) \
    each(mpi_init_) each(mpi_init_thread_) each(mpi_session_init_) each(mpi_init_f08_) each(mpi_init_thread_f08_)              \
    each(mpi_session_init_f08_)
#define INSTEAD_OF(name)                                    \
    extern struct hook hook_##name;                         \
    static long init_by_##name(long a, long b, long c, long d) \
    {                                                       \
        return init(&hook_##name, a, b, c, d);              \
    }
INITS(INSTEAD_OF)

void float_traps_begin(void)
{
    static const struct { const char *name; uint32_t flag; } kinds[] = {{"invalid", INVALID}, {"zero", ZERO}, {"overflow", OVERFLOW}};
    const char *words = getenv("MPIDBG_TRAP_FP");
    for (unsigned i = 0; words != NULL && i < sizeof kinds / sizeof *kinds; i++)
        if (strstr(words, kinds[i].name) != NULL)
            wanted |= kinds[i].flag;
    goes_on = words != NULL && strstr(words, "goes-on") != NULL;
    if (wanted == 0)
        return;
#define ENTER_INSTEAD(name) hook_##name.instead = (void *)init_by_##name;
    INITS(ENTER_INSTEAD)
    is_rank = deaths_is_rank();
}

/* MPI's libraries start none before MPI_Init. */
void float_traps_tell_threads(void)
{
    const int own = thread_number();
    const long process = SYSTEM(SYS_getpid);
    siginfo_t told = {.si_signo = SIGFPE, .si_code = SI_QUEUE};
    told.si_value.sival_ptr = &wanted;
    struct dirent *each;
    DIR *threads = wanted != 0 && is_rank ? opendir("/proc/self/task") : NULL;
    if (threads == NULL)
        return;
    while ((each = readdir(threads)) != NULL) {
        const int number = atoi(each->d_name);
        if (number > 0 && number != own)
            SYSTEM(SYS_rt_tgsigqueueinfo, process, number, SIGFPE, &told);
    }
    closedir(threads);
}

/* To this thread. */
static bool is_told_to_trap(const siginfo_t *info)
{
    return info->si_code == SI_QUEUE && info->si_value.sival_ptr == &wanted;
}

static void trap_behind(ucontext_t *context)
{
    struct _libc_fpstate *registers = context->uc_mcontext.fpregs;
    thread.programs |= unmasked_in(registers->mxcsr);
    thread.is_trapping = true;
    registers->mxcsr &= ~(still_wanted() << MASKS);
}

/* These set all masks anew: ours stay open. feholdexcept() is meant to mask all for a while, and does. */
#define KEEPS_TRAPPING(name, Argument)                       \
    HOOK_IN_C(name)                                          \
    int BEFORE(name)(Argument argument)                      \
    {                                                        \
        int (*next)(Argument) = next_of(&hook_##name);       \
        const int result = next(argument);                   \
        if (thread.is_trapping && deaths_is_own_process())   \
            trap();                                          \
        return result;                                       \
    }
KEEPS_TRAPPING(fesetenv, const void *)
KEEPS_TRAPPING(feupdateenv, const void *)
KEEPS_TRAPPING(fesetmode, const void *)
KEEPS_TRAPPING(fedisableexcept, int)

/* ---- when one is made ---- */

struct trapped { const siginfo_t *info; const ucontext_t *context; uint32_t flags; };

static void fill(struct mpidbg_death *death, const void *what)
{
    const struct trapped *trapped = what;
    death->signal = SIGFPE;
    death->signal_code = trapped->info->si_code;
    death->address = (uint64_t)trapped->info->si_addr;
    death->float_flags = trapped->flags;
    if (goes_on)
        death->flags |= DEATH_GOES_ON;
    fill_context(death, trapped->context);
}

/* This instruction, and all that follow it. */
static void go_on(struct _libc_fpstate *registers, uint64_t pc, uint32_t kinds)
{
    if (thread.probed == pc)
        registers->mxcsr |= thread.before;
    thread.probed = 0;
    registers->mxcsr |= kinds << MASKS;
}

/* A comparison, or a conversion to an integer: what it is asked about is a NaN already. */
static bool makes_no_number(const uint8_t *code)
{
    while (*code == 0x66 || *code == 0xf2 || *code == 0xf3 || (*code & 0xf0) == 0x40)
        code++;
    const uint8_t *opcode = *code == 0x0f ? code + 1 : *code == 0xc5 ? code + 2 : *code == 0xc4 ? code + 3 : *code == 0x62 ? code + 4 : NULL;
    return opcode != NULL && (*opcode == 0x2c || *opcode == 0x2d || *opcode == 0x2f);
}

/* So many of them are passed over in a rank that goes on, each of which takes two signals. */
enum { MAX_PASSED = 1000 };
static _Atomic unsigned passed;

static bool is_passed_over(uint32_t made, const uint8_t *code)
{
    return goes_on && made == INVALID && makes_no_number(code) && passed++ < MAX_PASSED;
}

/* The instruction computes what it would have, and the next one traps again. */
static void step_over(ucontext_t *context, uint32_t ours)
{
    thread.unmasked = ours;
    thread.is_stepping = true;
    thread.was_trap_blocked = sigismember(&context->uc_sigmask, SIGTRAP) == 1;
    sigdelset(&context->uc_sigmask, SIGTRAP);
    context->uc_mcontext.fpregs->mxcsr |= ours << MASKS;
    context->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
}

static enum float_signal take_step(const siginfo_t *info, ucontext_t *context)
{
    if (!thread.is_stepping || info->si_code <= 0)
        return FLOAT_IS_NOT_OURS;
    thread.is_stepping = false;
    if (thread.was_trap_blocked)
        sigaddset(&context->uc_sigmask, SIGTRAP);
    context->uc_mcontext.fpregs->mxcsr &= ~(thread.unmasked << MASKS);
    context->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
    return FLOAT_GOES_ON;
}

enum float_signal float_traps_take(int number, const siginfo_t *info, ucontext_t *context)
{
    if (wanted == 0 || context->uc_mcontext.fpregs == NULL)
        return FLOAT_IS_NOT_OURS;
    if (number == SIGTRAP)
        return take_step(info, context);
    if (number == SIGFPE && is_told_to_trap(info)) {
        trap_behind(context);
        return FLOAT_GOES_ON;
    }
    if (number != SIGFPE || info->si_code < FPE_FLTDIV)
        return FLOAT_IS_NOT_OURS;
    struct _libc_fpstate *registers = context->uc_mcontext.fpregs;
    const uint64_t pc = (uint64_t)context->uc_mcontext.gregs[REG_RIP];
    const uint32_t unmasked = unmasked_in(registers->mxcsr), programs = (~registers->cwd & FLAGS) | thread.programs;
    const uint32_t ours = wanted & unmasked & ~programs;
    if (ours == 0)
        return FLOAT_IS_NOT_OURS;
    if (thread.told != 0 && !goes_on)
        return FLOAT_DIES;
    if (thread.told != 0) {
        over |= thread.told;
        thread.told = 0;
        report_is_no_end();
    }
    if ((ours & over) != 0) {
        go_on(registers, pc, ours & over);
        return FLOAT_GOES_ON;
    }
    /* The flags have all that has happened before, and the code of the signal is made of them. */
    if (thread.probed != pc) {
        thread.probed = pc;
        thread.before = registers->mxcsr & FLAGS;
        registers->mxcsr &= ~(uint32_t)FLAGS;
        return FLOAT_GOES_ON;
    }
    const uint32_t made = registers->mxcsr & unmasked;
    thread.probed = 0;
    registers->mxcsr |= thread.before;
    /* x87 sets flags of its own. */
    if ((made & ours) == 0 || (made & programs) != 0)
        return FLOAT_IS_NOT_OURS;
    if (!deaths_is_own_process())
        registers->mxcsr |= ours << MASKS;
    else if (is_below_mpi((const void *)pc) || is_passed_over(made, (const uint8_t *)pc))
        step_over(context, ours);
    else {
        const struct trapped trapped = {info, context, made};
        report(DEATH_FLOAT, fill, &trapped);
        /* Once more, so that a debugger that has come meanwhile sees it in the processor's registers. */
        thread.told = made & ours;
    }
    return FLOAT_GOES_ON;
}
