/* mpi-state.c - whether MPI is up: by the calls that were seen, which is known in signals too, and by what MPI itself always answers. */
#include "../native/presence.h"
#include "deaths.h"

static _Atomic bool has_begun, has_ended;

static void seen_init(struct call *unused)
{
    (void)unused;
    deaths_note_mpi();
    python_find();
    if (!has_begun)
        exits_watch_main();
    stops_ask_at_init();
    has_begun = true;
}

static void fill_exception(struct mpidbg_death *death, const void *call)
{
    append_text(death->function, sizeof death->function, "MPI_Finalize");
    fill_place(death, call);
}

static void seen_finalize(struct call *call)
{
    if (!has_ended && python_ended_by_exception())
        report(DEATH_PYTHON_EXCEPTION, fill_exception, call);
    has_ended = true;
}

HOOK(MPI_Init, seen_init)
HOOK(MPI_Init_thread, seen_init)
HOOK(MPI_Session_init, seen_init)
HOOK(PMPI_Init, seen_init)
HOOK(PMPI_Init_thread, seen_init)
HOOK(PMPI_Session_init, seen_init)
HOOK(mpi_init_, seen_init)
HOOK(mpi_init_thread_, seen_init)
HOOK(mpi_session_init_, seen_init)
HOOK(mpi_init_f08_, seen_init)
HOOK(mpi_init_thread_f08_, seen_init)
HOOK(mpi_session_init_f08_, seen_init)
HOOK(MPI_Finalize, seen_finalize)
HOOK(PMPI_Finalize, seen_finalize)
HOOK(mpi_finalize_, seen_finalize)
HOOK(mpi_finalize_f08_, seen_finalize)

void fill_mpi_state(struct mpidbg_death *death)
{
    if (has_ended)
        death->flags |= DEATH_MPI_IS_OVER;
    else if (has_begun)
        death->flags |= DEATH_MPI_IS_UP;
    else if (!deaths_has_mpi())
        death->flags |= DEATH_MPI_IS_UNKNOWN;
}

static bool ask(const char *name)
{
    int flag = 0, (*asked)(int *);
    *(void **)&asked = next_symbol(name);
    return asked != NULL && asked(&flag) == 0 && flag != 0;
}

bool mpi_is_to_come(void)
{
    return deaths_has_mpi() && !has_begun && !has_ended;
}

bool mpi_is_up(void)
{
    return ask("PMPI_Initialized") && !ask("PMPI_Finalized");
}
