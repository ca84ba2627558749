/*
 * files.c - files opened in several ways, to look at in a debugger.
 *
 *     mpirun -n 4 files              runs and ends
 *     mpirun -n 4 files --wait &     waits, so that you can try:  mpidbg show together --launcher $!
 *
 * With --truth it also tells which handles it has, by kind; see live.h.
 *
 * The files are in /tmp, and have no name any more when the program waits: however it ends, nothing stays.
 */
#include "truth-file.h"
#include "live.h"

MPI_File never_set; /* a global is NULL at the start: no file at all */

struct Output {
    MPI_File data;
    MPI_File log;
    int n;
};

static void on_file_error(MPI_File *file, int *code, ...)
{
    (void)file;
    fprintf(stderr, "files: MPI error %d\n", *code);
}

/* A name that all processes of the job agree on, and no other job has. */
static void make_path(char path[100], const char *name)
{
    int leader = (int)getpid();
    MPI_Bcast(&leader, 1, MPI_INT, 0, MPI_COMM_WORLD);
    snprintf(path, 100, "/tmp/mpidbg-files-%d-%s", leader, name);
}

int main(int argc, char **argv)
{
    int rank, size;
    truth_start(&argc, &argv, &rank, &size);

    MPI_Comm ocean;
    MPI_Comm_dup(MPI_COMM_WORLD, &ocean);
    MPI_Comm_set_name(ocean, "ocean");
    char shared_path[100], viewed_path[100], own_path[100], atomic_path[100], numbers_path[100];
    make_path(shared_path, "together");
    make_path(viewed_path, "viewed");
    make_path(atomic_path, "atomic");
    make_path(numbers_path, "numbers");
    snprintf(own_path, sizeof own_path, "/tmp/mpidbg-files-%d own", (int)getpid());

    /* By all; by myself alone; write only, with an error handler; atomic */
    MPI_File together, own, strict, atomic;
    MPI_Errhandler watcher;
    MPI_File_open(ocean, shared_path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &together);
    MPI_File_open(MPI_COMM_SELF, own_path, MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &own);
    MPI_File_open(ocean, atomic_path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &atomic);
    MPI_File_set_atomicity(atomic, 1);
    MPI_File_open(ocean, shared_path, MPI_MODE_WRONLY | MPI_MODE_UNIQUE_OPEN, MPI_INFO_NULL, &strict);
    MPI_File_create_errhandler(on_file_error, &watcher);
    MPI_File_set_errhandler(strict, watcher);
    MPI_Errhandler_free(&watcher); /* lives on in the file */

    /* With views: from a byte on, in numbers; every size-th number is mine. And with positions in them */
    MPI_File viewed, in_numbers;
    MPI_Datatype mine;
    int numbers[8] = {0};
    MPI_Type_create_resized(MPI_INT, 0, size * (MPI_Aint)sizeof(int), &mine);
    MPI_Type_set_name(mine, "mine");
    MPI_Type_commit(&mine);
    MPI_File_open(ocean, viewed_path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &viewed);
    MPI_File_set_view(viewed, 16 + 4 * rank, MPI_INT, mine, "native", MPI_INFO_NULL);
    MPI_File_write(viewed, numbers, 5, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_open(ocean, numbers_path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &in_numbers);
    MPI_File_set_view(in_numbers, 100, MPI_DOUBLE, MPI_DOUBLE, "native", MPI_INFO_NULL);
    MPI_File_seek(in_numbers, 7 + rank, MPI_SEEK_SET);
    MPI_File_write_at(together, rank * (MPI_Offset)sizeof numbers, numbers, 8, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_seek(own, 12, MPI_SEEK_SET);

    /* The same handles in other shapes */
    MPI_File *pointer = &viewed;
    struct Output output = {own, MPI_FILE_NULL, 2};
    MPI_Fint fortran_viewed = MPI_File_c2f(viewed);

    truth_file("MPI_FILE_NULL", MPI_FILE_NULL, "", MPI_COMM_NULL);
    truth_file("together", together, shared_path, ocean);
    truth_file("own", own, own_path, MPI_COMM_SELF);
    truth_file("atomic", atomic, atomic_path, ocean);
    truth_file("strict", strict, shared_path, ocean);
    truth_file("viewed", viewed, viewed_path, ocean);
    truth_file("in_numbers", in_numbers, numbers_path, ocean);
    truth_file("pointer", *pointer, viewed_path, ocean);
    truth_file("output.data", output.data, own_path, MPI_COMM_SELF);
    truth_file("output.log", output.log, "", MPI_COMM_NULL);
    truth_file("file.f:fortran_viewed", MPI_File_f2c(fortran_viewed), viewed_path, ocean);

    /* What is no file (any more). Closed last of all, so that nothing takes its place */
    MPI_File garbage = (MPI_File)(intptr_t)0xdeadbeef, not_an_mpi_file = (MPI_File)&output, short_lived, closed;
    MPI_File_open(MPI_COMM_SELF, shared_path, MPI_MODE_RDONLY, MPI_INFO_NULL, &short_lived);
    closed = short_lived;
    MPI_File_close(&short_lived);
#ifdef OPEN_MPI /* in MPICH, 0 is MPI_FILE_NULL */
    truth_bad_handle("never_set", "file", TRUTH_FILE(never_set), "MPIDBG_ERR_NOT_FOUND");
#endif
    truth_bad_handle("garbage", "file", TRUTH_FILE(garbage), "MPIDBG_ERR_NOT_FOUND");
    truth_bad_handle("not_an_mpi_file", "file", TRUTH_FILE(not_an_mpi_file), "MPIDBG_ERR_NOT_FOUND");
    truth_bad_handle("closed", "file", TRUTH_FILE(closed), "MPIDBG_ERR_NOT_FOUND");

    MPI_Barrier(MPI_COMM_WORLD);
    unlink(own_path);
    if (rank == 0) {
        unlink(shared_path);
        unlink(viewed_path);
        unlink(atomic_path);
        unlink(numbers_path);
    }
    if (live_begin()) {
        LIVE("file", TRUTH_FILE(together), TRUTH_FILE(own), TRUTH_FILE(atomic), TRUTH_FILE(strict), TRUTH_FILE(viewed),
             TRUTH_FILE(in_numbers));
        LIVE("comm", TRUTH_HANDLE(ocean));
        LIVE("datatype", TRUTH_HANDLE(mine));
        for (const char *const *kind = (const char *const[]){"group", "info", "op", "win", "request", NULL}; *kind; kind++)
            live_kind(*kind, 0, NULL);
        live_end();
    }
    numbers[0] = rank; /* stop: all files opened */
    wait_for_debugger();

    MPI_File *opened[] = {&together, &own, &atomic, &strict, &viewed, &in_numbers};
    for (size_t i = 0; i < sizeof opened / sizeof *opened; i++)
        MPI_File_close(opened[i]);
    MPI_Type_free(&mine);
    MPI_Comm_free(&ocean);
    MPI_Finalize();
    return 0;
}
