/*
 * alone.c - messages of a process to itself, on communicators of one process: MPI libraries carry them in their own way.
 *
 *     mpirun -n 4 alone              runs and ends
 *     mpirun -n 4 alone --wait &     waits, so that you can try:  mpidbg show receives messages --launcher $!
 */
#include "truth-request.h"

enum { comm_count = 3, most = 24 };
static MPI_Comm receiving[comm_count], sending[comm_count];
static int numbers[64];

static MPI_Request receives[most], sends[most];
static struct truth_request receives_made[most], sends_made[most];
static MPI_Message messages[most];
static MPI_Status statuses[most];
static int receive_count, send_count, message_count;

#define MADE(...) (struct truth_request){__VA_ARGS__}

static void receive(MPI_Comm comm, int source, int tag)
{
    const int i = receive_count++;
    MPI_Irecv(&numbers[i], 1, MPI_INT, source, tag, comm, &receives[i]);
    receives_made[i] = MADE(.operation = "receive", .comm = comm, .buffer = &numbers[i], .count = 1, .datatype = MPI_INT,
                            .peer = source, .tag = tag);
}

static void receive_again(MPI_Comm comm, int source, int tag, int is_started)
{
    const int i = receive_count++;
    MPI_Recv_init(&numbers[i], 1, MPI_INT, source, tag, comm, &receives[i]);
    receives_made[i] = MADE(.operation = "receive", .comm = comm, .buffer = &numbers[i], .count = 1, .datatype = MPI_INT,
                            .peer = source, .tag = tag, .is_persistent = 1, .is_inactive = !is_started);
    if (is_started)
        MPI_Start(&receives[i]);
}

static void send(MPI_Comm comm, int tag)
{
    const int i = send_count++;
    MPI_Issend(&numbers[40], 3, MPI_INT, 0, tag, comm, &sends[i]);
    sends_made[i] = MADE(.operation = "send", .send_mode = "synchronous", .comm = comm, .buffer = &numbers[40], .count = 3,
                         .datatype = MPI_INT, .peer = 0, .tag = tag);
}

/* A message that a probe has taken: who sent it the probe has told. */
static void probe(MPI_Comm comm, int source, int tag, int sent_tag)
{
    send(comm, sent_tag);
    MPI_Mprobe(source, tag, comm, &messages[message_count], &statuses[message_count]);
    message_count++;
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    truth_begin(argc, argv);

    receiving[0] = MPI_COMM_SELF;
    MPI_Comm_dup(MPI_COMM_SELF, &receiving[1]);
    MPI_Comm_set_name(receiving[1], "alone");
    MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &receiving[2]);
    MPI_Comm_set_name(receiving[2], "alone after a split");
    for (int i = 0; i < comm_count; i++) {
        MPI_Comm_dup(receiving[i], &sending[i]);
        MPI_Comm_set_name(sending[i], "alone, sending");
        receive(receiving[i], 0, 1);
        receive(receiving[i], MPI_ANY_SOURCE, 2);
        receive(receiving[i], 0, MPI_ANY_TAG);
        receive(receiving[i], MPI_ANY_SOURCE, MPI_ANY_TAG);
        receive_again(receiving[i], MPI_ANY_SOURCE, 3, 0);
        receive_again(receiving[i], 0, MPI_ANY_TAG, 0);
#ifndef OPEN_MPI /* there it is an empty request, that keeps none of this */
        receive_again(receiving[i], MPI_PROC_NULL, 4, 0);
#endif
        receive_again(receiving[i], MPI_ANY_SOURCE, MPI_ANY_TAG, 1);
        send(sending[i], 50);
        probe(sending[i], MPI_ANY_SOURCE, 51, 51);
        probe(sending[i], 0, 52, 52);
    }

    char expression[40];
    for (int i = 0; i < receive_count; i++) {
        snprintf(expression, sizeof expression, "receives[%d]", i);
        truth_request(expression, receives[i], receives_made[i]);
    }
    for (int i = 0; i < send_count; i++) {
        snprintf(expression, sizeof expression, "sends[%d]", i);
        truth_request(expression, sends[i], sends_made[i]);
    }
    for (int i = 0; i < message_count; i++) {
        snprintf(expression, sizeof expression, "messages[%d]", i);
        truth_message(expression, messages[i], sending[i / 2], &statuses[i]);
    }

    rank++; /* stop: all posted */
    wait_for_debugger();

    MPI_Status status;
    for (int i = 0; i < receive_count; i++) {
        int is_inactive = receives_made[i].is_inactive;
        if (!is_inactive) {
            MPI_Cancel(&receives[i]);
            MPI_Wait(&receives[i], &status);
        }
        if (receives[i] != MPI_REQUEST_NULL)
            MPI_Request_free(&receives[i]);
    }
    for (int i = 0; i < message_count; i++)
        MPI_Mrecv(&numbers[50], 3, MPI_INT, &messages[i], MPI_STATUS_IGNORE);
    for (int i = 0; i < comm_count; i++)
        MPI_Recv(&numbers[50], 3, MPI_INT, 0, 50, sending[i], MPI_STATUS_IGNORE);
    MPI_Waitall(send_count, sends, MPI_STATUSES_IGNORE);
    for (int i = 0; i < comm_count; i++)
        MPI_Comm_free(&sending[i]);
    MPI_Comm_free(&receiving[1]);
    MPI_Comm_free(&receiving[2]);
    MPI_Finalize();
    return 0;
}
