/*
 * openmp.c - OpenMP threads of which each does something else, for `mpidbg ompt`. Built by gcc: its runtime tells nothing, LLVM's does.
 *
 *     LD_PRELOAD=libomp.so.5 mpidbg run --collect ompt,calls -- mpirun -n 2 openmp --wait &       then:  mpidbg ompt --launcher $!
 *
 * In each rank thread 0 is in MPI (rank 0 in MPI_Recv from rank 1), thread 1 holds a lock, thread 2 waits for it, thread 3 waits in a
 * barrier. With --truth each rank tells its threads by their number in the team, and how often it has done what:
 *
 *     OPENMP {"rank":0,"threads":[4711,4712,4713,4714],"lock":"0x7ffe0010","counts":{"parallel_begin":3,...}}
 */
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <sys/syscall.h>
#include "truth.h"

enum { THREADS = 4, REGIONS = 2, TASKS = 5, CRITICALS = 3 };

static omp_lock_t lock;
static int arrived, is_locked, is_done;
static long threads[THREADS];

static int now(const int *shared)
{
    int value;
#pragma omp atomic read
    value = *shared;
    return value;
}

static void arrive(void)
{
    threads[omp_get_thread_num()] = syscall(SYS_gettid);
#pragma omp atomic
    arrived++;
}

/* What the counts tell of. */
static void warm_up(void)
{
    int made = 0, entered = 0;
    for (int i = 0; i < REGIONS; i++) {
#pragma omp parallel num_threads(2) /* stop: warm-up */
        {
#pragma omp single
            for (int n = 0; n < TASKS; n++)
#pragma omp task shared(made)
            {
#pragma omp atomic
                made++;
            }
        }
    }
    for (int i = 0; i < CRITICALS; i++) {
#pragma omp critical(counted)
        entered++;
    }
    if (made != REGIONS * TASKS || entered != CRITICALS)
        MPI_Abort(MPI_COMM_WORLD, 2);
}

static void tell(int rank)
{
    if (!truth_is_wanted)
        return;
    truth_add("OPENMP {\"rank\":%d,\"threads\":[", rank);
    for (int i = 0; i < THREADS; i++)
        truth_add("%s%ld", i > 0 ? "," : "", threads[i]);
    truth_add("],\"lock\":\"0x%lx\",\"counts\":{\"parallel_begin\":%d,\"parallel_end\":%d,\"task_create\":%d,\"lock_init\":1,"
              "\"criticals\":%d}}",
              (unsigned long)&lock, REGIONS + 1, REGIONS, REGIONS * TASKS, CRITICALS);
    truth_print();
}

/* All others are where they will stay, or about to. */
static void meet_the_debugger(int rank)
{
    int number = 42;
    while (now(&arrived) < THREADS - 1)
        sched_yield();
    arrive();
    tell(rank);
    if (rank == 0) {
        expect_debugger();
        MPI_Recv(&number, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* stop: receive */
    } else {
        wait_for_debugger();
        if (rank == 1)
            MPI_Send(&number, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
    }
#pragma omp atomic write
    is_done = 1;
}

static void hold_the_lock(void)
{
    omp_set_lock(&lock); /* stop: lock taken */
#pragma omp atomic write
    is_locked = 1;
    arrive();
    while (!now(&is_done))
        sched_yield();
    omp_unset_lock(&lock);
}

int main(int argc, char **argv)
{
    int rank, size;
    truth_start(&argc, &argv, &rank, &size);
    omp_set_dynamic(0);
    omp_init_lock(&lock);
    warm_up();
#pragma omp parallel num_threads(THREADS) /* stop: region */
    {
        switch (omp_get_thread_num()) {
        case 0: meet_the_debugger(rank); break;
        case 1: hold_the_lock(); break;
        case 2:
            while (!now(&is_locked))
                sched_yield();
            arrive();
            omp_set_lock(&lock); /* stop: lock wanted */
            omp_unset_lock(&lock);
            break;
        default: arrive();
        }
#pragma omp barrier /* stop: barrier */
    }
    omp_destroy_lock(&lock);
    MPI_Finalize();
    return 0;
}
