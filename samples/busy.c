/*
 * busy.c - makes and frees objects of every kind, and sends messages, again and again, beside some that it keeps.
 *
 *     mpirun -n 2 busy              a hundred turns
 *     mpirun -n 2 busy --wait &     goes on until SIGUSR1 comes: stop it anywhere, then try
 *                                   mpidbg handles --launcher $!
 */
#include "blocked-objects.h"

enum { MANY = 1 << 16 }; /* numbers in a message that is too large to be sent before it is received */

static int rank, size, peer;
static double outgoing[MANY], incoming[MANY];
static int numbers[64], received[64];

static void use_comms(void)
{
    MPI_Comm duplicate, part, line;
    int keyval, none[1] = {0};
    MPI_Comm_dup(kept.ocean, &duplicate);
    MPI_Comm_set_name(duplicate, "short-lived");
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
    MPI_Comm_set_attr(duplicate, keyval, numbers);
    MPI_Comm_delete_attr(duplicate, keyval);
    MPI_Comm_free_keyval(&keyval);
    MPI_Comm_split(kept.ocean, rank % 2, rank, &part);
    MPI_Cart_create(kept.ocean, 1, &size, none, 0, &line);
    MPI_Barrier(duplicate);
    MPI_Comm_free(&line);
    MPI_Comm_free(&part);
    MPI_Comm_free(&duplicate);
}

static void use_datatypes(void)
{
    MPI_Datatype column, copy, pair;
    MPI_Type_vector(3, 2, 4, MPI_DOUBLE, &column);
    MPI_Type_set_name(column, "short-lived");
    MPI_Type_commit(&column);
    MPI_Type_dup(column, &copy);
    MPI_Type_create_struct(2, (int[]){1, 2}, (MPI_Aint[]){0, 512}, (MPI_Datatype[]){MPI_INT, column}, &pair);
    MPI_Type_commit(&pair);
    MPI_Type_free(&column);
    MPI_Type_free(&pair);
    MPI_Type_free(&copy);
}

static void use_requests(void)
{
    MPI_Request requests[4], persistent;
    MPI_Status statuses[4];
    MPI_Message message;
    MPI_Irecv(received, 64, MPI_INT, peer, 1, kept.ocean, &requests[0]);
    MPI_Isend(numbers, 8, MPI_INT, peer, 1, kept.ocean, &requests[1]);
    MPI_Waitall(2, requests, statuses);
    MPI_Irecv(incoming, MANY, MPI_DOUBLE, MPI_ANY_SOURCE, 2, kept.ocean, &requests[0]);
    MPI_Isend(outgoing, MANY, MPI_DOUBLE, peer, 2, kept.ocean, &requests[1]);
    MPI_Irecv(received, 2, kept.column, peer, 3, kept.ocean, &requests[2]);
    MPI_Issend(outgoing, 1, kept.column, peer, 3, kept.ocean, &requests[3]);
    MPI_Waitall(4, requests, statuses);
    MPI_Recv_init(received, 4, MPI_INT, peer, 4, kept.ocean, &persistent);
    MPI_Start(&persistent);
    MPI_Ssend_init(numbers, 4, MPI_INT, peer, 4, kept.ocean, &requests[0]);
    MPI_Start(&requests[0]);
    MPI_Wait(&persistent, &statuses[0]);
    MPI_Wait(&requests[0], &statuses[0]);
    MPI_Request_free(&persistent);
    MPI_Request_free(&requests[0]);
    MPI_Irecv(received, 4, MPI_INT, peer, 5, kept.calm, &requests[0]);
    MPI_Cancel(&requests[0]);
    MPI_Wait(&requests[0], &statuses[0]);
    MPI_Isend(numbers, 3, MPI_INT, peer, 6, kept.ocean, &requests[0]);
    MPI_Mprobe(peer, 6, kept.ocean, &message, &statuses[0]);
    MPI_Mrecv(received, 3, MPI_INT, &message, &statuses[0]);
    MPI_Wait(&requests[0], &statuses[0]);
    MPI_Ibarrier(kept.ocean, &requests[0]);
    MPI_Wait(&requests[0], &statuses[0]);
}

static void use_others(void)
{
    MPI_Group group, first;
    MPI_Info info;
    MPI_Op op;
    MPI_Errhandler handler;
    MPI_Win win;
    MPI_File file;
    char path[100];
    MPI_Comm_group(kept.ocean, &group);
    MPI_Group_incl(group, 1, &peer, &first);
    MPI_Group_free(&first);
    MPI_Group_free(&group);
    MPI_Info_create(&info);
    MPI_Info_set(info, "first", "1");
    MPI_Info_set(info, "second", "2");
    MPI_Info_set(info, "first", "a longer value");
    MPI_Info_delete(info, "first");
    MPI_Info_free(&info);
    MPI_Op_create(keep_larger, 1, &op);
    MPI_Op_free(&op);
    MPI_Comm_create_errhandler(on_comm_error, &handler);
    MPI_Errhandler_free(&handler);
    MPI_Win_create(numbers, sizeof numbers, 1, MPI_INFO_NULL, kept.ocean, &win);
    MPI_Win_fence(0, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    MPI_Win_free(&win);
    snprintf(path, sizeof path, "/tmp/mpidbg-busy-%d", (int)getpid());
    MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_File_close(&file);
}

/* All ranks agree to go on. */
static int goes_on(int turn)
{
    char byte;
    int is_over = truth_wait_is_wanted ? read(truth_wake_up[0], &byte, 1) == 1 : turn == 100;
    MPI_Bcast(&is_over, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return !is_over;
}

int main(int argc, char **argv)
{
    truth_start(&argc, &argv, &rank, &size);
    if (size != 2) {
        fprintf(stderr, "busy: give it two processes\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    peer = 1 - rank;
    make_kept(rank, size);
    tell_kept(rank, size);
    MPI_Barrier(MPI_COMM_WORLD);
    say_blocking();
    if (truth_wait_is_wanted)
        fcntl(truth_wake_up[0], F_SETFL, O_NONBLOCK);
    for (int turn = 0; goes_on(turn); turn++) {
        use_comms(); /* stop: next turn */
        use_datatypes();
        use_requests();
        use_others();
    }
    free_kept();
    MPI_Finalize();
    return 0;
}
