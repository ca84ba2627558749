/*
 * truth-request.h - what is true of a request, and of a message that was probed; see truth.h.
 *
 * MPI has one call that tells about a request, MPI_Request_get_status: whether it is complete, and its status. All else
 * is what the program itself passed to the call that made it.
 */
#ifndef TRUTH_REQUEST_H
#define TRUTH_REQUEST_H

#include "truth-refs.h"
#include "truth-status.h"

/* The arguments of the call that made a request. What is 0 or NULL was no argument of it. */
struct truth_request {
    const char *operation; /* "send", "receive", "collective", ... as in RequestInfo */
    const char *send_mode; /* "standard", "buffered", "synchronous", "ready" */
    int is_persistent;
    int is_inactive; /* a persistent one that is not started */
    int is_freed;    /* MPI_Request_free was called on it while it was pending: MPI must not be asked about it */
    MPI_Comm comm;
    MPI_File file;
    MPI_Win win;
    const void *buffer;
    long count;
    MPI_Datatype datatype; /* set: a transfer, with buffer and count; between ranks of comm, with peer and tag */
    int peer;
    int tag;
    int has_fortran_handle; /* MPI_Request_c2f was called on it: in Open MPI a request has no number before */
};

static void truth_add_world_rank(MPI_Comm comm, int peer)
{
    MPI_Group peers, world;
    int is_inter, world_rank;
    MPI_Comm_test_inter(comm, &is_inter);
    if (is_inter)
        MPI_Comm_remote_group(comm, &peers);
    else
        MPI_Comm_group(comm, &peers);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_translate_ranks(peers, 1, &peer, world, &world_rank);
    MPI_Group_free(&peers);
    MPI_Group_free(&world);
    if (world_rank == MPI_UNDEFINED)
        truth_add(",\"peerWorldRank\":null");
    else
        truth_add(",\"peerWorldRank\":%d", world_rank);
}

static void truth_add_transfer(const struct truth_request *made)
{
    int size;
    if (made->comm != (MPI_Comm)0) {
        truth_add(",");
        truth_add_rank("peer", made->peer);
        if (made->peer >= 0)
            truth_add_world_rank(made->comm, made->peer);
        truth_add(",");
        truth_add_tag(made->tag);
    }
    truth_add(",\"buffer\":\"0x%lx\",\"count\":%ld", (unsigned long)(uintptr_t)made->buffer, made->count);
    truth_add_datatype_ref("datatype", made->datatype);
    MPI_Type_size(made->datatype, &size);
    truth_add(",\"bytes\":%ld", made->count * size);
}

/* For MPI, an inactive request is as good as a complete one. */
static int truth_request_is_complete(MPI_Request request, const struct truth_request *made, MPI_Status *status)
{
    int flag;
    if (made->is_freed || made->is_inactive)
        return 0;
    /* It returns how the operation went, and leaves MPI_ERROR of the status as it was. */
    MPI_Error_class(MPI_Request_get_status(request, &flag, status), &status->MPI_ERROR);
    return flag;
}

/*
 * MPI_Request_get_status of MPICH 4.2 ends the operation of a persistent request when it tells that it is complete: from
 * then on the request is inactive, and its status the empty one. The status of a receive shows it; that of a send says
 * nothing, so another persistent request is asked twice.
 */
static int truth_asking_ends_requests(void)
{
    static int known, ends;
    if (known)
        return ends;
    MPI_Request nothing;
    MPI_Status status = {0};
    int flag = 0;
    MPI_Recv_init(NULL, 0, MPI_INT, 0, 0, MPI_COMM_SELF, &nothing);
    MPI_Start(&nothing);
    MPI_Send(NULL, 0, MPI_INT, 0, 0, MPI_COMM_SELF);
    while (!flag)
        MPI_Request_get_status(nothing, &flag, &status);
    MPI_Request_get_status(nothing, &flag, &status);
    ends = status.MPI_SOURCE == MPI_ANY_SOURCE;
    if (!ends)
        MPI_Wait(&nothing, MPI_STATUS_IGNORE);
    MPI_Request_free(&nothing);
    known = 1;
    return ends;
}

static int truth_has_ended(const struct truth_request *made, const MPI_Status *status)
{
    if (!made->is_persistent)
        return 0;
    if (strcmp(made->operation, "send") == 0)
        return truth_asking_ends_requests();
    return strcmp(made->operation, "receive") == 0 && status->MPI_SOURCE == MPI_ANY_SOURCE &&
           status->MPI_TAG == MPI_ANY_TAG;
}

