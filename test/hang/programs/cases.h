/* Small programs by name: each file has a table of cases, the first argument says which one runs. */
#ifndef CASES_H
#define CASES_H
#include <mpi.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define WORLD MPI_COMM_WORLD
#define IGNORE MPI_STATUS_IGNORE
#define BIG (1 << 20)

struct named_case {
    const char *name;
    void (*run)(void);
};

static int rank, size, one, four[64];
static int big[BIG], big_too[BIG];

static void receive(int from, int tag, MPI_Comm comm) { MPI_Recv(&one, 1, MPI_INT, from, tag, comm, IGNORE); }
static void send_now(int to, int tag, MPI_Comm comm) { MPI_Send(&one, 1, MPI_INT, to, tag, comm); }
static void send_met(int to, int tag, MPI_Comm comm) { MPI_Ssend(&one, 1, MPI_INT, to, tag, comm); }

static MPI_Comm duplicate(const char *name)
{
    MPI_Comm comm;
    MPI_Comm_dup(WORLD, &comm);
    MPI_Comm_set_name(comm, name);
    return comm;
}

/* Says that the case begins: from here on nothing else is printed. */
static void begin(void)
{
    MPI_Barrier(WORLD);
    fprintf(stderr, "rank %d begins: %d\n", rank, (int)getpid());
}

static int run_case(int argc, char **argv, const struct named_case *cases)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &size);
    for (; cases->name != NULL; cases++)
        if (argc > 1 && strcmp(cases->name, argv[1]) == 0) {
            cases->run();
            MPI_Finalize();
            return 0;
        }
    fprintf(stderr, "no such case\n");
    MPI_Abort(WORLD, 2);
    return 2;
}

/* Never called by some files. */
static inline void use_all(void)
{
    (void)receive, (void)send_now, (void)send_met, (void)duplicate, (void)four, (void)big, (void)big_too, (void)begin;
}
#endif
