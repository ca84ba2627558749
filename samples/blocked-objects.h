/*
 * blocked-objects.h - one object of each kind that a program keeps while it calls MPI, and what its calls wait for.
 *
 * A call that does not return has no handle to tell about: the program tells its arguments before it makes the call.
 *
 *     MPIDBG-BLOCKED {"rank":0,"step":1,"call":"MPI_Recv","request":{"operation":"receive","peer":2,...}}
 */
#ifndef BLOCKED_OBJECTS_H
#define BLOCKED_OBJECTS_H

#include "truth-datatype.h"
#include "truth-file.h"
#include "truth-objects.h"
#include "truth-request.h"
#include "truth-win.h"

static struct {
    MPI_Comm ocean; /* messages flow here */
    MPI_Comm calm;  /* and here never */
    MPI_Datatype column;
    MPI_Group evens;
    MPI_Info hints;
    MPI_Op combine;
    MPI_Errhandler watcher;
    MPI_Win win;
    MPI_File file;
    MPI_Request named, from_anybody, persistent;
    MPI_Message probed;
    MPI_Status probe_status;
    char path[100];
} kept;

static int kept_numbers[16];
static int kept_received[3][16];

static void keep_larger(void *in, void *inout, int *length, MPI_Datatype *type)
{
    int *a = in, *b = inout;
    (void)type;
    for (int i = 0; i < *length; i++)
        b[i] = a[i] > b[i] ? a[i] : b[i];
}

static void on_comm_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    fprintf(stderr, "MPI error %d\n", *code);
}

/* Collective over MPI_COMM_WORLD. */
static void make_kept(int rank, int size)
{
    const int right = (rank + 1) % size, left = (rank + size - 1) % size;
    int even_range[1][3] = {{0, size - 1, 2}};
    MPI_Group everybody;
    MPI_Comm_dup(MPI_COMM_WORLD, &kept.ocean);
    MPI_Comm_set_name(kept.ocean, "ocean");
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &kept.calm);
    MPI_Comm_set_name(kept.calm, "calm");
    MPI_Type_vector(3, 2, 4, MPI_DOUBLE, &kept.column);
    MPI_Type_set_name(kept.column, "column");
    MPI_Type_commit(&kept.column);
    MPI_Comm_group(MPI_COMM_WORLD, &everybody);
    MPI_Group_range_incl(everybody, 1, even_range, &kept.evens);
    MPI_Group_free(&everybody);
    MPI_Info_create(&kept.hints);
    MPI_Info_set(kept.hints, "cb_nodes", "2");
    MPI_Info_set(kept.hints, "striping_unit", "65536");
    MPI_Op_create(keep_larger, 1, &kept.combine);
    MPI_Comm_create_errhandler(on_comm_error, &kept.watcher);
    MPI_Comm_set_errhandler(kept.calm, kept.watcher);
    MPI_Win_create(kept_numbers, sizeof kept_numbers, sizeof kept_numbers[0], MPI_INFO_NULL, kept.ocean, &kept.win);
    MPI_Win_set_name(kept.win, "numbers");
    snprintf(kept.path, sizeof kept.path, "/tmp/mpidbg-blocked-%d", (int)getpid());
    MPI_File_open(MPI_COMM_SELF, kept.path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &kept.file);
    unlink(kept.path); /* however the program ends, nothing stays */
    MPI_Irecv(kept_received[0], 5, MPI_INT, left, 901, kept.calm, &kept.named);
    MPI_Irecv(kept_received[1], 16, MPI_INT, MPI_ANY_SOURCE, 902, kept.calm, &kept.from_anybody);
    MPI_Recv_init(kept_received[2], 7, MPI_INT, left, 903, kept.calm, &kept.persistent);
    MPI_Send(kept_numbers, 4, MPI_INT, right, 904, kept.ocean);
    MPI_Mprobe(left, 904, kept.ocean, &kept.probed, &kept.probe_status);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void tell_kept(int rank, int size)
{
    const int left = (rank + size - 1) % size;
    const MPI_Comm comms[] = {kept.ocean, kept.calm};
    truth_comm("MPI_COMM_WORLD", MPI_COMM_WORLD);
    truth_comm("kept.ocean", kept.ocean);
    truth_comm("kept.calm", kept.calm);
    truth_datatype("MPI_INT", MPI_INT, 1);
    truth_datatype("MPI_DOUBLE", MPI_DOUBLE, 1);
    truth_datatype("kept.column", kept.column, 1);
    truth_group("kept.evens", kept.evens);
    truth_info("kept.hints", kept.hints);
    TRUTH_OP("kept.combine", kept.combine, keep_larger);
    truth_errhandler("kept.watcher", kept.watcher, "communicator", 0, (unsigned long)(uintptr_t)on_comm_error,
                     "on_comm_error", 2, comms, 1, &kept.win, 1, &kept.file);
    truth_win("kept.win", kept.win, (struct truth_win){.comm = kept.ocean});
    truth_file("kept.file", kept.file, kept.path, MPI_COMM_SELF);
    truth_message("kept.probed", kept.probed, kept.ocean, &kept.probe_status);
    truth_status("kept.probe_status", &kept.probe_status);
    truth_request("kept.named", kept.named,
                  (struct truth_request){.operation = "receive", .buffer = kept_received[0], .count = 5,
                                         .datatype = MPI_INT, .peer = left, .tag = 901, .comm = kept.calm});
    truth_request("kept.from_anybody", kept.from_anybody,
                  (struct truth_request){.operation = "receive", .buffer = kept_received[1], .count = 16,
                                         .datatype = MPI_INT, .peer = MPI_ANY_SOURCE, .tag = 902, .comm = kept.calm});
    truth_request("kept.persistent", kept.persistent,
                  (struct truth_request){.operation = "receive", .buffer = kept_received[2], .count = 7,
                                         .datatype = MPI_INT, .peer = left, .tag = 903, .comm = kept.calm,
                                         .is_persistent = 1, .is_inactive = 1});
}

