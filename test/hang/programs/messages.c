/* Hangs of messages between two processes. */
#include "cases.h"

static void recv_recv(void)
{
    begin();
    if (rank < 2) {
        receive(1 - rank, 7, WORLD);
        send_now(1 - rank, 7, WORLD);
    }
}

static void recv_ring(void)
{
    begin();
    receive((rank + size - 1) % size, 3, WORLD);
    send_now((rank + 1) % size, 3, WORLD);
}

static void ssend_ring(void)
{
    begin();
    send_met((rank + 1) % size, 3, WORLD);
    receive((rank + size - 1) % size, 3, WORLD);
}

static void big_sends(void)
{
    begin();
    if (rank < 2) {
        MPI_Send(big, BIG, MPI_INT, 1 - rank, 4, WORLD);
        MPI_Recv(big_too, BIG, MPI_INT, 1 - rank, 4, WORLD, IGNORE);
    }
}

static void three_in_a_ring(void)
{
    begin();
    if (rank < 3) receive((rank + 1) % 3, 1, WORLD);
}

static void ssend_three(void)
{
    begin();
    if (rank > 0) send_met(rank == 3 ? 1 : rank + 1, 8, WORLD);
}

static void behind_a_ring(void)
{
    begin();
    if (rank < 2) receive(1 - rank, 7, WORLD);
    else receive(rank - 2, 7, WORLD);
}

static void barrier_behind_a_ring(void)
{
    begin();
    if (rank > 1) receive(5 - rank, 7, WORLD);
    MPI_Barrier(WORLD);
}

static void own_message(void)
{
    begin();
    if (rank == 2) receive(2, 9, WORLD);
}

static void tag_eager(void)
{
    begin();
    if (rank == 0) receive(1, 12, WORLD);
    if (rank == 1) send_now(0, 112, WORLD);
}

static void tag_ssend(void)
{
    begin();
    if (rank == 0) receive(1, 12, WORLD);
    if (rank == 1) send_met(0, 112, WORLD);
}

static void tag_big(void)
{
    begin();
    if (rank == 2) MPI_Recv(big, BIG, MPI_INT, 3, 1, WORLD, IGNORE);
    if (rank == 3) MPI_Send(big, BIG, MPI_INT, 2, 2, WORLD);
}

