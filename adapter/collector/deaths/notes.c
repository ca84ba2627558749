/* notes.c - what leads to an end: functions that are called to end the process, and go on to others that do. */
#include "deaths.h"

OF_THREAD struct note noted;

bool stands(const struct call *call, uint64_t sp)
{
    /* A call keeps its return address where the stack of its caller ends, until it returns. */
    return call->pc != 0 && sp <= call->sp && *(const uint64_t *)(call->sp - 8) == call->pc;
}

void note_cause(enum death_kind kind, void (*fill)(struct mpidbg_death *, const struct call *), const struct call *call)
{
    if (standing_note(call->sp) != NULL)
        return;
    noted = (struct note){kind, fill, *call};
}

const struct note *standing_note(uint64_t sp)
{
    return noted.kind != 0 && stands(&noted.call, sp) ? &noted : NULL;
}

struct ending { const struct note *note; int status; };

static void fill(struct mpidbg_death *death, const void *what)
{
    const struct ending *ending = what;
    death->status = ending->status;
    fill_place(death, &ending->note->call);
    if (ending->note->fill != NULL)
        ending->note->fill(death, &ending->note->call);
}

void report_note(const struct note *note, int status)
{
    const struct ending ending = {note, status};
    report(note->kind, fill, &ending);
}

static void fill_handler_that_ends(struct mpidbg_death *death, const void *what)
{
    fill_from_fault(death);
    death->flags |= DEATH_HANDLER_EXITS;
    death->status = *(const int *)what;
}

bool report_what_led_here(const struct call *call, int status)
{
    if (fault_stands(call->sp)) {
        report(DEATH_SIGNAL, fill_handler_that_ends, &status);
        return true;
    }
    const struct note *note = standing_note(call->sp);
    /* What the program has to run at its exit may finalize MPI. */
    if (note == NULL || note->kind == DEATH_FORTRAN_STOP || note->kind == DEATH_EXIT)
        return false;
    report_note(note, status);
    return true;
}
