/* by-hand.h - the calls that begin and end what the tool sees. */
#ifndef SUITE_BY_HAND_H
#define SUITE_BY_HAND_H

#include "records.h"

int MPI_Init(int *argc, char ***argv)
{
    const int result = PMPI_Init(argc, argv);
    if (result == MPI_SUCCESS)
        suite_connect();
    return result;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    const int result = PMPI_Init_thread(argc, argv, required, provided);
    if (result == MPI_SUCCESS)
        suite_connect();
    return result;
}

int MPI_Finalize(void)
{
    if (suite_socket >= 0)
        suite_end();
    return PMPI_Finalize();
}

#endif
