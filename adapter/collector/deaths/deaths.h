/* deaths.h - what the parts of the library share. All from any thread and signal, unless it says otherwise. */
#ifndef MPIDBG_DEATHS_H
#define MPIDBG_DEATHS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <ucontext.h>
#include "hooks.h"
#include "record.h"

#define OF_THREAD static __thread __attribute__((tls_model("initial-exec")))

/* start.c: false: this process is no rank, or nobody asks how it dies. */
bool deaths_begin(void);
/* Neither a fork of the rank nor what vfork made. */
bool deaths_is_own_process(void);
/* It has or will have MPI, or is what the launcher has started: whatever else a rank starts has the rank's variables, too. */
bool deaths_is_rank(void);
/* That process has them: a rank, or what one has started. One thread at a time. */
bool deaths_has_variables_of_rank(long process);
bool deaths_has_mpi(void);
void deaths_note_mpi(void);
extern const char *deaths_socket;
extern int deaths_seconds, deaths_rank;

/* system.c: without libc, whose functions lock or set errno. Negative: the number of an error. */
long system_call(long number, long a, long b, long c, long d, long e, long f);
#define SYSTEM_WITH(number, a, b, c, d, e, f, ...) \
    system_call(number, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))
#define SYSTEM(...) SYSTEM_WITH(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0)
int thread_number(void);
uint64_t monotonic(void); /* nanoseconds */

/* texts.c: what is kept is ended by zero. At most size - 1 bytes. */
void copy_bytes(char *to, size_t size, const char *from, size_t length);
void append_text(char *to, size_t size, const char *from);
void append_number(char *to, size_t size, uint64_t number);

/* report.c: sends what `fill` writes, and waits: once in the life of the process. Threads that die meanwhile wait as well. */
typedef void Fill(struct mpidbg_death *, const void *what);
void report(enum death_kind kind, Fill *fill, const void *what);
/* The process goes on after all. */
void report_is_no_end(void);
/* Once, before the program begins, which waits until its end is watched, a second at most: so that an end that nobody can announce is told as the rank's. */
void announce_begin(void);
/* Sends a record; its answer, up to the end of the connection, ended by zero. Not from signals. */
void ask_mpidbg(const void *record, size_t bytes, char *answer, size_t size);
/* Sends a record, and waits until it is answered or `is_over`, which is asked every `period` milliseconds. */
void wait_at_mpidbg(const void *record, size_t bytes, bool (*is_over)(void), int period);
void fill_place(struct mpidbg_death *death, const struct call *call);
void fill_context(struct mpidbg_death *death, const ucontext_t *context);

/* notes.c: what a thread is about to die of, as long as the function that was called for it has not returned. */
struct note {
    uint32_t kind; /* enum death_kind; 0: none */
    void (*fill)(struct mpidbg_death *, const struct call *);
    struct call call;
};
/* What came first is the cause: does nothing where there is a note that stands. */
void note_cause(enum death_kind kind, void (*fill)(struct mpidbg_death *, const struct call *), const struct call *call);
/* The note of this thread, whose stack has come down to `sp`; NULL: none. */
const struct note *standing_note(uint64_t sp);
/* The function that was called has not returned. */
bool stands(const struct call *call, uint64_t sp);
void report_note(const struct note *note, int status);
/*
 * A function that ends the process is called while this thread deals with a fault, or with another cause: that is reported. False: there is
 * none, or one that may still turn out to be well.
 */
bool report_what_led_here(const struct call *call, int status);

/* mpi-errors.c */
/* The MPI error that ends this thread; false: none. */
bool fill_mpi_error(struct mpidbg_death *death, uint64_t sp);
/* The MPI error with which a handler of the program's own may deal while it dies of something else. */
void fill_handled_error(struct mpidbg_death *death);
/* MPI_Abort was given the code of an error that MPI has returned to this thread. */
void fill_returned_error(struct mpidbg_death *death);
/* Whether a call of MPI_Abort would have been seen. */
bool can_see_mpi_abort(void);
/* MPI itself ends the process, for what may be its code of an error. */
void mpi_ends(const struct call *call, int status, int code);

/* aborts.c: the exception that this thread is handling while the program ends it. */
void fill_caught_exception(struct mpidbg_death *death);

/* mpi-state.c */
void fill_mpi_state(struct mpidbg_death *death);
/* Asks MPI: not from signals. */
bool mpi_is_up(void);
/* The process has MPI, which nobody has begun. */
bool mpi_is_to_come(void);

