/*
 * stops.c - the rank waits for a debugger at a place of its program. MPIDBG_STOP_AT is set where there is one; mpidbg knows its addresses.
 *
 * An instruction that no program may execute stands there until the rank comes: hlt, of one byte. It raises SIGSEGV at its own address, so that
 * under a debugger that came before, and which passes the signal on, the rank goes on as it would have. Everything is as the program has it
 * before the rank waits, and stays so: a rank waits once.
 */
#define _GNU_SOURCE
#include "../native/presence.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include "deaths.h"
#include "stop-record.h"

enum { HALT = 0xf4, MAX_ANSWER = 32 * MAX_PLACES };
/* Milliseconds between two looks for a debugger. */
enum { PERIOD = 100 };

/* A debugger reads it, and may write it while all threads are stopped. */
volatile struct mpidbg_stops mpidbg_stops;
static bool are_wanted, has_asked_at_init;

bool stops_are_wanted(void)
{
    return are_wanted;
}

/* Pages of code are not writable to the program, and stay so. `operation` reads or writes. */
static bool at_code(long operation, uint64_t address, uint8_t *code)
{
    const int memory = (int)SYSTEM(SYS_open, "/proc/self/mem", O_RDWR | O_CLOEXEC);
    if (memory < 0)
        return false;
    const long done = SYSTEM(operation, memory, code, sizeof *code, address);
    SYSTEM(SYS_close, memory);
    return done == sizeof *code;
}

static void set_places(bool stand)
{
    for (unsigned i = 0; i < mpidbg_stops.count; i++) {
        uint8_t code = stand ? HALT : (uint8_t)mpidbg_stops.places[i].code;
        at_code(SYS_pwrite64, mpidbg_stops.places[i].address, &code);
    }
}

static void take_places(const char *answer)
{
    uint32_t count = 0;
    for (const char *at = answer; count < MAX_PLACES;) {
        char *end;
        const uint64_t address = strtoull(at, &end, 16);
        if (end == at)
            break;
        at = end;
        uint8_t code;
        if (!at_code(SYS_pread64, address, &code))
            continue;
        mpidbg_stops.places[count].address = address;
        mpidbg_stops.places[count].code = code;
        count++;
    }
    mpidbg_stops.count = count;
}

static struct mpidbg_stop record_of(enum stop_kind kind, uint32_t flags, uint64_t address)
{
    return (struct mpidbg_stop){.magic = {STOP_MAGIC}, .bytes = sizeof(struct mpidbg_stop), .kind = kind, .flags = flags,
                                .pid = (uint32_t)SYSTEM(SYS_getpid), .rank = deaths_rank, .address = address};
}

static void ask(uint32_t flags)
{
    static char answer[MAX_ANSWER];
    const struct mpidbg_stop record = record_of(STOP_ASKED, flags, 0);
    ask_mpidbg(&record, sizeof record, answer, sizeof answer);
    take_places(answer);
    set_places(true);
}

void stops_begin(void)
{
    are_wanted = getenv("MPIDBG_STOP_AT") != NULL;
}

void stops_ask_at_begin(void)
{
    if (are_wanted)
        ask(0);
}

void stops_ask_at_init(void)
{
    if (!are_wanted || mpidbg_stops.count > 0 || has_asked_at_init || !deaths_is_own_process())
        return;
    has_asked_at_init = true;
    ask(STOP_AT_INIT);
}

static bool is_traced(void)
{
    static const char name[] = "\nTracerPid:\t";
    char status[1024];
    const int file = (int)SYSTEM(SYS_open, "/proc/self/status", O_RDONLY | O_CLOEXEC);
    const long length = file < 0 ? -1 : SYSTEM(SYS_read, file, status, sizeof status - 1);
    if (file >= 0)
        SYSTEM(SYS_close, file);
    status[length < 0 ? 0 : length] = '\0';
    const char *tracer = strstr(status, name);
    return tracer != NULL && tracer[sizeof name - 1] != '0';
}

/* One that only looks holds the rank all the time: the rank sees it twice only if it has let the rank run. */
static bool is_let_run(void)
{
    static bool was_traced;
    const bool now = is_traced(), has_run = now && was_traced;
    was_traced = now;
    return has_run;
}

static bool is_place(uint64_t address)
{
    for (unsigned i = 0; i < mpidbg_stops.count; i++)
        if (mpidbg_stops.places[i].address == address)
            return true;
    return false;
}

bool stops_take(int number, const siginfo_t *info, const ucontext_t *context)
{
    const uint64_t pc = (uint64_t)context->uc_mcontext.gregs[REG_RIP];
    if (number != SIGSEGV || info->si_code <= 0 || !is_place(pc))
        return false;
    set_places(false);
    if (!deaths_is_own_process() || mpidbg_stops.state != STOPS_AWAITED || is_traced())
        return true;
    mpidbg_stops.state = STOPS_COME;
    const struct mpidbg_stop record = record_of(STOP_REACHED, 0, pc);
    wait_at_mpidbg(&record, sizeof record, is_let_run, PERIOD);
    return true;
}

void stops_end(void)
{
    static char answer[2];
    const struct mpidbg_stop record = record_of(STOP_REACHED, STOP_TAKEN, 0);
    if (mpidbg_stops.state == STOPS_TAKEN)
        ask_mpidbg(&record, sizeof record, answer, sizeof answer);
}

/* ---- a thread in which the signal is blocked would be ended by it ---- */

static int change_mask(struct hook *hook, int how, const sigset_t *set, sigset_t *before)
{
    int (*next)(int, const sigset_t *, sigset_t *) = next_of(hook);
    if (mpidbg_stops.count == 0 || mpidbg_stops.state != STOPS_AWAITED || set == NULL || how == SIG_UNBLOCK)
        return next(how, set, before);
    sigset_t without = *set;
    sigdelset(&without, SIGSEGV);
    return next(how, &without, before);
}

#define CHANGES_MASK(name)                                                     \
    HOOK_IN_C(name)                                                            \
    int BEFORE(name)(int how, const sigset_t *set, sigset_t *before)           \
    {                                                                          \
        return change_mask(&hook_##name, how, set, before);                    \
    }
CHANGES_MASK(sigprocmask)
CHANGES_MASK(pthread_sigmask)
