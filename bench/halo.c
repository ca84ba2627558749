/*
 * A halo exchange: ROUNDS BYTES. Each rank sends so many bytes of doubles to both neighbours in a ring, which may be itself, and adds up one number.
 * Rank 0 prints how many nanoseconds a round takes. With "dies" as a third word, the rank in the middle then prints the time, of CLOCK_MONOTONIC
 * in nanoseconds, and ends by a null pointer while the others wait.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static long now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000L + time.tv_nsec;
}

/* By this name callgrind counts it alone. */
__attribute__((noinline)) void exchange(double *buffers, int count, int left, int right)
{
    double sum = 1, total;
    MPI_Request requests[4];
    MPI_Irecv(buffers, count, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(buffers + count, count, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(buffers + 2 * count, count, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(buffers + 3 * count, count, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    MPI_Allreduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int rounds = atoi(argv[1]), count = atoi(argv[2]) / 8;
    const int left = (rank + size - 1) % size, right = (rank + 1) % size;
    double *buffers = calloc((size_t)count * 4, sizeof *buffers);
    MPI_Barrier(MPI_COMM_WORLD);
    const long begin = now();
    for (int round = 0; round < rounds; round++)
        exchange(buffers, count, left, right);
    if (rank == 0 && rounds > 0)
        printf("%ld\n", (now() - begin) / rounds);
    if (argc > 3 && strcmp(argv[3], "dies") == 0) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == size / 2) {
            printf("%ld\n", now());
            fflush(stdout);
            *(volatile int *)0 = 0;
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    free(buffers);
    MPI_Finalize();
    return 0;
}
