/* signals.c CASE - signals, and what programs do about them. The last rank is the one; all others wait for it. */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static int *volatile nowhere;
static volatile int zero;
static sigjmp_buf back;
static char *page;

static void say(const char *words)
{
    if (write(1, words, strlen(words)) < 0)
        abort();
}

static void call_data(void)
{
    static char data[64];
    void (*volatile called)(void) = (void (*)(void))data;
    called(); /* dies: data */
    zero = 0;
}

static void trap(void)
{
    __asm__ volatile("int3"); /* dies: breakpoint */
    zero = 0;
}

static void divide_least(void)
{
    volatile int least = -2147483647 - 1, by = -1;
    zero = least / by; /* dies: least */
}

static void read_misaligned(void)
{
    static char room[64] __attribute__((aligned(16)));
    __asm__ volatile("movaps %0, %%xmm0" : : "m"(room[1]) : "xmm0"); /* dies: misaligned */
}

static void fault(void)
{
    *nowhere = 7; /* dies: fault */
}

static void handle(int number, void (*handler)(int, siginfo_t *, void *), int flags)
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags}, told;
    sigaddset(&action.sa_mask, SIGUSR2);
    sigaction(number, &action, NULL);
    sigaction(number, NULL, &told);
    if (told.sa_sigaction != handler || (told.sa_flags & (SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESETHAND)) != (SA_SIGINFO | flags) ||
        !sigismember(&told.sa_mask, SIGUSR2) || sigismember(&told.sa_mask, SIGUSR1))
        say("sigaction tells something else\n");
}

static void exits(int number, siginfo_t *info, void *context)
{
    (void)number, (void)info, (void)context;
    say("the program's handler\n");
    _exit(3);
}

static void takes_abort(int number, siginfo_t *info, void *context)
{
    (void)number, (void)info, (void)context;
    say("the program's handler\n");
}

static void restores(int number, siginfo_t *info, void *context)
{
    (void)info, (void)context;
    say("the program's handler\n");
    signal(number, SIG_DFL);
}

static void raises(int number, siginfo_t *info, void *context)
{
    (void)info, (void)context;
    say("the program's handler\n");
    signal(number, SIG_DFL);
    raise(number);
}

static void jumps(int number, siginfo_t *info, void *context)
{
    stack_t stack;
    sigset_t mask;
    (void)info, (void)context;
    sigaltstack(NULL, &stack);
    sigprocmask(SIG_BLOCK, NULL, &mask);
    if (!sigismember(&mask, number) || !sigismember(&mask, SIGUSR2) || stack.ss_flags & SS_ONSTACK)
        say("the handler is not called as it was set\n");
    siglongjmp(back, 1);
}

static void repairs(int number, siginfo_t *info, void *context)
{
    (void)number, (void)info, (void)context;
    mprotect(page, 4096, PROT_READ | PROT_WRITE);
}

static void faults(int number)
{
    (void)number;
    fault();
}

/* On one line: where the stack ends, be it in the call, in the first instructions or in the assignment, differs from run to run. */
static int overflow(int depth) { volatile char room[4096]; room[0] = (char)depth; return depth > 1 << 28 ? 0 : overflow(depth + 1) + room[0]; } /* dies: overflow */

/* On one line: compilers may touch all pages of a large array when the function begins. */
static void large_array(void) { volatile char room[64 << 20]; room[zero] = 1; printf("%d", room[zero]); } /* dies: large */

static void *in_thread(void *run)
{
    ((void (*)(void))run)();
    return NULL;
}

static void overflow_from_zero(void)
{
    overflow(zero);
}

static void run_in_thread(void (*run)(void))
{
    pthread_t thread;
    pthread_create(&thread, NULL, in_thread, (void *)run);
    pthread_join(thread, NULL);
}

static pthread_t first_thread;

static void *without_first(void *none)
{
    pthread_join(first_thread, none);
    fault();
    return NULL;
}

/* As in a program that has left too many files open. */
static void fault_without_descriptors(void)
{
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = 3;
    setrlimit(RLIMIT_NOFILE, &limit);
    fault();
}

static void fault_without_first(void)
{
    pthread_t thread;
    first_thread = pthread_self();
    pthread_create(&thread, NULL, without_first, NULL);
    pthread_exit(NULL);
}

static void free_twice(void)
{
    char *volatile block = malloc(24);
    free(block);
    free(block); /* dies: double free */
}

static void takes(int number)
{
    (void)number;
    say("the program's handler\n");
}

static void write_to_nobody(void)
{
    int ends[2];
    if (pipe(ends) != 0)
        abort();
    close(ends[0]);
    if (write(ends[1], "", 1) < 0) /* dies: closed pipe */
        say("nobody reads it\n");
}

static void smash_heap(void)
{
    char *volatile block = malloc(24);
    memset(block, -1, 64);
    block = malloc(100000); /* dies: smashed heap */
}

static void tell_stack(void)
{
    stack_t stack, own = {.ss_sp = malloc(65536), .ss_size = 65536}, none = {.ss_flags = SS_DISABLE};
    const int before = sigaltstack(&own, &stack), had = !(stack.ss_flags & SS_DISABLE);
    sigaltstack(&none, &own);
    printf("an alternate stack: %d %d, ours: %d\n", before, had, own.ss_size == 65536);
    fflush(stdout);
}

