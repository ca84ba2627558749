/* Stands for a library over MPI that a program calls. */
#include <mpi.h>

static int synchronize(MPI_Comm comm)
{
    int status = MPI_Barrier(comm);
    return status == MPI_SUCCESS;
}

int store_write(MPI_Comm comm)
{
    return synchronize(comm) + 1;
}
