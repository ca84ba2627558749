/*
 * lifecycle.c - waits at one point of a program's life, to be looked at from outside:
 *
 *     mpirun -n 2 lifecycle before-init | between | after-finalize
 *
 * There it prints MPIDBG-WAITING {"rank":0,"pid":4711} and sleeps until SIGUSR1 comes.
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t is_awake;

static void wake_up(int signal_number)
{
    (void)signal_number;
    is_awake = 1;
}

/* Outside MPI_Init and MPI_Finalize only the launcher's environment tells the rank. */
static const char *rank_from_launcher(void)
{
    if (getenv("OMPI_COMM_WORLD_RANK") != NULL)
        return getenv("OMPI_COMM_WORLD_RANK");
    return getenv("PMI_RANK") != NULL ? getenv("PMI_RANK") : "0";
}

static void wait_here(const char *place, const char *wanted)
{
    if (strcmp(place, wanted) != 0)
        return;
    signal(SIGUSR1, wake_up); /* here, for MPICH 4.2 has put a handler of its own in place in MPI_Init */
    printf("MPIDBG-WAITING {\"rank\":%s,\"pid\":%d}\n", rank_from_launcher(), (int)getpid());
    fflush(stdout);
    while (!is_awake)
        usleep(10000); /* stop: waits here */
}

int main(int argc, char **argv)
{
    const char *wanted = argc > 1 ? argv[1] : "nowhere";
    MPI_Comm ocean = MPI_COMM_NULL;
    wait_here("before-init", wanted);
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &ocean);
    MPI_Comm_set_name(ocean, "ocean");
    wait_here("between", wanted);
    MPI_Comm_free(&ocean);
    MPI_Finalize();
    wait_here("after-finalize", wanted);
    return 0;
}
