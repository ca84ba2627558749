/*
 * alternate-stack.c - each thread has a stack for handlers of ours, so that a stack that has overflown is seen. The program's view stays:
 * sigaltstack() does not tell of it, and a handler that would not have run on it does not (signal-frame.c).
 */
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include "deaths.h"

/* Room for the registers of all processors of today, and for the handlers of MPI libraries where a thread's own stack is full. */
enum { STACK_BYTES = 128 * 1024 };

/* At the low end of a stack. */
struct start { void *(*run)(void *); void *argument; struct float_start floats; };
OF_THREAD struct start *own;
static pthread_key_t at_end_of_thread;
static bool has_key;

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

static void leave_thread(void *made)
{
    const stack_t none = {.ss_flags = SS_DISABLE};
    if (is_our_stack(stack_in_use().ss_sp))
        SYSTEM(SYS_sigaltstack, &none);
    own = NULL;
    munmap(made, STACK_BYTES);
}

void alternate_stacks_begin(void)
{
    has_key = pthread_key_create(&at_end_of_thread, leave_thread) == 0;
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
    use_own();
    pthread_setspecific(at_end_of_thread, own);
    float_traps_begin_thread(own->floats);
    return own->run(own->argument);
}

HOOK_IN_C(pthread_create)
int BEFORE(pthread_create)(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument)
{
    int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = next_of(&hook_pthread_create);
    struct start *made = has_key && deaths_is_own_process() ? make_stack() : NULL;
    if (made == NULL)
        return next(thread, attributes, run, argument);
    *made = (struct start){run, argument, float_traps_pass_on(__builtin_return_address(0))};
    const int result = next(thread, attributes, run_thread, made);
    if (result != 0)
        munmap(made, STACK_BYTES);
    return result;
}
