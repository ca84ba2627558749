/* no-mpi.c CASE - a rank that is, or has become, a program without MPI. The last of two is the one; the other waits to be ended. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int *volatile nowhere;

static void fault(void)
{
    *nowhere = 1; /* dies: without MPI */
}

int main(int argc, char **argv)
{
    const char *number = getenv("PMI_RANK") != NULL ? getenv("PMI_RANK") : getenv("OMPI_COMM_WORLD_RANK");
    if (number == NULL || atoi(number) != 1)
        pause();
    if (argc > 1 && strcmp(argv[1], "exec") == 0)
        execl(argv[0], argv[0], "null", NULL);
    fault();
    return 0;
}
