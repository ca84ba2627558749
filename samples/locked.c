/*
 * locked.c - hangs: in rank 0 one OpenMP thread keeps a lock in MPI_Recv, and the thread that would send to the sender waits for the lock.
 * For `mpidbg hang`; built by gcc, whose runtime tells nothing: LLVM's does.
 *
 *     mpidbg run --collect ompt --libomp libomp.so.5 -- mpirun -n 2 locked --wait &       then:  mpidbg hang --launcher $!
 */
#include <omp.h>
#include <sched.h>
#include "truth.h"

enum { TAG_THERE = 3, TAG_BACK = 4 };

static omp_lock_t lock;
static int is_locked;

static int now(const int *shared)
{
    int value;
#pragma omp atomic read
    value = *shared;
    return value;
}

static void receive_under_lock(void)
{
    int number;
    omp_set_lock(&lock); /* stop: lock taken */
#pragma omp atomic write
    is_locked = 1;
    MPI_Recv(&number, 1, MPI_INT, 1, TAG_BACK, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* stop: receive under lock */
    omp_unset_lock(&lock);
}

static void send_under_lock(void)
{
    int number = 42;
    while (!now(&is_locked))
        sched_yield();
    omp_set_lock(&lock); /* stop: lock wanted */
    MPI_Send(&number, 1, MPI_INT, 1, TAG_THERE, MPI_COMM_WORLD);
    omp_unset_lock(&lock);
}

int main(int argc, char **argv)
{
    int rank, number, provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    truth_begin(argc, argv);
    if (provided < MPI_THREAD_MULTIPLE)
        MPI_Abort(MPI_COMM_WORLD, 1);
    omp_set_dynamic(0);
    omp_init_lock(&lock);
    expect_debugger();
    if (rank == 0) {
#pragma omp parallel num_threads(2)
        {
            if (omp_get_thread_num() == 0)
                send_under_lock();
            else
                receive_under_lock();
        }
    } else if (rank == 1) {
        MPI_Recv(&number, 1, MPI_INT, 0, TAG_THERE, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* stop: answer */
        MPI_Send(&number, 1, MPI_INT, 0, TAG_BACK, MPI_COMM_WORLD);
    }
    omp_destroy_lock(&lock);
    MPI_Finalize();
    return 0;
}
