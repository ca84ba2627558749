/* Hangs as people write them, and programs that go on or come back: everyday CASE */
#include "cases.h"

static MPI_Comm coupler;
static int side;

static void groups(void)
{
    MPI_Comm mine;
    side = rank / 2;
    MPI_Comm_split(WORLD, side, 0, &mine);
    MPI_Intercomm_create(mine, 0, WORLD, side == 0 ? 2 : 0, 1, &coupler);
    MPI_Comm_set_name(coupler, "coupler");
    begin();
}

/* --- intercommunicators --- */
static void inter_gather(void) { groups(); MPI_Gather(big, 50000, MPI_INT, big_too, 50000, MPI_INT, 0, coupler); }
static void inter_bcast(void) { groups(); MPI_Bcast(big, 50000, MPI_INT, 0, coupler); }
static void inter_reduce(void) { groups(); MPI_Reduce(big, big_too, 50000, MPI_INT, MPI_SUM, 0, coupler); }
/* both sides: the leader passes MPI_ROOT */
static void inter_two_roots(void)
{
    groups();
    MPI_Bcast(big, 50000, MPI_INT, rank % 2 == 0 ? MPI_ROOT : MPI_PROC_NULL, coupler);
    MPI_Barrier(WORLD);
}
static void inter_other_root(void)
{
    groups();
    MPI_Bcast(big, 50000, MPI_INT, side == 0 ? (rank == 0 ? MPI_ROOT : MPI_PROC_NULL) : 1, coupler);
    MPI_Barrier(WORLD);
}
/* the other members of the root's group pass 0 for MPI_PROC_NULL */
static void inter_no_null(void)
{
    groups();
    MPI_Bcast(big, 50000, MPI_INT, rank == 0 ? MPI_ROOT : 0, coupler);
    MPI_Barrier(WORLD);
}
static void inter_all_null(void)
{
    groups();
    MPI_Scatter(big, 4, MPI_INT, big_too, 4, MPI_INT, side == 0 ? MPI_PROC_NULL : 0, coupler);
    MPI_Barrier(WORLD);
}
static void inter_barrier(void) { groups(); if (rank != 3) MPI_Barrier(coupler); else MPI_Barrier(WORLD); }
static void inter_allreduce(void) { groups(); if (side == 0) MPI_Allreduce(big, big_too, 4, MPI_INT, MPI_SUM, coupler); else MPI_Barrier(WORLD); }
static void inter_good(void)
{
    groups();
    for (;;) {
        MPI_Bcast(big, 50000, MPI_INT, side == 1 ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL, coupler);
        MPI_Gather(big, 5000, MPI_INT, big_too, 5000, MPI_INT, side == 0 ? 1 : rank == 3 ? MPI_ROOT : MPI_PROC_NULL, coupler);
        MPI_Barrier(coupler);
    }
}

