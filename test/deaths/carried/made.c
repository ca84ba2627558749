/* Rank 1 makes a NaN in its third step, and rank 3 has put one there, which comes to rank 0 by a reduction. "dies": rank 2 then ends by abort(). */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int me, size;
static MPI_Comm ring;

static double scaled(double value, double by)
{
    return value / by; /* makes it */
}

static void pass_on(double *own, double *from_left)
{
    MPI_Request requests[2];
    MPI_Irecv(from_left, 1, MPI_DOUBLE, (me + size - 1) % size, 7, ring, &requests[0]); /* takes: it */
    MPI_Isend(own, 1, MPI_DOUBLE, (me + 1) % size, 7, ring, &requests[1]); /* gives: it */
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
    double value, left = 0, sum = 0;
    const unsigned long bits = 0x7ff8000000000000;
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &ring);
    MPI_Comm_set_name(ring, "ring");
    MPI_Comm_rank(ring, &me);
    MPI_Comm_size(ring, &size);
    value = me;
    for (int step = 0; step < 4; step++) {
        /* It compares, and converts: neither makes a NaN. */
        if (left > value)
            left = (int)left;
        if (me == 1 && step == 2)
            value = scaled(0, step - 2);
        pass_on(&value, &left);
    }
    if (me == 3)
        memcpy(&value, &bits, sizeof value);
    MPI_Reduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD); /* gives: own takes: own */
    if (me == 0)
        printf("%s\n", isnan(sum) ? "none" : "one");
    fflush(stdout);
    if (argc > 1 && me == 2)
        abort();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