static void free_kept(void)
{
    MPI_Request *pending[] = {&kept.named, &kept.from_anybody};
    for (int i = 0; i < 2; i++) {
        MPI_Cancel(pending[i]);
        MPI_Wait(pending[i], MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&kept.persistent);
    MPI_Mrecv(kept_numbers, 4, MPI_INT, &kept.probed, MPI_STATUS_IGNORE);
    MPI_File_close(&kept.file);
    MPI_Win_free(&kept.win);
    MPI_Errhandler_free(&kept.watcher);
    MPI_Op_free(&kept.combine);
    MPI_Info_free(&kept.hints);
    MPI_Group_free(&kept.evens);
    MPI_Type_free(&kept.column);
    MPI_Comm_free(&kept.calm);
    MPI_Comm_free(&kept.ocean);
}

/* A step that this rank will wait in; `made`: an operation that is pending meanwhile, or NULL. */
__attribute__((unused)) static void tell_blocked(int step, const char *call, const struct truth_request *made)
{
    if (!truth_is_wanted)
        return;
    truth_add("MPIDBG-BLOCKED {\"rank\":%d,\"step\":%d,\"call\":\"%s\"", truth_rank, step, call);
    if (made != NULL) {
        truth_add(",\"request\":{\"name\":\"\",\"flags\":[],\"operation\":\"%s\",\"active\":true,\"complete\":false",
                  made->operation);
        if (made->send_mode != NULL)
            truth_add(",\"sendMode\":\"%s\"", made->send_mode);
        truth_add_comm_ref("comm", made->comm);
        if (made->datatype != (MPI_Datatype)0)
            truth_add_transfer(made);
        truth_add("}");
    }
    truth_add("}");
    truth_print();
}

/* A step that this rank will wait in, and the global variable that holds what the call makes meanwhile, of that kind. */
__attribute__((unused)) static void tell_making(int step, const char *call, const char *variable, const char *kind)
{
    if (!truth_is_wanted)
        return;
    truth_add("MPIDBG-BLOCKED {\"rank\":%d,\"step\":%d,\"call\":\"%s\",", truth_rank, step, call);
    truth_add("\"making\":{\"variable\":\"%s\",\"kind\":\"%s\"}}", variable, kind);
    truth_print();
}

/* With --wait: prepares for SIGUSR1 and says that this rank goes into its calls. */
__attribute__((unused)) static void say_blocking(void)
{
    if (!truth_wait_is_wanted)
        return;
    struct sigaction action = {.sa_handler = truth_on_signal, .sa_flags = SA_RESTART};
    if (pipe(truth_wake_up) != 0 || sigaction(SIGUSR1, &action, NULL) != 0) {
        perror("wait");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    printf("MPIDBG-WAITING {\"rank\":%d,\"pid\":%d}\n", truth_rank, (int)getpid());
    fflush(stdout);
}

/* With --wait: waits outside MPI until the next SIGUSR1. */
__attribute__((unused)) static void wait_for_signal(void)
{
    char byte;
    while (truth_wait_is_wanted && read(truth_wake_up[0], &byte, 1) != 1)
        continue;
}

#endif