/* --- made by a part --- */
static void dup_part(void) { MPI_Comm c; begin(); if (rank == 1) MPI_Comm_dup(WORLD, &c); else MPI_Allreduce(big, big_too, 1, MPI_INT, MPI_SUM, WORLD); }
static void split_part(void) { MPI_Comm c; begin(); if (rank < 2) MPI_Comm_split(WORLD, 0, 0, &c); else MPI_Bcast(big, 1, MPI_INT, 0, WORLD); }
static void create_part(void)
{
    MPI_Group all, half; MPI_Comm c; int in[] = {0, 1};
    MPI_Comm_group(WORLD, &all); MPI_Group_incl(all, 2, in, &half);
    begin();
    if (rank < 2) MPI_Comm_create(WORLD, half, &c);
    else MPI_Barrier(WORLD);
}
static void create_only(void)
{
    MPI_Group all, half; MPI_Comm c; int in[] = {0, 1};
    MPI_Comm_group(WORLD, &all); MPI_Group_incl(all, 2, in, &half);
    begin();
    if (rank < 2) MPI_Comm_create(WORLD, half, &c);
}
static void create_group_part(void)
{
    MPI_Group all, some; MPI_Comm c; int in[] = {0, 1, 2};
    MPI_Comm_group(WORLD, &all); MPI_Group_incl(all, 3, in, &some);
    begin();
    if (rank == 0 || rank == 2) MPI_Comm_create_group(WORLD, some, 5, &c);
    else if (rank == 1) receive(3, 2, WORLD);
    else MPI_Barrier(WORLD);
}
static void intercomm_part(void)
{
    MPI_Comm mine, c;
    MPI_Comm_split(WORLD, rank / 2, 0, &mine);
    begin();
    if (rank < 2) MPI_Intercomm_create(mine, 0, WORLD, 2, 1, &c);
    else MPI_Barrier(WORLD);
}
static void intercomm_member(void)
{
    MPI_Comm mine, c;
    MPI_Comm_split(WORLD, rank / 2, 0, &mine);
    begin();
    if (rank != 3) MPI_Intercomm_create(mine, 0, WORLD, rank < 2 ? 2 : 0, 1, &c);
    else receive(0, 3, mine);
}
static void spawn_part(void)
{
    MPI_Comm c; begin();
    if (rank == 1) MPI_Comm_spawn("/bin/true", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 1, WORLD, &c, MPI_ERRCODES_IGNORE);
    else MPI_Allreduce(big, big_too, 1, MPI_INT, MPI_SUM, WORLD);
}
static void accept_part(void)
{
    char port[MPI_MAX_PORT_NAME]; MPI_Comm c;
    MPI_Open_port(MPI_INFO_NULL, port);
    begin();
    if (rank == 0) MPI_Comm_accept(port, MPI_INFO_NULL, 0, WORLD, &c);
    else MPI_Barrier(WORLD);
}
static void accept_nobody(void)
{
    char port[MPI_MAX_PORT_NAME]; MPI_Comm c;
    MPI_Open_port(MPI_INFO_NULL, port);
    begin();
    if (rank == 0) MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &c);
    MPI_Barrier(WORLD);
}

/* --- who took the message --- */
static void taken_forgotten(void)
{
    MPI_Request early;
    begin();
    if (rank == 1) MPI_Irecv(four, 4, MPI_INT, 0, 8, WORLD, &early);
    if (rank == 0) MPI_Send(four, 4, MPI_INT, 1, 8, WORLD);
    if (rank == 1) MPI_Recv(four + 8, 4, MPI_INT, 0, 8, WORLD, IGNORE);
    MPI_Barrier(WORLD);
}
static void taken_wildcard(void)
{
    MPI_Request any;
    begin();
    if (rank == 1) {
        MPI_Irecv(four, 4, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &any);
        MPI_Recv(four + 8, 4, MPI_INT, 0, 8, WORLD, IGNORE);
    }
    if (rank == 0) MPI_Send(four, 4, MPI_INT, 1, 8, WORLD);
    MPI_Barrier(WORLD);
}
static void taken_mprobe(void)
{
    MPI_Message message; MPI_Status status;
    begin();
    if (rank == 1) {
        MPI_Mprobe(0, 8, WORLD, &message, &status);
        MPI_Recv(four + 8, 4, MPI_INT, 0, 8, WORLD, IGNORE);
    }
    if (rank == 0) MPI_Send(four, 4, MPI_INT, 1, 8, WORLD);
    MPI_Barrier(WORLD);
}
static void taken_mprobe_big(void)
{
    MPI_Message message; MPI_Status status;
    begin();
    if (rank == 1) MPI_Mprobe(0, 8, WORLD, &message, &status);
    if (rank == 0) MPI_Send(big, BIG, MPI_INT, 1, 8, WORLD);
    MPI_Barrier(WORLD);
}
static void wrong_source(void)
{
    begin();
    if (rank == 1) MPI_Recv(four, 4, MPI_INT, 2, 8, WORLD, IGNORE);
    if (rank == 0) MPI_Send(four, 4, MPI_INT, 1, 8, WORLD);
    MPI_Barrier(WORLD);
}
static void cancelled(void)
{
    MPI_Request request;
    begin();
    if (rank == 1) {
        MPI_Irecv(big, BIG, MPI_INT, 0, 8, WORLD, &request);
        MPI_Cancel(&request);
    }
    MPI_Barrier(WORLD);
    if (rank == 0) MPI_Send(big, BIG, MPI_INT, 1, 8, WORLD);
    MPI_Barrier(WORLD);
}

