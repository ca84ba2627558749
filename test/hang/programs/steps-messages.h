/* Steps of messages: PEER TAG; -1 as a peer is MPI_ANY_SOURCE, as a tag MPI_ANY_TAG. Requests pile up until they are waited for. */
#define MAX_REQUESTS 16
static MPI_Request requests[MAX_REQUESTS];
static int pending;
static MPI_Message matched;
static char buffered[1 << 20];

static int any_source(int peer) { return peer < 0 ? MPI_ANY_SOURCE : peer; }
static int any_tag(int tag) { return tag < 0 ? MPI_ANY_TAG : tag; }
static MPI_Request *next_request(void) { return &requests[pending++ % MAX_REQUESTS]; }

static void step_recv(struct arguments it) { MPI_Recv(big_too, count, MPI_INT, any_source(it.a), any_tag(it.b), it.comm, IGNORE); }
static void step_send(struct arguments it) { MPI_Send(big, count, MPI_INT, it.a, it.b, it.comm); }
static void step_ssend(struct arguments it) { MPI_Ssend(big, count, MPI_INT, it.a, it.b, it.comm); }
static void step_rsend(struct arguments it) { MPI_Rsend(big, count, MPI_INT, it.a, it.b, it.comm); }
static void step_bsend(struct arguments it)
{
    static int attached;
    if (!attached++) MPI_Buffer_attach(buffered, sizeof buffered);
    MPI_Bsend(big, count, MPI_INT, it.a, it.b, it.comm);
}
static void step_detach(struct arguments it)
{
    void *buffer;
    (void)it;
    MPI_Buffer_detach(&buffer, &one);
}
static void step_irecv(struct arguments it)
{
    MPI_Irecv(big_too, count, MPI_INT, any_source(it.a), any_tag(it.b), it.comm, next_request());
}
static void step_isend(struct arguments it) { MPI_Isend(big, count, MPI_INT, it.a, it.b, it.comm, next_request()); }
static void step_issend(struct arguments it) { MPI_Issend(big, count, MPI_INT, it.a, it.b, it.comm, next_request()); }
static void step_recv_init(struct arguments it)
{
    MPI_Recv_init(big_too, count, MPI_INT, any_source(it.a), any_tag(it.b), it.comm, next_request());
}
static void step_send_init(struct arguments it) { MPI_Send_init(big, count, MPI_INT, it.a, it.b, it.comm, next_request()); }
static void step_ssend_init(struct arguments it) { MPI_Ssend_init(big, count, MPI_INT, it.a, it.b, it.comm, next_request()); }
static void step_start(struct arguments it) { MPI_Start(&requests[it.a]); }
static void step_startall(struct arguments it)
{
    (void)it;
    MPI_Startall(pending, requests);
}
/* DESTINATION SOURCE TAG */
static void step_sendrecv(struct arguments it)
{
    MPI_Sendrecv(big, count, MPI_INT, it.a, it.c, big_too, count, MPI_INT, any_source(it.b), it.c, it.comm, IGNORE);
}
static void step_sendrecv_replace(struct arguments it)
{
    MPI_Sendrecv_replace(big, count, MPI_INT, it.a, it.c, any_source(it.b), it.c, it.comm, IGNORE);
}
static void step_probe(struct arguments it) { MPI_Probe(any_source(it.a), any_tag(it.b), it.comm, IGNORE); }
static void step_mprobe(struct arguments it) { MPI_Mprobe(any_source(it.a), any_tag(it.b), it.comm, &matched, IGNORE); }
static void step_mrecv(struct arguments it)
{
    (void)it;
    MPI_Mrecv(big_too, count, MPI_INT, &matched, IGNORE);
}
/* pause HOW MICROSECONDS: between the questions of iprobe and test; HOW: see pause_between(). */
static struct arguments pausing;
static void step_pause(struct arguments it) { pausing = it; }
static void pause_between(void)
{
    switch (pausing.a) {
    case 1: usleep(pausing.b); break;
    case 2: nanosleep(&(struct timespec){pausing.b / 1000000, pausing.b % 1000000 * 1000L}, NULL); break;
    case 3: sched_yield(); break;
    case 4: sleep(pausing.b / 1000000); break;
    case 5: poll(NULL, 0, pausing.b / 1000); break;
    }
}
static void step_iprobe(struct arguments it)
{
    int is_there = 0;
    while (!is_there) {
        MPI_Iprobe(any_source(it.a), any_tag(it.b), it.comm, &is_there, IGNORE);
        pause_between();
    }
}
/* The request with this number. */
static void step_wait(struct arguments it) { MPI_Wait(&requests[it.a], IGNORE); }
static void step_waitall(struct arguments it)
{
    (void)it;
    MPI_Waitall(pending, requests, MPI_STATUSES_IGNORE);
    pending = 0;
}
static void step_waitany(struct arguments it)
{
    (void)it;
    MPI_Waitany(pending, requests, &one, IGNORE);
}
static void step_waitsome(struct arguments it)
{
    int indices[MAX_REQUESTS];
    (void)it;
    MPI_Waitsome(pending, requests, &one, indices, MPI_STATUSES_IGNORE);
}
static void step_test(struct arguments it)
{
    int is_complete = 0;
    while (!is_complete) {
        MPI_Test(&requests[it.a], &is_complete, IGNORE);
        pause_between();
    }
}
static void step_cancel(struct arguments it) { MPI_Cancel(&requests[it.a]); }