static void tag_before_allreduce(void)
{
    MPI_Comm heat = duplicate("heat grid");
    MPI_Request requests[2];
    begin();
    if (rank < 2) {
        MPI_Irecv(&four[0], 1, MPI_INT, 1 - rank, 12, heat, &requests[0]);
        MPI_Isend(&four[1], 1, MPI_INT, 1 - rank, rank == 1 ? 112 : 12, heat, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Allreduce(&four[2], &four[3], 1, MPI_INT, MPI_SUM, heat);
}

static void tag_sendrecv(void)
{
    begin();
    if (rank < 2)
        MPI_Sendrecv(&four[0], 1, MPI_INT, 1 - rank, 1, &four[1], 1, MPI_INT, 1 - rank, 2, WORLD, IGNORE);
}

static void tag_probe(void)
{
    begin();
    if (rank == 3) MPI_Probe(0, 5, WORLD, IGNORE);
    if (rank == 0) send_now(3, 6, WORLD);
}

static void comm_eager(void)
{
    MPI_Comm other = duplicate("other");
    begin();
    if (rank == 0) receive(1, 12, other);
    if (rank == 1) send_now(0, 12, WORLD);
}

static void comm_ssend(void)
{
    MPI_Comm a = duplicate("a"), b = duplicate("b");
    begin();
    if (rank == 2) receive(3, 4, a);
    if (rank == 3) send_met(2, 4, b);
}

static void comm_wait(void)
{
    MPI_Comm other = duplicate("other");
    MPI_Request request;
    begin();
    if (rank == 0) {
        MPI_Irecv(&one, 1, MPI_INT, 2, 3, other, &request);
        MPI_Wait(&request, IGNORE);
    }
    if (rank == 2) send_now(0, 3, WORLD);
}

static void no_send(void)
{
    begin();
    if (rank == 0) receive(1, 5, WORLD);
}

static void no_receive(void)
{
    begin();
    if (rank == 0) send_met(1, 5, WORLD);
}

static void no_receive_big(void)
{
    begin();
    if (rank == 3) MPI_Send(big, BIG, MPI_INT, 2, 5, WORLD);
}

static void nobody_sends(void)
{
    begin();
    if (rank == 0) receive(MPI_ANY_SOURCE, 5, WORLD);
}

static void one_too_many(void)
{
    begin();
    if (rank != 0) send_now(0, 5, WORLD);
    else
        for (int i = 0; i < size; i++) receive(MPI_ANY_SOURCE, 5, WORLD);
}

static void wrong_receiver(void)
{
    begin();
    if (rank == 0) receive(1, 5, WORLD);
    if (rank == 1) send_now(2, 5, WORLD);
}

static void no_probe(void)
{
    begin();
    if (rank == 1) MPI_Probe(2, 5, WORLD, IGNORE);
}

static void no_mprobe(void)
{
    MPI_Message message;
    begin();
    if (rank == 1) MPI_Mprobe(2, MPI_ANY_TAG, WORLD, &message, IGNORE);
}

static void no_sendrecv(void)
{
    begin();
    if (rank != 3)
        MPI_Sendrecv(&four[0], 1, MPI_INT, (rank + 1) % size, 1, &four[1], 1, MPI_INT, (rank + size - 1) % size, 1, WORLD, IGNORE);
}

static void no_sendrecv_replace(void)
{
    begin();
    if (rank == 0) MPI_Sendrecv_replace(four, 1, MPI_INT, 1, 1, 1, 1, WORLD, IGNORE);
}

static void no_wait(void)
{
    MPI_Request request;
    begin();
    if (rank == 3) {
        MPI_Irecv(&one, 1, MPI_INT, 0, 1, WORLD, &request);
        MPI_Wait(&request, IGNORE);
    }
}

static void no_issend(void)
{
    MPI_Request request;
    begin();
    if (rank == 3) {
        MPI_Issend(&one, 1, MPI_INT, 1, 1, WORLD, &request);
        MPI_Wait(&request, IGNORE);
    }
}

static void two_of(int (*wait)(int, MPI_Request *))
{
    MPI_Request requests[2];
    begin();
    if (rank != 0) return;
    MPI_Irecv(&four[0], 1, MPI_INT, 1, 1, WORLD, &requests[0]);
    MPI_Irecv(&four[1], 1, MPI_INT, 2, 1, WORLD, &requests[1]);
    wait(2, requests);
}

static int wait_any(int count, MPI_Request *requests) { return MPI_Waitany(count, requests, &one, IGNORE); }
static int wait_some(int count, MPI_Request *requests) { return MPI_Waitsome(count, requests, &one, four, MPI_STATUSES_IGNORE); }
static int wait_all(int count, MPI_Request *requests) { return MPI_Waitall(count, requests, MPI_STATUSES_IGNORE); }
static void no_waitany(void) { two_of(wait_any); }
static void no_waitsome(void) { two_of(wait_some); }
static void no_waitall(void) { two_of(wait_all); }

static void not_started(void)
{
    MPI_Request request;
    if (rank == 1) MPI_Send_init(&one, 1, MPI_INT, 0, 6, WORLD, &request);
    begin();
    if (rank == 0) receive(1, 6, WORLD);
}

static void persistent_ring(void)
{
    MPI_Request request;
    MPI_Recv_init(&one, 1, MPI_INT, (rank + 1) % size, 6, WORLD, &request);
    begin();
    MPI_Start(&request);
    MPI_Wait(&request, IGNORE);
}

/** Those that are complete are inactive then, and passed over; the last one of rank 2 never is. */
static void until_all_are_complete(int (*wait)(int, MPI_Request *))
{
    MPI_Request requests[4];
    for (int i = 0; i < 2; i++) {
        MPI_Recv_init(&four[i], 1, MPI_INT, rank ^ 1, i, WORLD, &requests[i]);
        MPI_Send_init(&four[2], 1, MPI_INT, rank ^ 1, i == 1 && rank == 3 ? 111 : i, WORLD, &requests[2 + i]);
    }
    begin();
    MPI_Startall(4, requests);
    do wait(4, requests);
    while (one != MPI_UNDEFINED);
}

static void persistent_waitsome(void) { until_all_are_complete(wait_some); }
static void persistent_waitany(void) { until_all_are_complete(wait_any); }

static void other_side(void)
{
    MPI_Comm half, both;
    MPI_Comm_split(WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, WORLD, 1 - rank % 2, 3, &both);
    begin();
    if (rank == 0) receive(1, 5, both);
}

static const struct named_case cases[] = {
    {"recv_recv", recv_recv}, {"recv_ring", recv_ring}, {"ssend_ring", ssend_ring}, {"big_sends", big_sends},
    {"three_in_a_ring", three_in_a_ring}, {"ssend_three", ssend_three}, {"behind_a_ring", behind_a_ring},
    {"barrier_behind_a_ring", barrier_behind_a_ring}, {"own_message", own_message}, {"tag_eager", tag_eager},
    {"tag_ssend", tag_ssend}, {"tag_big", tag_big}, {"tag_before_allreduce", tag_before_allreduce},
    {"tag_sendrecv", tag_sendrecv}, {"tag_probe", tag_probe}, {"comm_eager", comm_eager}, {"comm_ssend", comm_ssend},
    {"comm_wait", comm_wait}, {"no_send", no_send}, {"no_receive", no_receive}, {"no_receive_big", no_receive_big},
    {"nobody_sends", nobody_sends}, {"one_too_many", one_too_many}, {"wrong_receiver", wrong_receiver},
    {"no_probe", no_probe}, {"no_mprobe", no_mprobe}, {"no_sendrecv", no_sendrecv},
    {"no_sendrecv_replace", no_sendrecv_replace}, {"no_wait", no_wait}, {"no_issend", no_issend},
    {"no_waitany", no_waitany}, {"no_waitsome", no_waitsome}, {"no_waitall", no_waitall}, {"not_started", not_started},
    {"persistent_ring", persistent_ring}, {"persistent_waitsome", persistent_waitsome},
    {"persistent_waitany", persistent_waitany}, {"other_side", other_side}, {NULL, NULL},
};

int main(int argc, char **argv) { return run_case(argc, argv, cases); }
