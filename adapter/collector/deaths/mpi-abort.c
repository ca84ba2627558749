/* mpi-abort.c - MPI_Abort in C and under Fortran's names, some of which call others: the first is the program's. */
#include "deaths.h"

struct abort { const struct call *call; uint64_t comm; int code; uint32_t flags; };

static void fill(struct mpidbg_death *death, const void *what)
{
    const struct abort *abort = what;
    append_text(death->function, sizeof death->function, "MPI_Abort");
    death->status = abort->code;
    death->flags |= abort->flags;
    death->object = abort->comm;
    death->object_kind = DEATH_COMM;
    fill_place(death, abort->call);
    fill_returned_error(death);
}

static void seen_in_c(struct call *call)
{
    const struct abort abort = {call, call->arguments[0], (int)call->arguments[1], 0};
    if (!report_what_led_here(call, abort.code))
        report(DEATH_MPI_ABORT, fill, &abort);
}

static void seen_in_fortran(struct call *call)
{
    const int32_t *comm = (const int32_t *)call->arguments[0], *code = (const int32_t *)call->arguments[1];
    const struct abort abort = {call, (uint32_t)*comm, *code, DEATH_FORTRAN_HANDLE};
    if (!report_what_led_here(call, abort.code))
        report(DEATH_MPI_ABORT, fill, &abort);
}

HOOK(MPI_Abort, seen_in_c)
HOOK(PMPI_Abort, seen_in_c)
HOOK(mpi_abort_, seen_in_fortran)
HOOK(mpi_abort__, seen_in_fortran)
HOOK(mpi_abort, seen_in_fortran)
HOOK(MPI_ABORT, seen_in_fortran)
HOOK(pmpi_abort_, seen_in_fortran)
HOOK(mpi_abort_f08_, seen_in_fortran)
HOOK(pmpi_abort_f08_, seen_in_fortran)
HOOK(mpi_abort_f_, seen_in_fortran)

bool can_see_mpi_abort(void)
{
    return next_of(&hook_PMPI_Abort) != NULL || next_of(&hook_MPI_Abort) != NULL;
}
