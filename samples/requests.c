/*
 * requests.c - requests of every sort and in every state, to look at in a debugger.
 *
 *     mpirun -n 4 requests              runs and ends
 *     mpirun -n 4 requests --wait &     waits, so that you can try:  mpidbg show named --launcher $!
 *
 * Give it an even number of processes.
 */
#include "truth-request.h"
#include <stddef.h>

enum { MANY = 1 << 20 }; /* numbers in a message that is too large to be sent before it is received */

enum {
    LARGE = 11, SYNCHRONOUS, BUFFERED, EAGER, DERIVED, FREED, PERSISTENT, READY, FINISHED, PROBED, NEVER_SENT,
    SHORT, ANYBODY, ACROSS, TO_MYSELF, AGAIN, BUFFERED_AGAIN, PARTS
};

struct Exchange {
    MPI_Request receive;
    MPI_Request send[2];
    int n;
};

MPI_Request never_set; /* a global is 0 at the start: no request at all */

static double outgoing[MANY];
static double incoming[MANY];
static int numbers[64];
static int received[16][16];
static char attached[1000000];

static int tell_status(void *state, MPI_Status *status)
{
    MPI_Status_set_elements(status, MPI_BYTE, *(int *)state);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = 1;
    status->MPI_TAG = 99;
    return MPI_SUCCESS;
}

static int free_state(void *state)
{
    (void)state;
    return MPI_SUCCESS;
}

static int cancel_work(void *state, int complete)
{
    (void)state, (void)complete;
    return MPI_SUCCESS;
}

static void wait_until_complete(MPI_Request request)
{
    int flag = 0;
    while (!flag)
        MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
}

