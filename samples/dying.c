/*
 * dying.c - ways in which a job ends before its time:  mpirun -n 2 dying HOW [--wait]
 *
 * Rank 1 does what HOW says, on the communicator "ocean" where it needs one, while the others wait in MPI_Barrier; with
 * "operation" all ranks do.
 */
#include <assert.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "truth.h"

static MPI_Comm ocean;
static int rank;
static const char *how;

static int is(const char *given, const char *name)
{
    return strcmp(given, name) == 0;
}

static void truncated(void)
{
    int catch[4] = { 0 };
    MPI_Recv(catch, 4, MPI_INT, 0, 7, ocean, MPI_STATUS_IGNORE); // stop: receives too much
}

static void give_up(MPI_Comm *comm, int *code, ...)
{
    printf("rank %d: code %s\n", rank, *code == MPI_SUCCESS ? "none" : "of an error");
    MPI_Abort(*comm, 5); // stop: gives up
}

static void end_otherwise(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
    if (is(how, "own-exit"))
        exit(6); // stop: ends in its handler
    if (is(how, "own-crash"))
        *(volatile int *)8 = rank; // stop: crashes in its handler
    abort(); // stop: calls abort in its handler
}

static void go_on(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    printf("rank %d: went on after an %s\n", rank, *code == MPI_SUCCESS ? "error without a code" : "error");
}

static void with_handler(MPI_Comm_errhandler_function *function)
{
    MPI_Errhandler own;
    MPI_Comm_create_errhandler(function, &own);
    MPI_Comm_set_errhandler(ocean, own);
    MPI_Errhandler_free(&own);
    truncated();
}

static void exit_deeper(void)
{
    volatile char room[4096];
    room[0] = 0;
    exit(3 + room[0]); // stop: ends when the handler has returned
}

static void at_end(void)
{
    MPI_Finalize();
}

int main(int argc, char **argv)
{
    how = argc > 1 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &ocean);
    MPI_Comm_set_name(ocean, "ocean");
    truth_begin(argc, argv);
    wait_for_debugger();

    int caught = 0, wave[8] = { 0 };
    MPI_Win win = MPI_WIN_NULL;
    if (is(how, "window")) {
        MPI_Win_create(wave, sizeof wave, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
        MPI_Win_set_name(win, "tide");
    }
    if (is(how, "operation"))
        MPI_Allreduce(&rank, &caught, 1, MPI_INT, MPI_OP_NULL, ocean); // stop: reduces with nothing
    if (rank == 0 && (is(how, "truncate") || is(how, "returned") || strncmp(how, "own", 3) == 0))
        MPI_Send(wave, 8, MPI_INT, 1, 7, ocean);
    if (rank == 1) {
        if (is(how, "truncate"))
            truncated();
        if (is(how, "returned")) {
            MPI_Comm_set_errhandler(ocean, MPI_ERRORS_RETURN);
            truncated();
        }
        if (is(how, "own"))
            with_handler(go_on);
        if (is(how, "own-then-exit")) {
            with_handler(go_on);
            exit_deeper();
        }
        if (is(how, "own-abort"))
            with_handler(give_up);
        if (is(how, "own-exit") || is(how, "own-crash") || is(how, "own-call-abort"))
            with_handler(end_otherwise);
        if (is(how, "abort"))
            MPI_Abort(ocean, 5); // stop: aborts
        if (is(how, "exit"))
            exit(3); // stop: exits
        if (is(how, "at-once"))
            _exit(3); // stop: leaves at once
        if (is(how, "assert"))
            assert(rank == 0 && "the tide is out"); // stop: asserts
        if (is(how, "return"))
            return 7;
        if (is(how, "window")) {
            MPI_Put(wave, 1, MPI_INT, 9, 0, 1, MPI_INT, win); // stop: puts beyond the window's ranks
        }
        if (is(how, "file")) {
            MPI_File file;
            MPI_File_open(MPI_COMM_SELF, argv[0], MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
            MPI_File_set_errhandler(file, MPI_ERRORS_ARE_FATAL);
            MPI_File_write(file, wave, 1, MPI_INT, MPI_STATUS_IGNORE); // stop: writes what it may only read
        }
    }
    if (is(how, "at-exit")) {
        atexit(at_end);
        exit(0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_free(&ocean);
    MPI_Finalize();
    return is(how, "late") ? 4 : 0;
}
