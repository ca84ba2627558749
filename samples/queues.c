/*
 * queues.c - messages that nobody receives yet, receives that nothing comes for, and sends that nobody takes.
 *
 *     mpirun -n 4 queues              runs and ends
 *     mpirun -n 4 queues --wait &     waits, so that you can try:  mpidbg queues --launcher $!
 *
 * With --truth each rank tells its queues by communicator, as MPI_Iprobe and its own calls have them:
 *
 *     MPIDBG-QUEUES {"rank":0,"comms":[{"comm":"0x84000001","posted":[{"peer":1,"tag":12,"bytes":8,...}],...}]}
 */
#include "truth.h"

enum { MANY = 1 << 18 }; /* numbers in a message that is too large to be sent before it is received */
enum { SMALL = 71, LARGE, SYNCHRONOUS, EMPTY, COLUMNS, READY, PERSISTENT, AGAIN, NEVER_SENT, TO_MYSELF, ACROSS, BUFFERED };

static double outgoing[MANY], incoming[8][64];
static char attached[200000];

struct Item {
    int peer, tag;
    long bytes;
    MPI_Request *request;
};

struct Queue {
    struct Item items[16];
    int count;
};

/* The queues of one communicator. */
struct Queues {
    MPI_Comm comm;
    struct Queue posted, unexpected, sends;
};

static struct Queues all[4];
static int comm_count;

static void add(struct Queue *queue, int peer, int tag, long bytes, MPI_Request *request)
{
    queue->items[queue->count++] = (struct Item){peer, tag, bytes, request};
}

/* Waits until MPI_Iprobe finds the message; what it tells is the truth. */
static void arrived(struct Queues *on, int source, int tag)
{
    MPI_Status status;
    int flag = 0;
    MPI_Count bytes;
    while (!flag)
        MPI_Iprobe(source, tag, on->comm, &flag, &status);
    MPI_Get_elements_x(&status, MPI_BYTE, &bytes);
    add(&on->unexpected, status.MPI_SOURCE, status.MPI_TAG, (long)bytes, NULL);
}

static void tell_queue(const char *name, const struct Queue *queue)
{
    truth_add(",\"%s\":[", name);
    for (int i = 0; i < queue->count; i++) {
        const struct Item *item = &queue->items[i];
        truth_add("%s{\"peer\":", i > 0 ? "," : "");
        if (item->peer == MPI_ANY_SOURCE)
            truth_add("\"MPI_ANY_SOURCE\"");
        else
            truth_add("%d", item->peer);
        if (item->tag == MPI_ANY_TAG)
            truth_add(",\"tag\":\"MPI_ANY_TAG\"");
        else
            truth_add(",\"tag\":%d", item->tag);
        truth_add(",\"bytes\":%ld", item->bytes);
        if (item->request != NULL)
            truth_add(",\"request\":\"0x%lx\"", TRUTH_HANDLE(*item->request));
        truth_add("}");
    }
    truth_add("]");
}

static void tell_queues(void)
{
    if (!truth_is_wanted)
        return;
    truth_add("MPIDBG-QUEUES {\"rank\":%d,\"comms\":[", truth_rank);
    for (int i = 0; i < comm_count; i++) {
        truth_add("%s{\"comm\":\"0x%lx\"", i > 0 ? "," : "", TRUTH_HANDLE(all[i].comm));
        tell_queue("posted", &all[i].posted);
        tell_queue("unexpected", &all[i].unexpected);
        tell_queue("sends", &all[i].sends);
        truth_add("}");
    }
    truth_add("]}");
    truth_print();
}

static struct Queues *queues_of(MPI_Comm comm)
{
    all[comm_count].comm = comm;
    return &all[comm_count++];
}

/* Lets MPI do what is left to do, so that nothing changes any more while the ranks are looked at. */
static void settle(MPI_Comm comm)
{
    int flag;
    for (int i = 0; i < 200; i++)
        MPI_Iprobe(MPI_ANY_SOURCE, NEVER_SENT, comm, &flag, MPI_STATUS_IGNORE);
}

static void receive(struct Queues *on, int source, int tag)
{
    static double anywhere[MANY];
    MPI_Recv(anywhere, sizeof anywhere, MPI_PACKED, source, tag, on->comm, MPI_STATUS_IGNORE); /* of any type */
}