/* Lets MPI do what is left to do, so that nothing changes any more while the ranks are looked at. */
static void settle(void)
{
    int flag;
    for (int i = 0; i < 200; i++) {
        MPI_Iprobe(MPI_ANY_SOURCE, NEVER_SENT, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        if (i % 50 == 0)
            MPI_Barrier(MPI_COMM_WORLD);
    }
}

static void cancel_and_wait(MPI_Request *request)
{
    MPI_Cancel(request);
    MPI_Wait(request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    int rank, size;
    truth_start_even(&argc, &argv, &rank, &size);
    const int right = (rank + 1) % size, left = (rank + size - 1) % size, is_last = rank == size - 1;

    /* "ocean", where messages flow; "calm", where nothing is ever sent, and whose ranks count backwards */
    MPI_Comm ocean, calm, alone, parity, even_odd, lossy;
    MPI_Comm_dup(MPI_COMM_WORLD, &ocean);
    MPI_Comm_set_name(ocean, "ocean");
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &calm);
    MPI_Comm_set_name(calm, "calm");
    MPI_Comm_dup(MPI_COMM_SELF, &alone);
    MPI_Comm_set_name(alone, "alone");
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &parity);
    MPI_Intercomm_create(parity, 0, MPI_COMM_WORLD, 1 - rank % 2, 7, &even_odd);
    MPI_Comm_set_name(even_odd, "even meets odd");
    MPI_Comm_dup(MPI_COMM_WORLD, &lossy);
    MPI_Comm_set_errhandler(lossy, MPI_ERRORS_RETURN);
    const int backwards = size - 1 - left; /* the rank of `left` in calm */
    const int across = rank / 2;           /* the rank in the other group of the one I talk to */

    MPI_Datatype column, pair_type;
    MPI_Type_vector(4, 2, 3, MPI_DOUBLE, &column);
    MPI_Type_set_name(column, "column");
    MPI_Type_commit(&column);
    MPI_Type_contiguous(2, MPI_INT, &pair_type);
    MPI_Type_commit(&pair_type);
    MPI_Buffer_attach(attached, sizeof attached);

    /* Receives that nothing comes for */
    MPI_Request named, from_anybody, with_any_tag, of_anything, of_columns, of_pairs, of_nothing, of_much, from_other_group,
        from_myself;
    MPI_Irecv(received[0], 5, MPI_INT, left, 21, ocean, &named);
    MPI_Irecv(received[1], 6, MPI_FLOAT, MPI_ANY_SOURCE, 22, calm, &from_anybody);
    MPI_Irecv(received[2], 7, MPI_CHAR, backwards, MPI_ANY_TAG, calm, &with_any_tag);
    MPI_Irecv(received[3], 8, MPI_SHORT, MPI_ANY_SOURCE, MPI_ANY_TAG, calm, &of_anything);
    MPI_Irecv(incoming, 2, column, backwards, 23, calm, &of_columns);
    MPI_Irecv(received[4], 3, pair_type, backwards, 24, calm, &of_pairs);
    MPI_Irecv(NULL, 0, MPI_INT, backwards, 25, calm, &of_nothing);
    MPI_Irecv(incoming, MANY, MPI_DOUBLE, backwards, 26, calm, &of_much);
    MPI_Irecv(received[5], 1, MPI_INT, across, 27, even_odd, &from_other_group);
    MPI_Irecv(received[6], 2, MPI_INT, 0, 28, alone, &from_myself);

    /* Receives that are complete, but not waited for: of a short message, from anybody, cancelled */
    MPI_Request short_one, from_somebody, cancelled, into_nowhere, into_nowhere_twin;
    MPI_Irecv(received[7], 10, MPI_INT, left, SHORT, ocean, &short_one);
    MPI_Irecv(received[8], 4, MPI_INT, MPI_ANY_SOURCE, ANYBODY, ocean, &from_somebody);
    MPI_Irecv(received[9], 4, MPI_INT, left, 30, calm, &cancelled);
    MPI_Cancel(&cancelled);
    MPI_Irecv(received[10], 4, MPI_INT, MPI_PROC_NULL, 31, ocean, &into_nowhere);
    MPI_Irecv(received[10], 4, MPI_INT, MPI_PROC_NULL, 31, ocean, &into_nowhere_twin);
    MPI_Send(numbers, 3, MPI_INT, right, SHORT, ocean);
    MPI_Send(numbers, 4, MPI_INT, right, ANYBODY, ocean);

    /* Sends that nobody receives yet: large, of columns, synchronous, to the other group, to myself */
    MPI_Request large, columns, synchronous, to_other_group, to_myself, still_sending, short_lived;
    MPI_Isend(outgoing, MANY, MPI_DOUBLE, right, LARGE, ocean, &large);
    MPI_Isend(outgoing, 2, column, right, DERIVED, ocean, &columns); /* small: may be complete */
    MPI_Issend(numbers, 2, MPI_INT, right, SYNCHRONOUS, ocean, &synchronous);
    MPI_Issend(numbers, 3, MPI_INT, across, ACROSS, even_odd, &to_other_group);
    MPI_Issend(numbers, 4, MPI_INT, 0, TO_MYSELF, alone, &to_myself);
    MPI_Issend(numbers, 5, MPI_INT, right, FREED, ocean, &short_lived);
    still_sending = short_lived;
    MPI_Request_free(&short_lived);

    /* Sends that are complete at once */
    MPI_Request eager, eager_twin, buffered, buffered_twin, to_nowhere, to_nowhere_twin;
    MPI_Isend(numbers, 1, MPI_INT, right, EAGER, ocean, &eager);
    MPI_Isend(numbers, 1, MPI_INT, right, EAGER, ocean, &eager_twin);
    MPI_Ibsend(numbers, 6, MPI_INT, right, BUFFERED, ocean, &buffered);
    MPI_Ibsend(numbers, 6, MPI_INT, right, BUFFERED, ocean, &buffered_twin);
    MPI_Isend(numbers, 7, MPI_INT, MPI_PROC_NULL, 32, ocean, &to_nowhere);
    MPI_Isend(numbers, 7, MPI_INT, MPI_PROC_NULL, 32, ocean, &to_nowhere_twin);

    /* Large sends that were received, but not waited for */
    MPI_Request finished, ready, sink[2];
    MPI_Irecv(incoming, MANY, MPI_DOUBLE, left, FINISHED, ocean, &sink[0]);
    MPI_Irecv(incoming, MANY, MPI_DOUBLE, left, READY, ocean, &sink[1]);
    MPI_Barrier(ocean);
    MPI_Isend(outgoing, MANY, MPI_DOUBLE, right, FINISHED, ocean, &finished);
    MPI_Irsend(outgoing, MANY, MPI_DOUBLE, right, READY, ocean, &ready);
    MPI_Waitall(2, sink, MPI_STATUSES_IGNORE);

    /* Persistent ones: not started, started, complete, and used before */
    MPI_Request send_init, ssend_init, bsend_init, rsend_init, recv_init, started_send, started_bsend, started_recv,
        complete_recv, used;
    MPI_Send_init(numbers, 1, MPI_INT, right, 33, ocean, &send_init);
    MPI_Ssend_init(outgoing, 2, column, right, 34, ocean, &ssend_init);
    MPI_Bsend_init(numbers, 3, MPI_INT, across, 35, even_odd, &bsend_init);
    MPI_Rsend_init(numbers, 4, pair_type, right, 36, ocean, &rsend_init);
    MPI_Recv_init(received[11], 5, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, calm, &recv_init);
    MPI_Ssend_init(numbers, 6, MPI_INT, right, PERSISTENT, ocean, &started_send);
    MPI_Start(&started_send);
    MPI_Bsend_init(outgoing, 100000, MPI_DOUBLE, right, BUFFERED_AGAIN, ocean, &started_bsend);
    MPI_Start(&started_bsend); /* complete: the message is in the buffer, but not sent */
    MPI_Recv_init(received[12], 7, MPI_INT, backwards, 37, calm, &started_recv);
    MPI_Start(&started_recv);
    MPI_Recv_init(received[13], 8, MPI_INT, left, AGAIN, ocean, &complete_recv);
    MPI_Start(&complete_recv);
    MPI_Send_init(numbers, 8, MPI_INT, right, AGAIN, ocean, &used);
    MPI_Start(&used);
    MPI_Wait(&used, MPI_STATUS_IGNORE);

    /* Into a window and a file */
    MPI_Request put, put_twin, write;
    MPI_Win win;
    MPI_File file;
    char path[100];
    MPI_Win_create(received, sizeof received, 1, MPI_INFO_NULL, ocean, &win);
    MPI_Win_lock_all(0, win);
    MPI_Rput(numbers, 1, MPI_INT, right, 15 * sizeof received[0], 1, MPI_INT, win, &put);
    MPI_Rput(numbers, 1, MPI_INT, right, 15 * sizeof received[0], 1, MPI_INT, win, &put_twin);
    snprintf(path, sizeof path, "/tmp/mpidbg-requests-%d", (int)getpid());
    MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    unlink(path); /* however the program ends, nothing stays */
    MPI_File_iwrite_at(file, 0, numbers, 64, MPI_INT, &write);

    /* Collectives that the last rank has not come to, and one that all have */
    MPI_Comm duplicate = MPI_COMM_NULL;
    MPI_Request barrier = MPI_REQUEST_NULL, reduction = MPI_REQUEST_NULL, duplication = MPI_REQUEST_NULL, done_barrier;
    int sum = 0;
    MPI_Comm meeting, past_meeting;
    MPI_Comm_dup(MPI_COMM_WORLD, &meeting);
    MPI_Comm_set_name(meeting, "meeting");
    MPI_Comm_dup(MPI_COMM_WORLD, &past_meeting);
    MPI_Ibarrier(past_meeting, &done_barrier);
    if (!is_last) {
        MPI_Ibarrier(meeting, &barrier);
        MPI_Iallreduce(&numbers[10], &sum, 1, MPI_INT, MPI_SUM, meeting, &reduction);
        MPI_Comm_idup(calm, &duplicate, &duplication);
    }

    /* Generalized requests: the program itself says when they are complete */
    static int bytes_moved = 20;
    MPI_Request working, worked;
    MPI_Grequest_start(tell_status, free_state, cancel_work, &bytes_moved, &working);
    MPI_Grequest_start(tell_status, free_state, cancel_work, &bytes_moved, &worked);
    MPI_Grequest_complete(worked);

#if MPI_VERSION >= 4 || OMPI_MAJOR_VERSION >= 5
    /* Partitioned ones, and a collective that can be started again and again */
    MPI_Request parts_out, parts_in, barrier_init;
    static double parts[2][40];
    MPI_Psend_init(parts[0], 4, 10, MPI_DOUBLE, right, PARTS, ocean, MPI_INFO_NULL, &parts_out);
    MPI_Precv_init(parts[1], 4, 10, MPI_DOUBLE, left, PARTS, ocean, MPI_INFO_NULL, &parts_in);
    MPI_Barrier_init(past_meeting, MPI_INFO_NULL, &barrier_init);
#endif

    /* A message that was probed, and is not received yet */
    MPI_Message probed, nobodys, no_message = MPI_MESSAGE_NULL;
    MPI_Status probe_status = {0}, nobodys_status = {0};
    MPI_Send(numbers, 9, MPI_INT, right, PROBED, ocean);
    MPI_Mprobe(left, PROBED, ocean, &probed, &probe_status);
    MPI_Mprobe(MPI_PROC_NULL, PROBED, ocean, &nobodys, &nobodys_status);

    /* Statuses: of a receive, from nobody, of no request, cancelled, of more than 4 GiB, of a message that was cut */
    MPI_Status of_receive = {0}, of_nobody = {0}, of_no_request = {0}, of_cancelled = {0}, of_great_size = {0},
               cut[2] = {{0}};
    MPI_Sendrecv(numbers, 3, MPI_INT, right, 51, received[14], 16, MPI_INT, MPI_ANY_SOURCE, 51, ocean, &of_receive);
    MPI_Recv(numbers, 1, MPI_INT, MPI_PROC_NULL, 52, ocean, &of_nobody);
    MPI_Request null_request = MPI_REQUEST_NULL, cut_short[2];
    MPI_Wait(&null_request, &of_no_request);
    MPI_Irecv(received[15], 1, MPI_INT, left, 53, calm, &cut_short[0]);
    MPI_Cancel(&cut_short[0]);
    MPI_Wait(&cut_short[0], &of_cancelled);
    MPI_Status_set_elements_x(&of_great_size, MPI_BYTE, 5000000000);
    of_great_size.MPI_SOURCE = 3;
    of_great_size.MPI_TAG = 54;
    MPI_Irecv(received[14], 1, MPI_INT, left, 55, lossy, &cut_short[0]);
    MPI_Irecv(received[15], 8, MPI_INT, left, 56, lossy, &cut_short[1]);
    MPI_Send(numbers, 2, MPI_INT, right, 55, lossy);
    MPI_Send(numbers, 2, MPI_INT, right, 56, lossy);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); /* MPICH takes this one here */
    MPI_Waitall(2, cut_short, cut); /* the first message is longer than its buffer */
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);

    /* The same handles in every shape a program keeps them in */
    MPI_Request family[4] = {named, synchronous, MPI_REQUEST_NULL, large};
    MPI_Request *pointer = &from_anybody;
    struct Exchange exchange = {of_columns, {send_init, MPI_REQUEST_NULL}, 2};
    MPI_Status *status_pointer = &of_receive;
    MPI_Fint fortran_synchronous = MPI_Request_c2f(synchronous);

    /* What is no request (any more). Freed last of all, so that nothing takes its place */
    MPI_Request garbage = (MPI_Request)(intptr_t)0xdeadbeee;
    MPI_Request a_datatype = (MPI_Request)MPI_INT;
    MPI_Request to_free, freed;
    MPI_Recv_init(received[15], 1, MPI_INT, backwards, 57, calm, &to_free);
    freed = to_free;

    MPI_Request to_complete[] = {short_one, from_somebody, cancelled, finished, ready, complete_recv, done_barrier,
                                 buffered, started_bsend, worked, put,
#ifdef OPEN_MPI
                                 write, /* in MPICH, this call does not notice that a file operation is done */
#endif
    };
    for (size_t i = 0; i < sizeof to_complete / sizeof *to_complete; i++)
        wait_until_complete(to_complete[i]);
    settle();

    truth_request("MPI_REQUEST_NULL", MPI_REQUEST_NULL, (struct truth_request){0});

