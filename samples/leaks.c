/*
 * leaks.c - forgets to free what it has made, to look for it in a debugger right before MPI_Finalize.
 *
 *     mpirun -n 4 leaks              runs and ends
 *     mpirun -n 4 leaks --wait &     waits, so that you can try:  mpidbg handles --launcher $!
 *
 * With --no-window it frees its window before it waits, so that ranks that go on wait for the others in MPI_Finalize.
 *
 * With --truth it tells, instead of what each handle is, which handles it still has, by kind; see live.h.
 */
#include "live.h"

static int numbers[16];
static int received[4][16];

static void keep_first(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)in, (void)inout, (void)length, (void)type;
}

static void on_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    fprintf(stderr, "leaks: MPI error %d\n", *code);
}

int main(int argc, char **argv)
{
    int rank, size;
    truth_start(&argc, &argv, &rank, &size);
    const int right = (rank + 1) % size, left = (rank + size - 1) % size;

    /* What is freed, as it should be */
    MPI_Comm tidy_comm;
    MPI_Datatype tidy_type;
    MPI_Info tidy_info;
    MPI_Request tidy_request;
    MPI_Comm_dup(MPI_COMM_WORLD, &tidy_comm);
    MPI_Type_vector(2, 1, 2, MPI_INT, &tidy_type);
    MPI_Info_create(&tidy_info);
    MPI_Irecv(received[0], 16, MPI_INT, left, 1, tidy_comm, &tidy_request);
    MPI_Send(numbers, 16, MPI_INT, right, 1, tidy_comm);
    MPI_Wait(&tidy_request, MPI_STATUS_IGNORE);

    /* What is not */
    MPI_Comm ocean, parity;
    MPI_Datatype column, particle;
    MPI_Group evens;
    MPI_Info hints, more_hints;
    MPI_Op combine;
    MPI_Errhandler watcher;
    MPI_Win win;
    MPI_Request pending, from_anybody, persistent;
    MPI_Message probed;
    MPI_Comm_dup(MPI_COMM_WORLD, &ocean);
    MPI_Comm_set_name(ocean, "ocean");
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &parity);
    MPI_Type_vector(3, 1, 4, MPI_DOUBLE, &column);
    MPI_Type_set_name(column, "column");
    MPI_Type_commit(&column);
    MPI_Type_contiguous(2, column, &particle);
    MPI_Group everybody;
    int even_range[1][3] = {{0, size - 1, 2}};
    MPI_Comm_group(MPI_COMM_WORLD, &everybody);
    MPI_Group_range_incl(everybody, 1, even_range, &evens);
    MPI_Group_free(&everybody);
    MPI_Info_create(&hints);
    MPI_Info_set(hints, "cb_nodes", "2");
    MPI_Info_create(&more_hints);
    MPI_Op_create(keep_first, 0, &combine);
    MPI_Comm_create_errhandler(on_error, &watcher);
    MPI_Comm_set_errhandler(ocean, watcher);
    MPI_Win_create(numbers, sizeof numbers, sizeof numbers[0], MPI_INFO_NULL, ocean, &win);
    MPI_Win_set_name(win, "numbers");
    MPI_Send(numbers, 4, MPI_INT, right, 2, ocean);
    MPI_Mprobe(left, 2, ocean, &probed, MPI_STATUS_IGNORE);
    MPI_Irecv(received[1], 16, MPI_INT, left, 3, ocean, &pending);
    MPI_Irecv(received[2], 16, MPI_INT, MPI_ANY_SOURCE, 4, ocean, &from_anybody);
    MPI_Recv_init(received[3], 16, MPI_INT, left, 5, ocean, &persistent);

    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--no-window") == 0)
            MPI_Win_free(&win);
    MPI_Comm_free(&tidy_comm);
    MPI_Type_free(&tidy_type);
    MPI_Info_free(&tidy_info);

    if (live_begin()) {
        LIVE("comm", TRUTH_HANDLE(ocean), TRUTH_HANDLE(parity));
        LIVE("datatype", TRUTH_HANDLE(column), TRUTH_HANDLE(particle));
        LIVE("group", TRUTH_HANDLE(evens));
        LIVE("info", TRUTH_HANDLE(hints), TRUTH_HANDLE(more_hints));
        LIVE("op", TRUTH_HANDLE(combine));
        LIVE("errhandler", TRUTH_HANDLE(watcher));
        const unsigned long win_handle = TRUTH_HANDLE(win);
        live_kind("win", win != MPI_WIN_NULL, &win_handle);
        LIVE("request", TRUTH_HANDLE(pending), TRUTH_HANDLE(from_anybody), TRUTH_HANDLE(persistent));
        LIVE("message", TRUTH_HANDLE(probed));
        live_end();
    }

    numbers[0] = rank; /* stop: about to finalize */
    wait_for_debugger();
    if (win != MPI_WIN_NULL)
        MPI_Win_free(&win); /* MPICH ends badly with a window left */
    MPI_Finalize();
    return 0;
}