int main(int argc, char **argv)
{
    int rank, size;
    truth_start_even(&argc, &argv, &rank, &size);
    const int right = (rank + 1) % size, left = (rank + size - 1) % size;
    const int across = rank / 2; /* in the other group */

    MPI_Comm ocean, calm, alone, parity, even_odd;
    MPI_Comm_dup(MPI_COMM_WORLD, &ocean);
    MPI_Comm_set_name(ocean, "ocean");
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &calm); /* its ranks count backwards */
    MPI_Comm_dup(MPI_COMM_SELF, &alone);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &parity);
    MPI_Intercomm_create(parity, 0, MPI_COMM_WORLD, 1 - rank % 2, 7, &even_odd);
    struct Queues *on_ocean = queues_of(ocean), *on_calm = queues_of(calm), *on_alone = queues_of(alone),
                  *on_even_odd = queues_of(even_odd);
    MPI_Buffer_attach(attached, sizeof attached);

    MPI_Datatype column;
    MPI_Type_vector(1000, 1, 2, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);

    /* Sends in the order in which they arrive. */
    MPI_Request sends[8];
    const struct { int tag; long bytes; } sent[] = {{SMALL, 12}, {LARGE, 8L * MANY}, {SYNCHRONOUS, 8}, {EMPTY, 0},
                                                    {COLUMNS, 8000}, {PERSISTENT, 8L * MANY}};
    MPI_Isend(outgoing, 3, MPI_INT, right, SMALL, ocean, &sends[0]);
    MPI_Isend(outgoing, MANY, MPI_DOUBLE, right, LARGE, ocean, &sends[1]);
    MPI_Issend(outgoing, 2, MPI_INT, right, SYNCHRONOUS, ocean, &sends[2]);
    MPI_Isend(NULL, 0, MPI_INT, right, EMPTY, ocean, &sends[3]);
    MPI_Isend(outgoing, 1, column, right, COLUMNS, ocean, &sends[4]);
    MPI_Send_init(outgoing, MANY, MPI_DOUBLE, right, PERSISTENT, ocean, &sends[5]);
    MPI_Start(&sends[5]);
    MPI_Bsend(outgoing, 10000, MPI_DOUBLE, right, BUFFERED, ocean);
    for (int n = 1; n <= 3; n++)
        MPI_Send(outgoing, n, MPI_INT, right, AGAIN, ocean);
    MPI_Issend(outgoing, 5, MPI_INT, 0, TO_MYSELF, alone, &sends[6]);
    MPI_Issend(outgoing, 6, MPI_INT, across, ACROSS, even_odd, &sends[7]);

    /* Receives that nothing comes for. */
    MPI_Request receives[6];
    MPI_Irecv(incoming[0], 5, MPI_INT, left, NEVER_SENT, ocean, &receives[0]);
    MPI_Irecv(incoming[1], 64, MPI_DOUBLE, MPI_ANY_SOURCE, NEVER_SENT, ocean, &receives[1]);
    MPI_Irecv(incoming[2], 6, MPI_FLOAT, 0, MPI_ANY_TAG, calm, &receives[2]);
    MPI_Irecv(incoming[3], 7, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, calm, &receives[3]);
    MPI_Recv_init(incoming[4], 8, MPI_SHORT, size - 1, NEVER_SENT, calm, &receives[4]);
    MPI_Start(&receives[4]);
    MPI_Irecv(incoming[5], 2, MPI_INT, across, NEVER_SENT, even_odd, &receives[5]);
    add(&on_ocean->posted, left, NEVER_SENT, 20, &receives[0]);
    add(&on_ocean->posted, MPI_ANY_SOURCE, NEVER_SENT, 512, &receives[1]);
    add(&on_calm->posted, 0, MPI_ANY_TAG, 24, &receives[2]);
    add(&on_calm->posted, MPI_ANY_SOURCE, MPI_ANY_TAG, 7, &receives[3]);
    add(&on_calm->posted, size - 1, NEVER_SENT, 16, &receives[4]);
    add(&on_even_odd->posted, across, NEVER_SENT, 8, &receives[5]);

    /* What has arrived: of the three with one tag MPI tells the first alone, until the one behind them is there. */
    for (int i = 0; i < 6; i++)
        arrived(on_ocean, left, sent[i].tag);
    arrived(on_ocean, left, BUFFERED);
    arrived(on_ocean, left, AGAIN);
    add(&on_ocean->unexpected, left, AGAIN, 8, NULL);
    add(&on_ocean->unexpected, left, AGAIN, 12, NULL);
    arrived(on_alone, 0, TO_MYSELF);
    arrived(on_even_odd, across, ACROSS);

    /* A collective operation that the last rank has not come to: its messages are the library's. */
    MPI_Request barrier = MPI_REQUEST_NULL;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank != size - 1)
        MPI_Ibarrier(ocean, &barrier);
    settle(ocean);
    MPI_Barrier(MPI_COMM_WORLD);
    settle(ocean);

    /* What of it is pending. */
    for (int i = 0; i < 8; i++) {
        int is_complete;
        MPI_Request_get_status(sends[i], &is_complete, MPI_STATUS_IGNORE);
        if (is_complete)
            continue;
        if (i < 6)
            add(&on_ocean->sends, right, sent[i].tag, sent[i].bytes, &sends[i]);
        else if (i == 6)
            add(&on_alone->sends, 0, TO_MYSELF, 20, &sends[i]);
        else
            add(&on_even_odd->sends, across, ACROSS, 24, &sends[i]);
    }
    add(&on_ocean->sends, right, BUFFERED, 80000, NULL); /* too large to be sent ahead, and nobody has received it */

    tell_queues();
    wait_for_debugger(); /* stop: waiting */

    for (int i = 0; i < 6; i++)
        receive(on_ocean, left, sent[i].tag);
    receive(on_ocean, left, BUFFERED);
    for (int n = 0; n < 3; n++)
        receive(on_ocean, left, AGAIN);
    receive(on_alone, 0, TO_MYSELF);
    receive(on_even_odd, across, ACROSS);
    if (rank == size - 1)
        MPI_Ibarrier(ocean, &barrier);
    MPI_Wait(&barrier, MPI_STATUS_IGNORE);
    for (int i = 0; i < 6; i++) {
        MPI_Cancel(&receives[i]);
        MPI_Wait(&receives[i], MPI_STATUS_IGNORE);
    }
    MPI_Waitall(8, sends, MPI_STATUSES_IGNORE);
    MPI_Request_free(&sends[5]);
    MPI_Request_free(&receives[4]);
    void *buffer;
    int bytes;
    MPI_Buffer_detach(&buffer, &bytes);
    MPI_Type_free(&column);
    MPI_Comm_free(&even_odd);
    MPI_Comm_free(&parity);
    MPI_Comm_free(&alone);
    MPI_Comm_free(&calm);
    MPI_Comm_free(&ocean);
    MPI_Finalize();
    return 0;
}