static void die(const char *how)
{
    const struct timespec moment = {0, 1};
    if (strcmp(how, "null") == 0)
        fault();
    else if (strcmp(how, "divide") == 0)
        exit(7 / zero); /* dies: divide */
    else if (strcmp(how, "least") == 0)
        divide_least();
    else if (strcmp(how, "misaligned") == 0)
        read_misaligned();
    else if (strcmp(how, "breakpoint") == 0)
        trap();
    else if (strcmp(how, "thread") == 0)
        run_in_thread(fault);
    else if (strcmp(how, "thread-alone") == 0)
        fault_without_first();
    else if (strcmp(how, "overflow") == 0)
        overflow_from_zero();
    else if (strcmp(how, "large-array") == 0)
        large_array();
    else if (strcmp(how, "overflow-in-thread") == 0)
        run_in_thread(overflow_from_zero);
    else if (strcmp(how, "double-free") == 0)
        free_twice();
    else if (strcmp(how, "smashed-heap") == 0)
        smash_heap();
    else if (strcmp(how, "handler-exits") == 0)
        handle(SIGSEGV, exits, 0), fault();
    else if (strcmp(how, "handler-restores") == 0)
        handle(SIGSEGV, restores, 0), fault();
    else if (strcmp(how, "handler-raises") == 0)
        handle(SIGSEGV, raises, SA_NODEFER), fault();
    else if (strcmp(how, "in-handler") == 0)
        signal(SIGUSR1, faults), raise(SIGUSR1);
    else if (strcmp(how, "no-descriptor") == 0)
        fault_without_descriptors();
    else if (strcmp(how, "sent") == 0)
        kill(getpid(), SIGSEGV), nanosleep(&moment, NULL); /* dies: sent */
    else if (strcmp(how, "killed") == 0)
        kill(getpid(), SIGKILL);
    else if (strcmp(how, "closed-pipe") == 0)
        write_to_nobody();
    else if (strcmp(how, "data") == 0)
        call_data();
    else if (strcmp(how, "abort-taken") == 0)
        handle(SIGABRT, takes_abort, 0), abort(); /* dies: abort taken */
    else if (strcmp(how, "alarm") == 0)
        alarm(1), pause(); /* dies: alarm */
    else if (strcmp(how, "terminates-itself") == 0)
        raise(SIGTERM), nanosleep(&moment, NULL); /* dies: terminates itself */
    else if (strcmp(how, "event-twice") == 0) {
        signal(SIGUSR2, takes);
        raise(SIGUSR2);
        signal(SIGUSR2, SIG_DFL);
        raise(SIGUSR2), nanosleep(&moment, NULL); /* dies: event */
    }
    /* Those who recover. */
    else if (strcmp(how, "events") == 0) {
        printf("the default: %d\n", signal(SIGALRM, takes) == SIG_DFL);
        fflush(stdout);
        raise(SIGALRM);
        signal(SIGPIPE, SIG_IGN);
        write_to_nobody();
    } else if (strcmp(how, "jumps") == 0)
        for (int i = 0; i < 3; i++) {
            handle(SIGSEGV, jumps, i == 1 ? SA_RESETHAND : 0);
            if (sigsetjmp(back, 1) == 0)
                fault();
        }
    else if (strcmp(how, "abort-left") == 0) {
        handle(SIGABRT, jumps, 0);
        if (sigsetjmp(back, 1) == 0)
            abort();
    } else if (strcmp(how, "guard-page") == 0) {
        handle(SIGSEGV, repairs, 0);
        page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        *page = 1;
    } else if (strcmp(how, "fork") == 0) {
        int status;
        const pid_t child = fork();
        if (child == 0)
            fault();
        waitpid(child, &status, 0);
        printf("the child: %d\n", WTERMSIG(status));
    } else if (strcmp(how, "vfork") == 0) {
        int status;
        handle(SIGSEGV, jumps, 0);
        const pid_t child = vfork();
        if (child == 0) {
            signal(SIGSEGV, SIG_DFL);
            _exit(4);
        }
        waitpid(child, &status, 0);
        struct sigaction told;
        sigaction(SIGSEGV, NULL, &told);
        printf("the child: %d, the handler: %d\n", WEXITSTATUS(status), told.sa_sigaction == jumps);
    } else if (strcmp(how, "ignored") == 0) {
        signal(SIGSEGV, SIG_IGN);
        kill(getpid(), SIGSEGV);
        printf("%d\n", signal(SIGSEGV, SIG_DFL) == SIG_IGN);
        tell_stack();
    }
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "", *number = getenv("PMI_RANK") != NULL ? getenv("PMI_RANK") : getenv("OMPI_COMM_WORLD_RANK");
    int rank, size;
    if (strcmp(how, "before-init") == 0 && atoi(number) == 1)
        fault();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == size - 1)
        die(how);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    if (rank == size - 1 && strcmp(how, "after-finalize") == 0)
        fault();
    return 0;
}