#define RECEIVE(buffer_, count_, type_, peer_, tag_, comm_) \
    .operation = "receive", .buffer = buffer_, .count = count_, .datatype = type_, .peer = peer_, .tag = tag_, \
    .comm = comm_
#define SEND(mode_, buffer_, count_, type_, peer_, tag_, comm_) \
    .operation = "send", .send_mode = mode_, .buffer = buffer_, .count = count_, .datatype = type_, .peer = peer_, \
    .tag = tag_, .comm = comm_
#define MADE(...) (struct truth_request){__VA_ARGS__}
#define INACTIVE .is_persistent = 1, .is_inactive = 1

    struct truth_request named_made = MADE(RECEIVE(received[0], 5, MPI_INT, left, 21, ocean));
    truth_request("named", named, named_made);
    truth_request("from_anybody", from_anybody, MADE(RECEIVE(received[1], 6, MPI_FLOAT, MPI_ANY_SOURCE, 22, calm)));
    truth_request("with_any_tag", with_any_tag, MADE(RECEIVE(received[2], 7, MPI_CHAR, backwards, MPI_ANY_TAG, calm)));
    truth_request("of_anything", of_anything,
                  MADE(RECEIVE(received[3], 8, MPI_SHORT, MPI_ANY_SOURCE, MPI_ANY_TAG, calm)));
    struct truth_request of_columns_made = MADE(RECEIVE(incoming, 2, column, backwards, 23, calm));
    truth_request("of_columns", of_columns, of_columns_made);
    truth_request("of_pairs", of_pairs, MADE(RECEIVE(received[4], 3, pair_type, backwards, 24, calm)));
    truth_request("of_nothing", of_nothing, MADE(RECEIVE(NULL, 0, MPI_INT, backwards, 25, calm)));
    truth_request("of_much", of_much, MADE(RECEIVE(incoming, MANY, MPI_DOUBLE, backwards, 26, calm)));
    truth_request("from_other_group", from_other_group, MADE(RECEIVE(received[5], 1, MPI_INT, across, 27, even_odd)));
    truth_request("from_myself", from_myself, MADE(RECEIVE(received[6], 2, MPI_INT, 0, 28, alone)));

    truth_request("short_one", short_one, MADE(RECEIVE(received[7], 10, MPI_INT, left, SHORT, ocean)));
    truth_request("from_somebody", from_somebody,
                  MADE(RECEIVE(received[8], 4, MPI_INT, MPI_ANY_SOURCE, ANYBODY, ocean)));
    truth_request("cancelled", cancelled, MADE(RECEIVE(received[9], 4, MPI_INT, left, 30, calm)));
    truth_request("into_nowhere", into_nowhere,
                  truth_unless_shared(into_nowhere, into_nowhere_twin,
                                      MADE(RECEIVE(received[10], 4, MPI_INT, MPI_PROC_NULL, 31, ocean))));

    struct truth_request large_made = MADE(SEND("standard", outgoing, MANY, MPI_DOUBLE, right, LARGE, ocean));
    truth_request("large", large, large_made);
    struct truth_request synchronous_made =
        MADE(SEND("synchronous", numbers, 2, MPI_INT, right, SYNCHRONOUS, ocean), .has_fortran_handle = 1);
    truth_request("synchronous", synchronous, synchronous_made);
    truth_request("to_other_group", to_other_group, MADE(SEND("synchronous", numbers, 3, MPI_INT, across, ACROSS, even_odd)));
    truth_request("to_myself", to_myself, MADE(SEND("synchronous", numbers, 4, MPI_INT, 0, TO_MYSELF, alone)));
    truth_request("still_sending", still_sending,
                  MADE(SEND("synchronous", numbers, 5, MPI_INT, right, FREED, ocean), .is_freed = 1));
    truth_request("eager", eager,
                  truth_unless_shared(eager, eager_twin, MADE(SEND("standard", numbers, 1, MPI_INT, right, EAGER, ocean))));
    truth_request("buffered", buffered,
                  truth_unless_shared(buffered, buffered_twin,
                                      MADE(SEND("buffered", numbers, 6, MPI_INT, right, BUFFERED, ocean))));
    truth_request("to_nowhere", to_nowhere,
                  truth_unless_shared(to_nowhere, to_nowhere_twin,
                                      MADE(SEND("standard", numbers, 7, MPI_INT, MPI_PROC_NULL, 32, ocean))));
    truth_request("finished", finished, MADE(SEND("standard", outgoing, MANY, MPI_DOUBLE, right, FINISHED, ocean)));
    truth_request("ready", ready, MADE(SEND("ready", outgoing, MANY, MPI_DOUBLE, right, READY, ocean)));

    struct truth_request send_init_made = MADE(SEND("standard", numbers, 1, MPI_INT, right, 33, ocean), INACTIVE);
    truth_request("send_init", send_init, send_init_made);
    truth_request("ssend_init", ssend_init, MADE(SEND("synchronous", outgoing, 2, column, right, 34, ocean), INACTIVE));
    truth_request("bsend_init", bsend_init, MADE(SEND("buffered", numbers, 3, MPI_INT, across, 35, even_odd), INACTIVE));
    truth_request("rsend_init", rsend_init, MADE(SEND("ready", numbers, 4, pair_type, right, 36, ocean), INACTIVE));
    truth_request("recv_init", recv_init,
                  MADE(RECEIVE(received[11], 5, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, calm), INACTIVE));
    truth_request("started_send", started_send,
                  MADE(SEND("synchronous", numbers, 6, MPI_INT, right, PERSISTENT, ocean), .is_persistent = 1));
    truth_request("started_bsend", started_bsend,
                  MADE(SEND("buffered", outgoing, 100000, MPI_DOUBLE, right, BUFFERED_AGAIN, ocean), .is_persistent = 1));
    truth_request("started_recv", started_recv,
                  MADE(RECEIVE(received[12], 7, MPI_INT, backwards, 37, calm), .is_persistent = 1));
    truth_request("complete_recv", complete_recv,
                  MADE(RECEIVE(received[13], 8, MPI_INT, left, AGAIN, ocean), .is_persistent = 1));
    truth_request("used", used, MADE(SEND("standard", numbers, 8, MPI_INT, right, AGAIN, ocean), INACTIVE));

    truth_request("barrier", barrier, MADE(.operation = "collective", .comm = meeting));
    truth_request("reduction", reduction, MADE(.operation = "collective", .comm = meeting));
    truth_request("duplication", duplication, MADE(.operation = "commDup", .comm = calm));
    truth_request("done_barrier", done_barrier, MADE(.operation = "collective", .comm = past_meeting));
    truth_request("working", working, MADE(.operation = "generalized"));
    truth_request("worked", worked, MADE(.operation = "generalized"));

    truth_request("put", put, truth_unless_shared(put, put_twin, MADE(.operation = "rma", .win = win)));
    truth_request("write", write, MADE(.operation = "io", .file = file, .buffer = numbers, .count = 64, .datatype = MPI_INT));

