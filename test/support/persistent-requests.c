/*
 * persistent-requests.c - the table of persistent collectives (persistent.c), against a plain list: requests are made, started and
 * freed at random, communicators freed, and more requests made than the table has room for. Ends with 0, or tells what differs.
 */
#include <stdio.h>
#include <stdlib.h>
#include "persistent.h"

enum { MANY = 6000, SOME = 5, STEPS = 400000 };

static uint64_t comm_of_request[MANY]; /* 0: it is not there */
static unsigned started[SOME + 1];
static bool is_lost[SOME + 1];

uint32_t mpidbg_next_instance(uint64_t comm)
{
    return is_lost[comm] ? 0 : ++started[comm];
}

void mpidbg_stop_counting(uint64_t comm)
{
    is_lost[comm] = true;
}

/* As in memory: near each other. */
static uint64_t handle_of(uint32_t request)
{
    return 0x5500000000u + 192u * (uint64_t)request;
}

static uint32_t wanted;

uint32_t handles_in(const struct call *call, const struct handle_argument *argument)
{
    (void)call, (void)argument;
    return 1;
}

uint64_t handle_in_argument(const struct call *call, const struct handle_argument *argument, uint32_t index)
{
    (void)call, (void)argument, (void)index;
    return handle_of(wanted);
}

static void make(uint32_t request, uint64_t comm)
{
    if (comm_of_request[request] != 0)
        return;
    persistent_made(&(struct told_call){.request = handle_of(request), .comm = comm});
    comm_of_request[request] = comm;
}

static void start(uint32_t request)
{
    const uint64_t comm = comm_of_request[request];
    const unsigned before = started[comm];
    struct told_call told = {0};
    wanted = request;
    persistent_started(NULL, NULL, &told);
    if (told.comm == comm && told.instance == (comm == 0 || is_lost[comm] ? 0 : before + 1))
        return;
    /* One for which there was no room. */
    if (told.comm == 0 && told.instance == 0 && is_lost[comm])
        return;
    printf("request %u of communicator %d: told %d, %u\n", request, (int)comm, (int)told.comm, told.instance);
    exit(1);
}

static void free_request(uint32_t request)
{
    persistent_freed(HANDLE_REQUEST, handle_of(request));
    comm_of_request[request] = 0;
}

static void free_comm(uint64_t comm)
{
    persistent_freed(HANDLE_COMM, comm);
    for (uint32_t i = 0; i < MANY; i++)
        if (comm_of_request[i] == comm)
            comm_of_request[i] = 0;
}

/* Acts at random on the first so many requests. */
static void act_at_random(uint32_t requests)
{
    for (int step = 0; step < STEPS; step++) {
        const uint32_t request = (uint32_t)rand() % requests, what = (uint32_t)rand() % 3000;
        if (what < 1000)
            make(request, 1 + (uint64_t)rand() % SOME);
        else if (what < 2000)
            start(request);
        else if (what < 2999)
            free_request(request);
        else
            free_comm(1 + (uint64_t)rand() % SOME);
    }
}

int main(void)
{
    srand(17);
    act_at_random(1500);
    for (int comm = 1; comm <= SOME; comm++)
        if (is_lost[comm] || started[comm] == 0) {
            printf("communicator %d: lost %d, started %u\n", comm, is_lost[comm], started[comm]);
            return 1;
        }
    for (uint32_t i = 0; i < MANY; i++)
        make(i, 1 + i % SOME);
    act_at_random(MANY);
    for (int comm = 1; comm <= SOME; comm++)
        if (!is_lost[comm])
            return printf("communicator %d is counted, though its requests found no room\n", comm), 1;
    return 0;
}