/* --- as people write them --- */
/* a halo in one dimension, periodic; rank 2 sends the right edge with the tag of the left one */
static void halo_tags(void)
{
    MPI_Request r[4];
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    begin();
    MPI_Irecv(big, 1000, MPI_INT, left, 10, WORLD, r);
    MPI_Irecv(big + 1000, 1000, MPI_INT, right, 20, WORLD, r + 1);
    MPI_Isend(big_too, 1000, MPI_INT, right, rank == 2 ? 20 : 10, WORLD, r + 2);
    MPI_Isend(big_too + 1000, 1000, MPI_INT, left, 20, WORLD, r + 3);
    MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
    MPI_Allreduce(four, four + 4, 1, MPI_INT, MPI_SUM, WORLD);
}
/* not periodic, but rank 0 asks its neighbour to the left as if it were */
static void halo_border(void)
{
    MPI_Request r[4]; int n = 0;
    int left = rank == 0 ? size - 1 : rank - 1, right = rank == size - 1 ? MPI_PROC_NULL : rank + 1;
    begin();
    MPI_Irecv(big, 1000, MPI_INT, left, 10, WORLD, r + n++);
    MPI_Irecv(big + 1000, 1000, MPI_INT, right, 20, WORLD, r + n++);
    MPI_Isend(big_too, 1000, MPI_INT, right, 10, WORLD, r + n++);
    if (rank > 0) MPI_Isend(big_too + 1000, 1000, MPI_INT, left, 20, WORLD, r + n++);
    MPI_Waitall(n, r, MPI_STATUSES_IGNORE);
    MPI_Barrier(WORLD);
}
/* the master forgets the stop message of the last worker */
static void master_worker(void)
{
    MPI_Status status;
    begin();
    if (rank == 0) {
        int sent = 1, task = 7;
        for (int w = 1; w < size; w++) MPI_Send(&task, 1, MPI_INT, w, 1, WORLD);
        for (int n = 0; n < 12; n++) {
            MPI_Recv(&one, 1, MPI_INT, MPI_ANY_SOURCE, 2, WORLD, &status);
            if (sent++ < 10) MPI_Send(&task, 1, MPI_INT, status.MPI_SOURCE, 1, WORLD);
        }
        for (int w = 1; w < size - 1; w++) MPI_Send(&task, 1, MPI_INT, w, 9, WORLD);
    } else
        for (;;) {
            MPI_Recv(&one, 1, MPI_INT, 0, MPI_ANY_TAG, WORLD, &status);
            if (status.MPI_TAG == 9) break;
            MPI_Send(&one, 1, MPI_INT, 0, 2, WORLD);
        }
    MPI_Barrier(WORLD);
}
/* the master waits for one more result than there are */
static void master_counts(void)
{
    begin();
    if (rank == 0) for (int n = 0; n < 4; n++) MPI_Recv(&one, 1, MPI_INT, MPI_ANY_SOURCE, 2, WORLD, IGNORE);
    else MPI_Send(&one, 1, MPI_INT, 0, 2, WORLD);
    MPI_Bcast(four, 1, MPI_INT, 0, WORLD);
    MPI_Barrier(WORLD);
}
/* a tree reduction by hand, of which rank 3 believes that there are only three ranks */
static void tree(void)
{
    begin();
    for (int step = 1; step < size; step *= 2) {
        if (rank % (2 * step) == step) { if (rank != 3) MPI_Send(four, 4, MPI_INT, rank - step, step, WORLD); break; }
        if (rank + step < size) MPI_Recv(four, 4, MPI_INT, rank + step, step, WORLD, IGNORE);
    }
    MPI_Bcast(four, 4, MPI_INT, 0, WORLD);
}
/* a pipeline: rank 2 returns early on bad data */
static void pipeline(void)
{
    begin();
    for (int i = 0; i < 10; i++) {
        if (rank > 0) MPI_Recv(big, 1000, MPI_INT, rank - 1, i, WORLD, IGNORE);
        if (rank == 2 && i == 5) return;
        if (rank < size - 1) MPI_Ssend(big, 1000, MPI_INT, rank + 1, i, WORLD);
    }
    MPI_Barrier(WORLD);
}
/* a loop to convergence that decides by its own residual */
static void converged(void)
{
    begin();
    double residual = 1.0 + (rank == 2), sum;
    while (residual > 0.01) { residual /= 2; MPI_Allreduce(&residual, &sum, 1, MPI_DOUBLE, MPI_SUM, WORLD); }
    MPI_Barrier(WORLD);
}
static void even_odd(void)
{
    int with = rank ^ 1;
    begin();
    if (rank < 2) { MPI_Ssend(big, 10, MPI_INT, with, 0, WORLD); MPI_Recv(big, 10, MPI_INT, with, 0, WORLD, IGNORE); }
    else MPI_Sendrecv(big, 10, MPI_INT, with, 0, big_too, 10, MPI_INT, with, 0, WORLD, IGNORE);
    MPI_Barrier(WORLD);
}
/* Each job has its own file, which is gone when it ends. */
static MPI_File open_file(void)
{
    char path[] = "/tmp/everyday.XXXXXX";
    MPI_File file;
    if (rank == 0) close(mkstemp(path));
    MPI_Bcast(path, sizeof path, MPI_CHAR, 0, WORLD);
    MPI_File_open(WORLD, path, MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    if (rank == 0) unlink(path);
    return file;
}
static void write_all(void)
{
    MPI_File file = open_file();
    begin();
    if (rank != 1) MPI_File_write_at_all(file, rank * 4000, big, 1000, MPI_INT, IGNORE);
    else MPI_File_write_at(file, rank * 4000, big, 1000, MPI_INT, IGNORE);
    MPI_File_close(&file);
}
static void lock_order(void)
{
    MPI_Win a, b; int *m, *n;
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, WORLD, &m, &a); MPI_Win_allocate(64, 4, MPI_INFO_NULL, WORLD, &n, &b);
    MPI_Win_set_name(a, "A"); MPI_Win_set_name(b, "B");
    begin();
    if (rank < 2) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 3, 0, rank == 0 ? a : b);
        MPI_Put(&one, 1, MPI_INT, 3, 0, 1, MPI_INT, rank == 0 ? a : b); MPI_Win_flush(3, rank == 0 ? a : b);
        one = 1; if (rank == 0) { send_now(1, 1, WORLD); receive(1, 1, WORLD); } else { receive(0, 1, WORLD); send_now(0, 1, WORLD); }
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 3, 0, rank == 0 ? b : a);
        MPI_Put(&one, 1, MPI_INT, 3, 0, 1, MPI_INT, rank == 0 ? b : a); MPI_Win_flush(3, rank == 0 ? b : a);
        MPI_Win_unlock(3, a); MPI_Win_unlock(3, b);
    }
    MPI_Barrier(WORLD);
}
static void lock_barrier(void)
{
    MPI_Win a; int *m;
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, WORLD, &m, &a); MPI_Win_set_name(a, "counter");
    begin();
    if (rank == 0) { MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, a); MPI_Put(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, a); MPI_Win_flush(0, a); }
    MPI_Barrier(WORLD);
    if (rank == 1) { MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, a); MPI_Put(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, a); MPI_Win_unlock(0, a); }
    MPI_Barrier(WORLD);
    if (rank == 0) MPI_Win_unlock(0, a);
    MPI_Win_free(&a);
}
/* two targets, one of which does not post */
static void start_two(void)
{
    MPI_Win a; int *m; MPI_Group all, g; int to[] = {1, 3}, from[] = {0};
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, WORLD, &m, &a); MPI_Comm_group(WORLD, &all);
    begin();
    if (rank == 0) { MPI_Group_incl(all, 2, to, &g); MPI_Win_start(g, 0, a); MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, a); MPI_Put(&one, 1, MPI_INT, 3, 0, 1, MPI_INT, a); MPI_Win_complete(a); }
    if (rank == 1) { MPI_Group_incl(all, 1, from, &g); MPI_Win_post(g, 0, a); MPI_Win_wait(a); }
    MPI_Barrier(WORLD);
}
static void fence_skipped(void)
{
    MPI_Win a; int *m;
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, WORLD, &m, &a); MPI_Win_set_name(a, "field");
    begin();
    MPI_Win_fence(0, a);
    if (rank == 2) MPI_Barrier(WORLD);
    MPI_Win_fence(0, a);
    MPI_Barrier(WORLD);
}
static void scan_first(void) { begin(); if (rank == 0) send_met(1, 4, WORLD); MPI_Scan(four, four + 8, 1, MPI_INT, MPI_SUM, WORLD); }
static void cart_shift(void)
{
    int dims[] = {4}, periods[] = {0}, left, right; MPI_Comm cart;
    MPI_Cart_create(WORLD, 1, dims, periods, 0, &cart); MPI_Comm_set_name(cart, "line");
    MPI_Cart_shift(cart, 0, 1, &left, &right);
    begin();
    if (rank == 3) right = 0;
    MPI_Sendrecv(big, BIG, MPI_INT, right, 3, big_too, BIG, MPI_INT, left, 3, cart, IGNORE);
    MPI_Barrier(cart);
}
static void poll_flag(void)
{
    MPI_Request r; int done = 0; struct timespec nap = {0, 1000000};
    begin();
    if (rank == 3) { MPI_Irecv(four, 1, MPI_INT, 2, 6, WORLD, &r); while (!done) { MPI_Test(&r, &done, IGNORE); nanosleep(&nap, NULL); } }
    if (rank == 2) send_now(3, 60, WORLD);
    MPI_Barrier(WORLD);
}
static void poll_probe(void)
{
    int there = 0;
    begin();
    if (rank == 3) while (!there) { MPI_Iprobe(MPI_ANY_SOURCE, 6, WORLD, &there, IGNORE); sched_yield(); }
    MPI_Barrier(WORLD);
}
/* rank 3 looks for what nobody sends, by two questions, and sleeps between them */
static void poll_both(void)
{
    int there = 0, word = 0;
    MPI_Request request;
    begin();
    if (rank == 3) {
        MPI_Irecv(&word, 1, MPI_INT, 2, 5, WORLD, &request);
        while (!there) { MPI_Iprobe(MPI_ANY_SOURCE, 6, WORLD, &there, IGNORE); if (!there) MPI_Test(&request, &there, IGNORE); usleep(1000); }
    }
    MPI_Barrier(WORLD);
}
/* rank 2 has nothing to add, which its library takes for nothing to do */
static void scan_nothing(void)
{
    int in[4] = {0}, out[4];
    begin();
    MPI_Scan(in, out, rank == 2 ? 0 : 4, MPI_INT, MPI_SUM, WORLD);
}
/* a flag in shared memory, which rank 0 should set */
static void shared_flag(void)
{
    MPI_Win w; MPI_Aint bytes; int unit, *flag;
    MPI_Win_allocate_shared(rank == 0 ? 64 : 0, 4, MPI_INFO_NULL, WORLD, &flag, &w);
    MPI_Win_shared_query(w, 0, &bytes, &unit, &flag);
    if (rank == 0) *flag = 0;
    MPI_Win_set_name(w, "flags");
    begin();
    if (rank != 0) while (*(volatile int *)flag == 0) ;
    MPI_Barrier(WORLD);
}