/* exits.c */
void exits_end(void);
/* main has returned, or exit() was called. */
bool exits_have_begun(void);
/* Its return is seen from now on. */
void exits_watch_main(void);
/* Before the program has anything to run there. */
void exits_watch_quick_exit(void);

/* faults.c: the first fault that a handler of the program's own has taken. */
void note_fault(int number, const siginfo_t *info, const ucontext_t *context, bool is_on_alternate, uint64_t handler);
/* The handler has not returned, and has called a function. */
bool fault_stands(uint64_t sp);
/* A signal that was sent for it: by its handler, or when it had returned. */
bool is_echo_of_fault(const siginfo_t *info, const ucontext_t *context);
void fill_fault(struct mpidbg_death *death);
/* Instead of what it has led to. */
void fill_from_fault(struct mpidbg_death *death);

/* float-traps.c: floating point operations that make the first NaN or infinity. */
void float_traps_begin(void);
/* Those that are there; when our handlers are set. */
void float_traps_tell_threads(void);
bool float_traps_are_wanted(void);
enum float_signal { FLOAT_IS_NOT_OURS, FLOAT_GOES_ON, FLOAT_DIES };
/* What is to become of a thread that got this signal. `context` may be changed. */
enum float_signal float_traps_take(int number, const siginfo_t *info, ucontext_t *context);
/* For a thread that this one is about to start by a call that returns to `caller`; and in that thread, before it does anything else. */
struct float_start { uint32_t programs; bool is_wanted, was_trapping; };
struct float_start float_traps_pass_on(const void *caller);
void float_traps_begin_thread(struct float_start start);

/* stops.c: the rank waits for a debugger at a place of its program. */
void stops_begin(void);
bool stops_are_wanted(void);
/* Where the place is; before MPI begins again, if it was not there when the process began. Not from signals. */
void stops_ask_at_begin(void);
void stops_ask_at_init(void);
/* The process is about to end. */
void stops_end(void);
/* It is the signal of such a place: the thread goes on there now. */
bool stops_take(int number, const siginfo_t *info, const ucontext_t *context);

/* signals.c */
void signals_begin(void);
enum { MAX_SIGNAL = 64 };
/* It ends a process by itself: what the program sets for it is kept, and ours lies beneath. */
bool signals_watch(int number);
/* sigaction(), as the program sees it. */
int signals_change(int number, const struct sigaction *action, struct sigaction *before);

/* The kernel's own, beneath what the program sees. */
void signals_set_directly(int number, const struct sigaction *action, struct sigaction *before);

/* python.c: where the functions of Python are; again where it may have been loaded meanwhile. Not from signals. */
void python_find(void);
/* There was one, and it has been taken down. */
bool python_is_over(void);
void fill_python(struct mpidbg_death *death);
/* The process is Python's own, and an exception that nothing caught has ended it. */
bool python_ended_by_exception(void);
/* That was written to descriptor 2: what is readable of its begin, ended by zero. */
void python_has_written(const char *begin);

/* sanitizers.c: those that are there. */
void sanitizers_begin(void);

/* ending-signals.c: whether it ends a process by default; and whether it is no error, but an event that comes also where all is well. */
bool signal_ends_process(int number);
bool signal_is_event(int number);
/* Else the kernel or a timer did: si_pid has no meaning. */
bool is_sent_by_process(const siginfo_t *info);
/* By somebody else, who wants it to end. */
bool is_told_to_end(int number, const siginfo_t *info);

/* alternate-stack.c: stacks for the handlers of ours, also where the thread's own stack has no room left. */
void alternate_stacks_begin(void);
bool is_our_stack(const void *stack);

/* written.c: the last that was written to descriptor 2. */
void fill_written(struct mpidbg_death *death);
/* The message of Fortran's runtime in it, without the backtrace. */
void words_of_fortran(char *words, size_t size);

/* The last exception that Python has printed, as much of its end as there is room for; empty: none that is known. */
void traceback_of_python(char *words, size_t size);
/* What mpi4py has printed of an exception in a callback, before it calls MPI_Abort; as much of its end as there is room for; empty: nothing. */
void fatal_exception_of_python(char *words, size_t size);

/* objects.c: whose code this is. Not from signals, for it may lock. */
enum owner { OWNER_PROGRAM, OWNER_MPI, OWNER_FORTRAN, OWNER_CXX };
enum owner owner_of(const void *address);
/* What MPI's libraries use, and never the numbers of the program. */
bool is_below_mpi(const void *address);

#endif