#if MPI_VERSION >= 4 || OMPI_MAJOR_VERSION >= 5
    /* The count is that of all partitions. */
    truth_request("parts_out", parts_out,
                  MADE(SEND(NULL, parts[0], 40, MPI_DOUBLE, right, PARTS, ocean), INACTIVE, .operation = "partitionedSend"));
    truth_request("parts_in", parts_in,
                  MADE(RECEIVE(parts[1], 40, MPI_DOUBLE, left, PARTS, ocean), INACTIVE, .operation = "partitionedReceive"));
    truth_request("barrier_init", barrier_init, MADE(.operation = "collective", .comm = past_meeting, INACTIVE));
#endif

    truth_request("family[1]", family[1], synchronous_made);
    truth_request_in("family", "family[0]", family[0], named_made);
    truth_request_in("family", "family[1]", family[1], synchronous_made);
    truth_request_in("family", "family[2]", family[2], named_made);
    truth_request_in("family", "family[3]", family[3], large_made);
    truth_request("pointer", *pointer, MADE(RECEIVE(received[1], 6, MPI_FLOAT, MPI_ANY_SOURCE, 22, calm)));
    truth_request_in("exchange", "exchange.receive", exchange.receive, of_columns_made);
    truth_request_in("exchange", "exchange.send[0]", exchange.send[0], send_init_made);
    truth_request_in("exchange", "exchange.send[1]", exchange.send[1], send_init_made);
    truth_request("request.f:fortran_synchronous", MPI_Request_f2c(fortran_synchronous), synchronous_made);

    truth_message("probed", probed, ocean, &probe_status);
    truth_message("nobodys", nobodys, ocean, &nobodys_status);
    truth_message("no_message", no_message, MPI_COMM_NULL, NULL);

    truth_status("probe_status", &probe_status);
    truth_status("nobodys_status", &nobodys_status);
    truth_status("of_receive", &of_receive);
    truth_status("status_pointer", status_pointer);
    truth_status("of_nobody", &of_nobody);
    truth_status("of_no_request", &of_no_request);
    truth_status("of_cancelled", &of_cancelled);
    truth_status("of_great_size", &of_great_size);
    truth_status("cut[1]", &cut[1]);
    truth_status_in("cut", "cut[0]", &cut[0]);
    truth_status_in("cut", "cut[1]", &cut[1]);

    MPI_Barrier(MPI_COMM_WORLD); /* nobody goes on while another still looks */
    MPI_Request_free(&to_free);
    truth_bad_handle("never_set", "request", TRUTH_HANDLE(never_set), "MPIDBG_ERR_NOT_FOUND");
    truth_bad_handle("garbage", "request", TRUTH_HANDLE(garbage), "MPIDBG_ERR_NOT_FOUND");
    truth_bad_handle("a_datatype", "request", TRUTH_HANDLE(a_datatype), "MPIDBG_ERR_NOT_FOUND");
    truth_bad_handle("freed", "request", TRUTH_HANDLE(freed), "MPIDBG_ERR_NOT_FOUND");

    sum = rank; /* stop: all requests made */
    wait_for_debugger();

    /* Now all that is pending is received, joined or cancelled. */
    if (is_last) {
        MPI_Ibarrier(meeting, &barrier);
        MPI_Iallreduce(&numbers[10], &sum, 1, MPI_INT, MPI_SUM, meeting, &reduction);
        MPI_Comm_idup(calm, &duplicate, &duplication);
    }
    int sent[] = {LARGE, SYNCHRONOUS, BUFFERED, BUFFERED, EAGER, EAGER, DERIVED, FREED, PERSISTENT,
                  BUFFERED_AGAIN};
    for (size_t i = 0; i < sizeof sent / sizeof *sent; i++)
        MPI_Recv(incoming, MANY, MPI_DOUBLE, left, sent[i], ocean, MPI_STATUS_IGNORE);
    MPI_Recv(incoming, MANY, MPI_DOUBLE, across, ACROSS, even_odd, MPI_STATUS_IGNORE);
    MPI_Recv(incoming, MANY, MPI_DOUBLE, 0, TO_MYSELF, alone, MPI_STATUS_IGNORE);
    MPI_Mrecv(incoming, MANY, MPI_DOUBLE, &probed, MPI_STATUS_IGNORE);

    MPI_Request *pending[] = {&named, &from_anybody, &with_any_tag, &of_anything, &of_columns, &of_pairs, &of_nothing,
                              &of_much, &from_other_group, &from_myself, &started_recv};
    for (size_t i = 0; i < sizeof pending / sizeof *pending; i++)
        cancel_and_wait(pending[i]);
    MPI_Grequest_complete(working);
    MPI_Request *ended[] = {&large, &columns, &synchronous, &to_other_group, &to_myself, &eager, &eager_twin, &buffered,
                            &buffered_twin, &to_nowhere, &to_nowhere_twin, &finished, &ready, &short_one,
                            &from_somebody, &cancelled, &into_nowhere, &into_nowhere_twin, &started_send, &started_bsend,
                            &complete_recv,
                            &barrier, &reduction, &duplication, &done_barrier, &working, &worked, &put, &put_twin, &write,
                            &cut_short[1]};
    for (size_t i = 0; i < sizeof ended / sizeof *ended; i++)
        MPI_Wait(ended[i], MPI_STATUS_IGNORE);

    MPI_Request *persistent[] = {&send_init, &ssend_init, &bsend_init, &rsend_init, &recv_init, &started_send,
                                 &started_bsend,                                 &started_recv, &complete_recv, &used};
    for (size_t i = 0; i < sizeof persistent / sizeof *persistent; i++)
        MPI_Request_free(persistent[i]);
#if MPI_VERSION >= 4 || OMPI_MAJOR_VERSION >= 5
    MPI_Request_free(&parts_out);
    MPI_Request_free(&parts_in);
    MPI_Request_free(&barrier_init);
#endif
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_File_close(&file);
    void *detached;
    int detached_size;
    MPI_Buffer_detach(&detached, &detached_size);
    MPI_Type_free(&column);
    MPI_Type_free(&pair_type);
    MPI_Comm *made[] = {&ocean, &calm, &alone, &parity, &even_odd, &lossy, &meeting, &past_meeting, &duplicate};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        MPI_Comm_free(made[i]);
    MPI_Finalize();
    return 0;
}
