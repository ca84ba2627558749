/*
 * alternate-stack.c - each thread has a stack for our handlers, so that a stack overflow is seen. The program does not notice: sigaltstack()
 * hides the stack, and a handler that would not have run on it does not (signal-frame.c). A thread key with a destructor could free it when the
 * thread ends, but would change the numbers of the program's own keys. Instead, a new thread takes the stack of one that has ended.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include "deaths.h"

/* Room for the registers of all processors of today, and for the handlers of MPI libraries where a thread's own stack is full. */
enum { STACK_BYTES = 128 * 1024 };

/* At the low end of a stack. `thread`: that has it, also when it has ended; 0: none has had it yet, or could be made. */
struct start {
    void *(*run)(void *);
    void *argument;
    struct float_start floats;
    _Atomic pid_t thread;
    struct start *older;
};
OF_THREAD struct start *own;

/* All of new threads. Looked at from `at` on, by one thread at a time. */
enum { STARTING = -1, MOST_LOOKS = 16 };
static struct start *_Atomic newest;
static struct start *at;
static atomic_flag is_searched = ATOMIC_FLAG_INIT;

bool is_our_stack(const void *stack)
{
    return own != NULL && stack == own + 1;
}

static struct start *make_stack(void)
{
    void *made = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    return made == MAP_FAILED ? NULL : made;
}

static void use_own(void)
{
    const stack_t stack = {.ss_sp = own + 1, .ss_size = STACK_BYTES - sizeof *own};
    SYSTEM(SYS_sigaltstack, &stack);
}

static stack_t stack_in_use(void)
{
    stack_t now = {.ss_flags = SS_DISABLE};
    SYSTEM(SYS_sigaltstack, 0, &now);
    return now;
}

static bool is_free(pid_t thread)
{
    return thread == 0 || (thread != STARTING && SYSTEM(SYS_tgkill, SYSTEM(SYS_getpid), thread, 0) == -ESRCH);
}

/* That of a thread that has ended; NULL: none is found soon. */
static struct start *free_stack(void)
{
    struct start *found = NULL;
    if (atomic_flag_test_and_set_explicit(&is_searched, memory_order_acquire))
        return NULL;
    for (int looks = 0; looks < MOST_LOOKS && found == NULL; looks++) {
        if (at == NULL && (at = newest) == NULL)
            break;
        if (is_free(at->thread)) {
            found = at;
            found->thread = STARTING;
        }
        at = at->older;
    }
    atomic_flag_clear_explicit(&is_searched, memory_order_release);
    return found;
}

static struct start *stack_of_new_thread(void)
{
    struct start *stack = free_stack();
    if (stack != NULL || (stack = make_stack()) == NULL)
        return stack;
    stack->thread = STARTING;
    stack->older = newest;
    while (!atomic_compare_exchange_weak(&newest, &stack->older, stack))
        ;
    return stack;
}

void alternate_stacks_begin(void)
{
    if (stack_in_use().ss_flags & SS_DISABLE && (own = make_stack()) != NULL)
        use_own();
}

HOOK_IN_C(sigaltstack)
int BEFORE(sigaltstack)(const stack_t *wanted, stack_t *before)
{
    int (*next)(const stack_t *, stack_t *) = next_of(&hook_sigaltstack);
    stack_t was;
    if (own == NULL || !deaths_is_own_process())
        return next(wanted, before);
    const int result = next(wanted, &was);
    if (result != 0)
        return result;
    if (wanted != NULL && wanted->ss_flags & SS_DISABLE)
        use_own();
    if (before != NULL)
        *before = is_our_stack(was.ss_sp) ? (stack_t){.ss_flags = SS_DISABLE} : was;
    return 0;
}

/* The thread's own function is entered by a jump: its frame is the thread's first, as without us. */
static void *run_thread(void *argument)
{
    own = argument;
    own->thread = thread_number();
    use_own();
    float_traps_begin_thread(own->floats);
    return own->run(own->argument);
}

HOOK_IN_C(pthread_create)
int BEFORE(pthread_create)(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument)
{
    int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = next_of(&hook_pthread_create);
    struct start *stack = deaths_is_own_process() ? stack_of_new_thread() : NULL;
    if (stack == NULL)
        return next(thread, attributes, run, argument);
    stack->run = run;
    stack->argument = argument;
    stack->floats = float_traps_pass_on(__builtin_return_address(0));
    const int result = next(thread, attributes, run_thread, stack);
    if (result != 0)
        stack->thread = 0;
    return result;
}
