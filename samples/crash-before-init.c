/* crash-before-init.c - rank 1 (or the one that is named) dies before MPI_Init:  mpirun -n 4 crash-before-init [RANK]
 * Before MPI_Init only the launcher's environment tells which rank this is. */
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>

static int rank_from_launcher(void)
{
    const char *variables[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        if (getenv(variables[i]) != NULL)
            return atoi(getenv(variables[i]));
    return 0;
}

int main(int argc, char **argv)
{
    int culprit = argc > 1 ? atoi(argv[1]) : 1;
    if (rank_from_launcher() == culprit)
        raise(SIGSEGV); /* stop: about to crash */
    MPI_Init(&argc, &argv);
    MPI_Finalize();
    return 0;
}
