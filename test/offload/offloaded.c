/*
 * offloaded.c - target regions of OpenMP on the host's own plug-in as a device (clang -fopenmp-targets=x86_64-pc-linux-gnu), for
 * `mpidbg ompt`. It prints how many of each it has had.
 */
#include <omp.h>
#include "truth.h"

enum { COUNT = 1000, REGIONS = 3 };

int main(int argc, char **argv)
{
    int rank, size, sum = 0;
    truth_start(&argc, &argv, &rank, &size);
    static int numbers[COUNT];
    for (int i = 0; i < COUNT; i++)
        numbers[i] = i + rank;
#pragma omp target enter data map(to : numbers) /* stop: data enter */
    for (int region = 0; region < REGIONS; region++) {
#pragma omp target map(tofrom : sum) /* stop: target region */
        for (int i = 0; i < COUNT; i++)
            sum += numbers[i];
    }
#pragma omp target update from(numbers) /* stop: data update */
#pragma omp target exit data map(delete : numbers) /* stop: data exit */
    if (truth_is_wanted) {
        truth_add("OFFLOADED {\"rank\":%d,\"devices\":%d,\"regions\":%d,\"sum\":%d}", rank, omp_get_num_devices(), REGIONS, sum);
        truth_print();
    }
    wait_for_debugger(); /* stop: waiting */
    MPI_Finalize();
    return 0;
}
