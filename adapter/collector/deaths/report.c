/* report.c - tells mpidbg, and waits for it. */
#define _GNU_SOURCE
#include "../native/presence.h"
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include "deaths.h"
#include "tell.h"

enum { NOBODY_DIES, IS_DYING, HAS_REPORTED };
static _Atomic int state;
static _Atomic int reporter;
static _Atomic uint64_t deadline;
static struct mpidbg_death death;

/* False: it is over. */
static bool wait_for(int descriptor, int milliseconds, uint64_t until)
{
    struct pollfd waited = {descriptor, POLLIN, 0};
    const uint64_t now = monotonic();
    if (now >= until)
        return false;
    const uint64_t rest = (until - now + 999999) / 1000000;
    const long limit = milliseconds >= 0 && (uint64_t)milliseconds < rest ? milliseconds : (long)rest;
    const long ready = SYSTEM(SYS_poll, &waited, descriptor >= 0, limit);
    return ready == 0 || ready == -EINTR;
}

static int open_socket(void)
{
    return (int)SYSTEM(SYS_socket, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK);
}

/* A program that has used up its descriptors often dies of that: for this one, the limit may be as high as the system lets it be. */
static int open_socket_beyond_limit(void)
{
    struct rlimit limit, most;
    if (SYSTEM(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &limit) != 0)
        return -EMFILE;
    most = limit;
    most.rlim_cur = limit.rlim_max;
    SYSTEM(SYS_prlimit64, 0, RLIMIT_NOFILE, &most, NULL);
    const int descriptor = open_socket();
    SYSTEM(SYS_prlimit64, 0, RLIMIT_NOFILE, &limit, NULL);
    return descriptor;
}

static int connect_to_mpidbg(uint64_t until)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const size_t length = strlen(deaths_socket);
    if (length >= sizeof address.sun_path)
        return -1;
    memcpy(address.sun_path, deaths_socket, length);
    const bool is_abstract = deaths_socket[0] == '@';
    if (is_abstract)
        address.sun_path[0] = '\0';
    const size_t size = is_abstract ? offsetof(struct sockaddr_un, sun_path) + length : sizeof address;
    int descriptor = open_socket();
    if (descriptor == -EMFILE)
        descriptor = open_socket_beyond_limit();
    if (descriptor < 0)
        return -1;
    for (;;) {
        const long result = SYSTEM(SYS_connect, descriptor, &address, size);
        if (result == 0)
            return descriptor;
        /* Many ranks at once, and mpidbg is slower than they are. */
        if ((result != -EAGAIN && result != -EINTR) || !wait_for(-1, 10, until))
            break;
    }
    SYSTEM(SYS_close, descriptor);
    return -1;
}

static bool send_record(int descriptor, const void *record, size_t left, uint64_t until)
{
    const char *at = record;
    while (left > 0) {
        const long sent = SYSTEM(SYS_sendto, descriptor, at, left, MSG_NOSIGNAL);
        if (sent > 0)
            at += sent, left -= (size_t)sent;
        else if ((sent != -EAGAIN && sent != -EINTR) || !wait_for(-1, 10, until))
            return false;
    }
    return true;
}

static void send_and_wait(const void *record, size_t bytes, uint64_t until)
{
    const int descriptor = connect_to_mpidbg(until);
    if (descriptor < 0)
        return;
    if (send_record(descriptor, record, bytes, until))
        while (wait_for(descriptor, -1, until))
            continue;
    SYSTEM(SYS_close, descriptor);
}

static uint64_t end_of_patience(void)
{
    return monotonic() + (uint64_t)deaths_seconds * 1000000000u;
}

void mpidbg_tell(const void *record, size_t bytes)
{
    if (deaths_is_rank())
        send_and_wait(record, bytes, end_of_patience());
}