static int query(void *state, MPI_Status *status)
{
    (void)state;
    MPI_Status_set_elements(status, MPI_INT, 0);
    MPI_Status_set_cancelled(status, 0);
    return MPI_SUCCESS;
}
static int forget(void *state) { return state != NULL; }
static int cancel(void *state, int is_complete) { return state != NULL && is_complete; }
static void step_grequest(struct arguments it)
{
    (void)it;
    MPI_Grequest_start(query, forget, cancel, NULL, next_request());
}
static void step_grequest_complete(struct arguments it) { MPI_Grequest_complete(requests[it.a]); }

#if MPI_VERSION >= 4
static void step_psend(struct arguments it)
{
    MPI_Request *request = next_request();
    MPI_Psend_init(big, 2, count, MPI_INT, it.a, it.b, it.comm, MPI_INFO_NULL, request);
    MPI_Start(request);
    MPI_Pready(0, *request);
}
static void step_pready(struct arguments it) { MPI_Pready(1, requests[it.a]); }
static void step_precv(struct arguments it)
{
    MPI_Request *request = next_request();
    MPI_Precv_init(big_too, 2, count, MPI_INT, it.a, it.b, it.comm, MPI_INFO_NULL, request);
    MPI_Start(request);
}
#endif

static const struct step_call message_calls[] = {
    {"recv", step_recv}, {"send", step_send}, {"ssend", step_ssend}, {"rsend", step_rsend}, {"bsend", step_bsend},
    {"detach", step_detach}, {"irecv", step_irecv}, {"isend", step_isend}, {"issend", step_issend},
    {"recv_init", step_recv_init}, {"send_init", step_send_init}, {"ssend_init", step_ssend_init}, {"start", step_start},
    {"startall", step_startall}, {"sendrecv", step_sendrecv}, {"sendrecv_replace", step_sendrecv_replace},
    {"probe", step_probe}, {"mprobe", step_mprobe}, {"mrecv", step_mrecv}, {"iprobe", step_iprobe}, {"wait", step_wait},
    {"waitall", step_waitall}, {"waitany", step_waitany}, {"waitsome", step_waitsome}, {"test", step_test}, {"pause", step_pause},
    {"cancel", step_cancel}, {"grequest", step_grequest}, {"grequest_complete", step_grequest_complete},
#if MPI_VERSION >= 4
    {"psend", step_psend}, {"pready", step_pready}, {"precv", step_precv},
#endif
    {NULL, NULL},
};
