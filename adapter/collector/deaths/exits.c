/*
 * exits.c - a process that ends by itself while MPI is up, or with an error before it is.
 *
 * exit(), quick_exit() and a return from main call the functions that the program has registered, which may finalize MPI or end the process
 * themselves. So whether MPI is still up is checked after all of them have run. The other functions end the process immediately.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <ucontext.h>
#include "deaths.h"

static struct {
    uint32_t kind; /* enum death_kind; 0: the process does not end */
    int status;
    struct note note;
} ending;
static _Atomic int has_begun;
/* What a function that runs at exit has ended the process by; no hook: none has. */
static struct { struct call call; int status; } left;

/* `here`: where the process is on its way out. */
static void fill(struct mpidbg_death *death, const void *here)
{
    death->status = ending.status;
    if (left.call.hook != NULL) {
        death->left_from = left.call.pc;
        death->left_status = left.status;
        append_text(death->left_function, sizeof death->left_function, left.call.hook->name);
    }
    if (ending.kind == DEATH_RETURN)
        return fill_context(death, here);
    const struct call *call = &ending.note.call;
    if (ending.note.fill != NULL)
        ending.note.fill(death, call);
    fill_place(death, call);
}

static void fill_name(struct mpidbg_death *death, const struct call *call)
{
    death->function[0] = '\0';
    append_text(death->function, sizeof death->function, call->hook->name);
}

static void remember(const struct call *call, int status)
{
    if (has_begun++)
        return;
    const struct note *note = standing_note(call->sp);
    ending.note = note != NULL ? *note : (struct note){DEATH_EXIT, fill_name, *call};
    ending.kind = ending.note.kind;
    ending.status = status;
}

static void fill_words_of_fortran(struct mpidbg_death *death, const struct call *call)
{
    (void)call;
    words_of_fortran(death->words, sizeof death->words);
}

static bool is_reported(const struct call *call, int status)
{
    const bool has_note = standing_note(call->sp) != NULL;
    if (report_what_led_here(call, status))
        return true;
    const enum owner owner = owner_of((const void *)call->pc);
    if (owner == OWNER_MPI && deaths_has_mpi()) {
        mpi_ends(call, status & 0xff, status);
        return true;
    }
    /* Errors of input and output; STOP has a note. */
    if (owner == OWNER_FORTRAN && !has_note) {
        const struct note note = {DEATH_FORTRAN_ERROR, fill_words_of_fortran, *call};
        report_note(&note, status);
        return true;
    }
    return false;
}

/* The other ranks wait for one that has not come to MPI_Init. Main's return is not seen before that. */
static bool is_early(uint32_t kind, int status)
{
    return mpi_is_up() || (kind == DEATH_EXIT && (status & 0xff) != 0 && mpi_is_to_come());
}

static void seen_exit(struct call *call)
{
    const int status = (int)call->arguments[0];
    if (!is_reported(call, status))
        remember(call, status);
}

static void tell(void)
{
    ucontext_t here;
    if (getcontext(&here) == 0)
        report(ending.kind, fill, &here);
}

static void seen_immediate_exit(struct call *call)
{
    const int status = (int)call->arguments[0];
    if (is_reported(call, status) || !is_early(DEATH_EXIT, status))
        return;
    if (has_begun && left.call.hook == NULL) {
        left.status = status;
        left.call = *call;
    }
    remember(call, status);
    tell();
}

/* It returns if it is given no status. */
static void seen_error(struct call *call)
{
    if ((int)call->arguments[0] != 0)
        seen_exit(call);
}

HOOK(exit, seen_exit)
HOOK(_exit, seen_immediate_exit)
HOOK(_Exit, seen_immediate_exit)
/* exits_end comes last there, too. */
HOOK(quick_exit, seen_exit)
/* libc calls its own exit() from these. Their first argument is the status as well. */
HOOK(err, seen_exit)
HOOK(errx, seen_exit)
HOOK(verr, seen_exit)
HOOK(verrx, seen_exit)
HOOK(error, seen_error)
HOOK(error_at_line, seen_error)

bool exits_have_begun(void)
{
    return has_begun;
}

void exits_end(void)
{
    if (ending.kind != 0 && is_early(ending.kind, ending.status))
        tell();
}

/* Called by exit() too, whose hook was there first; unless libc itself has called it, which the frame of main on the stack then shows. */
static void main_has_returned(int status, void *unused)
{
    (void)unused;
    if (!deaths_is_own_process() || has_begun++)
        return;
    ending.status = status;
    ending.kind = DEATH_RETURN;
}

void exits_watch_quick_exit(void)
{
    at_quick_exit(exits_end);
}

void exits_watch_main(void)
{
    on_exit(main_has_returned, NULL);
}
