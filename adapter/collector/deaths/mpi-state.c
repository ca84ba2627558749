/* mpi-state.c - asks MPI what it always answers. */
#include "../native/presence.h"
#include "deaths.h"

static bool ask(const char *name)
{
    int flag = 0, (*asked)(int *);
    *(void **)&asked = next_symbol(name);
    return asked != NULL && asked(&flag) == 0 && flag != 0;
}

bool mpi_is_up(void)
{
    return ask("PMPI_Initialized") && !ask("PMPI_Finalized");
}

void fill_mpi_state(struct mpidbg_death *death)
{
    if (ask("PMPI_Finalized"))
        death->flags |= DEATH_MPI_IS_OVER;
    else if (ask("PMPI_Initialized"))
        death->flags |= DEATH_MPI_IS_UP;
}