static volatile int ready;
static void own_flag(void)
{
    begin();
    if (rank == 2) while (!ready) sched_yield();
    MPI_Barrier(WORLD);
}

/* --- those that go on, or come back --- */
/* Each of its loops reads a flag, too, and ends without it. */
static void live_bounded(void)
{
    begin();
    for (;;) {
        double from = MPI_Wtime();
        volatile long rounds = 0;
        if (rank == 1) while (!ready && rounds < 300000000) rounds++;
        if (rank == 2) while (!ready && MPI_Wtime() - from < 1) ;
        if (rank == 3) for (long i = 0; i < 300000000 && !ready; i++) ;
        MPI_Barrier(WORLD);
    }
}
static void live_halo(void)
{
    MPI_Request r[4]; int left = (rank + 3) % 4, right = (rank + 1) % 4; 
    begin();
    for (;;) { MPI_Irecv(big, 1000, MPI_INT, left, 10, WORLD, r); MPI_Irecv(big + 1000, 1000, MPI_INT, right, 20, WORLD, r + 1);
        MPI_Isend(big_too, 1000, MPI_INT, right, 10, WORLD, r + 2); MPI_Isend(big_too + 1000, 1000, MPI_INT, left, 20, WORLD, r + 3);
        MPI_Waitall(4, r, MPI_STATUSES_IGNORE); }
}
/* a complete receive that nobody has waited for yet is right here */
static void live_forgotten(void)
{
    MPI_Request early; begin();
    if (rank == 1) { MPI_Irecv(four, 4, MPI_INT, 0, 8, WORLD, &early); MPI_Recv(four + 8, 4, MPI_INT, 0, 8, WORLD, IGNORE); MPI_Wait(&early, IGNORE); }
    if (rank == 0) { MPI_Send(four, 4, MPI_INT, 1, 8, WORLD); sleep(600); MPI_Send(four, 4, MPI_INT, 1, 8, WORLD); }
    MPI_Barrier(WORLD);
}
static void live_intercomm(void)
{
    MPI_Comm mine, c;
    MPI_Comm_split(WORLD, rank / 2, 0, &mine);
    begin();
    if (rank == 3) sleep(600);
    MPI_Intercomm_create(mine, 0, WORLD, rank < 2 ? 2 : 0, 1, &c);
}
static void live_create(void)
{
    MPI_Group all; MPI_Comm c; MPI_Comm_group(WORLD, &all); begin();
    for (;;) { MPI_Comm_create(WORLD, all, &c); MPI_Comm_free(&c); MPI_Comm_create_group(WORLD, all, 3, &c); MPI_Comm_free(&c); }
}
static void live_lock(void)
{
    MPI_Win a; int *m; MPI_Win_allocate(64, 4, MPI_INFO_NULL, WORLD, &m, &a); begin();
    if (rank == 0) { MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, a); MPI_Put(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, a); MPI_Win_flush(0, a); }
    if (rank == 0) { sleep(600); MPI_Win_unlock(0, a); }
    if (rank == 1) { MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, a); MPI_Put(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, a); MPI_Win_unlock(0, a); }
    MPI_Barrier(WORLD);
}
/* source and tag are given in the wrong order */
static void status_swapped(void)
{
    MPI_Status seen;
    begin();
    if (rank == 0) {
        for (int i = 1; i < size; i++) {
            MPI_Probe(i, MPI_ANY_TAG, WORLD, &seen);
            MPI_Recv(four, 1, MPI_INT, seen.MPI_TAG, seen.MPI_SOURCE, WORLD, IGNORE);
        }
    } else
        send_now(0, (rank + 1) % 4, WORLD);
    MPI_Barrier(WORLD);
}
static void live_poll(void)
{
    MPI_Request r; int done = 0; struct timespec nap = {0, 1000000};
    begin();
    for (;;) if (rank == 3) { done = 0; MPI_Irecv(four, 1, MPI_INT, 2, 6, WORLD, &r); while (!done) { MPI_Test(&r, &done, IGNORE); nanosleep(&nap, NULL); } send_now(2, 7, WORLD); }
    else if (rank == 2) { send_now(3, 6, WORLD); receive(3, 7, WORLD); } else MPI_Barrier(WORLD);
}
static void live_shared(void)
{
    MPI_Win w; MPI_Aint bytes; int unit, *flag;
    MPI_Win_allocate_shared(rank == 0 ? 64 : 0, 4, MPI_INFO_NULL, WORLD, &flag, &w);
    MPI_Win_shared_query(w, 0, &bytes, &unit, &flag);
    if (rank == 0) *flag = 0;
    begin();
    if (rank == 0) { sleep(600); *flag = 1; }
    if (rank != 0) while (*(volatile int *)flag == 0) ;
    MPI_Barrier(WORLD);
}
static void live_file(void)
{
    MPI_File file = open_file();
    begin();
    for (;;) MPI_File_write_at_all(file, rank * 4000, big, 1000, MPI_INT, IGNORE);
}
#define C(name) {#name, name}
static const struct named_case cases[] = {
    C(inter_gather), C(inter_bcast), C(inter_reduce), C(inter_two_roots), C(inter_other_root), C(inter_no_null), C(inter_all_null),
    C(inter_barrier), C(inter_allreduce), C(inter_good), C(dup_part), C(split_part), C(create_part), C(create_only), C(create_group_part),
    C(intercomm_part), C(intercomm_member), C(spawn_part), C(accept_part), C(accept_nobody), C(taken_forgotten), C(taken_wildcard),
    C(taken_mprobe), C(taken_mprobe_big), C(wrong_source), C(cancelled), C(status_swapped), C(halo_tags), C(halo_border), C(master_worker), C(master_counts),
    C(tree), C(pipeline), C(converged), C(even_odd), C(write_all), C(lock_order), C(lock_barrier), C(start_two), C(fence_skipped), C(scan_first),
    C(cart_shift), C(poll_flag), C(poll_probe), C(poll_both), C(scan_nothing), C(shared_flag), C(live_halo), C(live_forgotten), C(live_intercomm), C(live_create), C(live_lock),
    C(live_poll), C(live_shared), C(live_file), C(own_flag), C(live_bounded), {NULL, NULL}};

int main(int argc, char **argv) { return run_case(argc, argv, cases); }