static void truth_request_full(const char *ask, const char *expression, MPI_Request request, struct truth_request made)
{
    if (!truth_is_wanted)
        return;
    truth_begin_line(ask, expression);
    truth_add(",\"kind\":\"request\",\"info\":{\"handle\":\"0x%lx\"", TRUTH_HANDLE(request));
    if (request == MPI_REQUEST_NULL) {
        truth_add(",\"fortranHandle\":%d,\"name\":\"MPI_REQUEST_NULL\",\"flags\":[\"predefined\",\"requestNull\"]}}",
                  (int)MPI_Request_c2f(request));
        truth_print();
        return;
    }
    MPI_Status status = {0};
    int is_cancelled = 0;
    int is_complete = truth_request_is_complete(request, &made, &status);
    if (is_complete && truth_has_ended(&made, &status)) {
        is_complete = 0;
        made.is_inactive = 1;
    }
    const int is_empty = strcmp(made.operation, "empty") == 0;
    if (is_complete && made.file == (MPI_File)0) /* Open MPI 4.1 never sets it for file operations */
        MPI_Test_cancelled(&status, &is_cancelled);
#ifdef OPEN_MPI
    if (made.has_fortran_handle)
#endif
        truth_add(",\"fortranHandle\":%d", (int)MPI_Request_c2f(request));
    truth_add(",\"name\":\"\",\"flags\":[%s%s%s%s%s]", made.is_persistent ? "\"persistent\"" : "",
              made.is_persistent && (is_cancelled || made.is_freed) ? "," : "", is_cancelled ? "\"cancelled\"" : "",
              is_cancelled && made.is_freed ? "," : "", made.is_freed ? "\"freedHandle\"" : "");
    truth_add(",\"operation\":\"%s\",\"active\":%s,\"complete\":%s", made.operation,
              made.is_inactive || is_empty ? "false" : "true", is_complete ? "true" : "false");
    if (made.send_mode != NULL)
        truth_add(",\"sendMode\":\"%s\"", made.send_mode);
    if (made.comm != (MPI_Comm)0)
        truth_add_comm_ref("comm", made.comm);
    if (made.win != (MPI_Win)0)
        truth_add_win_ref("win", made.win);
    if (made.file != (MPI_File)0)
        truth_add_ref("file", "file", TRUTH_FILE(made.file), "");
    if (made.datatype != (MPI_Datatype)0)
        truth_add_transfer(&made);
    /* The status of a finished send says nothing but that it was not cancelled. */
    if (is_complete && (strcmp(made.operation, "receive") == 0 || strcmp(made.operation, "generalized") == 0)) {
        truth_add(",\"status\":{");
        truth_add_status_fields(&status);
        truth_add("}");
    }
    truth_add("}}");
    truth_print();
}

__attribute__((unused)) static void truth_request(const char *expression, MPI_Request request, struct truth_request made)
{
    truth_request_full(NULL, expression, request, made);
}

/* A member or element: asking for `ask` gives an answer named `expression`, among others. */
__attribute__((unused)) static void truth_request_in(const char *ask, const char *expression, MPI_Request request,
                                                     struct truth_request made)
{
    truth_request_full(ask, expression, request, made);
}

/*
 * An operation that is complete at once may be given the library's shared, complete request, which holds nothing of it.
 * A program sees that: two such operations have the same handle.
 */
__attribute__((unused)) static struct truth_request truth_unless_shared(MPI_Request request, MPI_Request twin,
                                                                        struct truth_request made)
{
    return request == twin ? (struct truth_request){.operation = "empty"} : made;
}

/* A message from MPI_Mprobe, with the status of that call. */
__attribute__((unused)) static void truth_message(const char *expression, MPI_Message message, MPI_Comm comm,
                                                  const MPI_Status *status)
{
    MPI_Count bytes;
    if (!truth_is_wanted)
        return;
    truth_begin_line(NULL, expression);
    truth_add(",\"kind\":\"message\",\"info\":{\"handle\":\"0x%lx\"", TRUTH_HANDLE(message));
    if (message == MPI_MESSAGE_NULL || message == MPI_MESSAGE_NO_PROC) {
        const int is_null = message == MPI_MESSAGE_NULL;
        truth_add(",\"fortranHandle\":%d,\"name\":\"%s\",\"flags\":[\"predefined\",\"%s\"]}}",
                  (int)MPI_Message_c2f(message), is_null ? "MPI_MESSAGE_NULL" : "MPI_MESSAGE_NO_PROC",
                  is_null ? "messageNull" : "messageNoProc");
    } else {
#ifndef OPEN_MPI
        truth_add(",\"fortranHandle\":%d", (int)MPI_Message_c2f(message));
#endif
        truth_add(",\"name\":\"\",\"flags\":[]");
        truth_add_comm_ref("comm", comm);
        MPI_Get_elements_x(status, MPI_BYTE, &bytes);
        truth_add(",\"peer\":%d,\"tag\":%d,\"bytes\":", status->MPI_SOURCE, status->MPI_TAG);
        truth_add_integer(bytes);
        truth_add("}}");
    }
    truth_print();
}

#endif
