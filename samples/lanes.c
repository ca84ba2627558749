/*
 * lanes.c - pending messages on several communicators, which the MPI library may carry on separate lanes.
 *
 *     mpirun -n 4 lanes              runs and ends
 *     mpirun -n 4 lanes --wait &     waits, so that you can try:  mpidbg show receives sends --launcher $!
 *
 * MPICH 4.1 and later has as many lanes (VCIs) as MPIR_CVAR_CH4_NUM_VCIS says, each with requests of its own:
 *
 *     mpiexec.mpich -genv MPIR_CVAR_CH4_NUM_VCIS 4 -n 4 lanes --wait
 */
#include "truth-request.h"

enum { LANES = 4, NAMED = 10, ANYBODY, LARGE, MANY = 1 << 18 };

static int received[LANES][2][16];
static double outgoing[LANES][MANY];
static double incoming[MANY];

int main(int argc, char **argv)
{
    int rank, size, provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    truth_begin(argc, argv);
    const int right = (rank + 1) % size, left = (rank + size - 1) % size;

    MPI_Comm lanes[LANES];
    MPI_Request receives[LANES], from_anybody[LANES], sends[LANES];
    for (int i = 0; i < LANES; i++) {
        char name[16];
        snprintf(name, sizeof name, "lane %d", i);
        MPI_Comm_dup(MPI_COMM_WORLD, &lanes[i]);
        MPI_Comm_set_name(lanes[i], name);
    }
    for (int i = 0; i < LANES; i++) {
        MPI_Irecv(received[i][0], 4 + i, MPI_INT, left, NAMED + 10 * i, lanes[i], &receives[i]);
        MPI_Irecv(received[i][1], 8 + i, MPI_INT, MPI_ANY_SOURCE, ANYBODY + 10 * i, lanes[i], &from_anybody[i]);
        MPI_Isend(outgoing[i], MANY - i, MPI_DOUBLE, right, LARGE + 10 * i, lanes[i], &sends[i]);
    }
    MPI_Barrier(MPI_COMM_WORLD);

    for (int i = 0; i < LANES; i++) {
        char name[32];
        snprintf(name, sizeof name, "receives[%d]", i);
        truth_request_in("receives", name, receives[i],
                         (struct truth_request){.operation = "receive", .comm = lanes[i], .buffer = received[i][0],
                                                .count = 4 + i, .datatype = MPI_INT, .peer = left, .tag = NAMED + 10 * i});
        snprintf(name, sizeof name, "from_anybody[%d]", i);
        truth_request_in("from_anybody", name, from_anybody[i],
                         (struct truth_request){.operation = "receive", .comm = lanes[i], .buffer = received[i][1],
                                                .count = 8 + i, .datatype = MPI_INT, .peer = MPI_ANY_SOURCE,
                                                .tag = ANYBODY + 10 * i});
        snprintf(name, sizeof name, "sends[%d]", i);
        truth_request_in("sends", name, sends[i],
                         (struct truth_request){.operation = "send", .send_mode = "standard", .comm = lanes[i],
                                                .buffer = outgoing[i], .count = MANY - i, .datatype = MPI_DOUBLE,
                                                .peer = right, .tag = LARGE + 10 * i});
        snprintf(name, sizeof name, "lanes[%d]", i);
        truth_comm_in("lanes", name, lanes[i]);
    }
    MPI_Barrier(MPI_COMM_WORLD); /* nobody goes on while another still looks */

    size = 0; /* stop: all lanes in use */
    wait_for_debugger();

    for (int i = 0; i < LANES; i++) {
        MPI_Recv(incoming, MANY, MPI_DOUBLE, left, LARGE + 10 * i, lanes[i], MPI_STATUS_IGNORE);
        MPI_Send(&rank, 1, MPI_INT, right, NAMED + 10 * i, lanes[i]);
        MPI_Send(&rank, 1, MPI_INT, right, ANYBODY + 10 * i, lanes[i]);
    }
    MPI_Waitall(LANES, receives, MPI_STATUSES_IGNORE);
    MPI_Waitall(LANES, from_anybody, MPI_STATUSES_IGNORE);
    MPI_Waitall(LANES, sends, MPI_STATUSES_IGNORE);
    for (int i = 0; i < LANES; i++)
        MPI_Comm_free(&lanes[i]);
    MPI_Finalize();
    return 0;
}
