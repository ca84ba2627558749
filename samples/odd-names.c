/*
 * odd-names.c - names that terminals obey, or that nobody sees:  mpirun -n 2 odd-names 610a62 --wait
 *
 * HEX: the bytes of the name. Prints it as it is, and in hexadecimal what MPI says that the names are.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "truth.h"

struct named {
    const char *text;
    MPI_Comm comm;
};

static void print_name(const char *what, const char *name)
{
    printf("name of %s:", what);
    for (; *name != '\0'; name++)
        printf(" %02x", (unsigned char)*name);
    printf("\n");
}

int main(int argc, char **argv)
{
    char name[MPI_MAX_OBJECT_NAME] = "", told[MPI_MAX_OBJECT_NAME], key[13];
    int length;
    MPI_Init(&argc, &argv);
    truth_begin(argc, argv);
    for (size_t i = 0; argc > 1 && i + 1 < sizeof name && strlen(argv[1]) >= 2 * i + 2; i++) {
        const char digits[3] = {argv[1][2 * i], argv[1][2 * i + 1], '\0'};
        name[i] = (char)strtol(digits, NULL, 16);
    }

    struct named named = {.text = name};
    MPI_Datatype type;
    MPI_Win win;
    MPI_Info info;
    MPI_Comm_dup(MPI_COMM_WORLD, &named.comm);
    MPI_Comm_set_name(named.comm, name);
    MPI_Type_contiguous(3, MPI_INT, &type);
    MPI_Type_set_name(type, name);
    MPI_Win_create(name, sizeof name, 1, MPI_INFO_NULL, named.comm, &win);
    MPI_Win_set_name(win, name);
    MPI_Info_create(&info);
    /* Open MPI takes 35 bytes at most. */
    snprintf(key, sizeof key, "%s", name);
    MPI_Info_set(info, key, name);
    prctl(PR_SET_NAME, name);

    /* One rank alone, before any other prints: launchers mix lines that are printed at once. */
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Comm_get_name(named.comm, told, &length);
        print_name("comm", told);
        MPI_Type_get_name(type, told, &length);
        print_name("datatype", told);
        MPI_Win_get_name(win, told, &length);
        print_name("win", told);
        printf("as it is: %s\n", name);
        fflush(stdout);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    wait_for_debugger();
    MPI_Win_free(&win); /* stop: all names given */
    MPI_Info_free(&info);
    MPI_Type_free(&type);
    MPI_Comm_free(&named.comm);
    MPI_Finalize();
    return 0;
}