void ask_mpidbg(const void *record, size_t bytes, char *answer, size_t size)
{
    const uint64_t until = end_of_patience();
    const int descriptor = connect_to_mpidbg(until);
    size_t length = 0;
    if (descriptor >= 0 && send_record(descriptor, record, bytes, until))
        for (long got = 1; got != 0 && length + 1 < size && monotonic() < until;) {
            while (wait_for(descriptor, -1, until))
                continue;
            got = SYSTEM(SYS_read, descriptor, answer + length, size - 1 - length);
            length += got > 0 ? (size_t)got : 0;
            if (got < 0 && got != -EAGAIN && got != -EINTR)
                break;
        }
    answer[length] = '\0';
    if (descriptor >= 0)
        SYSTEM(SYS_close, descriptor);
}

static void begin_record(enum death_kind kind)
{
    death = (struct mpidbg_death){.magic = {DEATH_MAGIC}, .bytes = sizeof death, .kind = kind};
    death.pid = (uint32_t)SYSTEM(SYS_getpid);
    death.time = monotonic();
    death.rank = deaths_rank;
    death.status = -1;
}

void announce_begin(void)
{
    begin_record(DEATH_NOT_YET);
    send_and_wait(&death, sizeof death, monotonic() + 1000000000u);
}

/* Whoever ends the job still can; handlers of the program's that run by timers cannot, in a thread that would be gone. */
static uint64_t block_signals(void)
{
    const uint64_t blocked = ~(1ull << (SIGTERM - 1) | 1ull << (SIGINT - 1) | 1ull << (SIGQUIT - 1) | 1ull << (SIGHUP - 1));
    uint64_t before = 0;
    SYSTEM(SYS_rt_sigprocmask, SIG_BLOCK, &blocked, &before, sizeof before);
    return before;
}

void report(enum death_kind kind, Fill *fill, const void *what)
{
    const int thread = thread_number();
    int expected = NOBODY_DIES;
    if (reporter == thread || !deaths_is_rank())
        return;
    const uint64_t mask = block_signals();
    if (__atomic_compare_exchange_n((int *)&state, &expected, IS_DYING, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
        reporter = thread;
        deadline = end_of_patience();
        begin_record(kind);
        death.tid = (uint32_t)thread;
        fill_mpi_state(&death);
        fill_written(&death);
        fill_fault(&death);
        fill_python(&death);
        fill(&death, what);
        fill_handled_error(&death);
        fill_caught_exception(&death);
        send_and_wait(&death, sizeof death, deadline);
        state = HAS_REPORTED;
    } else {
        while (state == IS_DYING && (deadline == 0 || wait_for(-1, 10, deadline)))
            continue;
    }
    SYSTEM(SYS_rt_sigprocmask, SIG_SETMASK, &mask, 0, sizeof mask);
}

void report_is_no_end(void)
{
    reporter = 0;
    state = NOBODY_DIES;
}

void wait_at_mpidbg(const void *record, size_t bytes, bool (*is_over)(void), int period)
{
    const uint64_t mask = block_signals(), until = end_of_patience();
    const int descriptor = connect_to_mpidbg(until);
    if (descriptor >= 0 && send_record(descriptor, record, bytes, until))
        while (wait_for(descriptor, period, until) && !is_over())
            continue;
    if (descriptor >= 0)
        SYSTEM(SYS_close, descriptor);
    SYSTEM(SYS_rt_sigprocmask, SIG_SETMASK, &mask, 0, sizeof mask);
}

static void fill_register(struct mpidbg_death *to, unsigned number, uint64_t value)
{
    to->registers[number] = value;
    to->registers_known |= 1u << number;
}

void fill_place(struct mpidbg_death *to, const struct call *call)
{
    to->registers_known = 0;
    to->flags |= DEATH_AT_CALL;
    fill_register(to, 3, call->rbx);
    fill_register(to, 6, call->rbp);
    fill_register(to, 7, call->sp);
    fill_register(to, 12, call->r12);
    fill_register(to, 13, call->r13);
    fill_register(to, 14, call->r14);
    fill_register(to, 15, call->r15);
    fill_register(to, 16, call->pc);
}

void fill_context(struct mpidbg_death *to, const ucontext_t *context)
{
    static const int order[DEATH_REGISTERS] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
                                               REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
    to->flags &= ~(uint32_t)DEATH_AT_CALL;
    for (unsigned number = 0; number < DEATH_REGISTERS; number++)
        fill_register(to, number, (uint64_t)context->uc_mcontext.gregs[order[number]]);
}
