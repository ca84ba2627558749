// unset.c - variables that have no value yet where it stops, their names begin with late_, and others, which have one however
// they came to it: by their address, an index, a loop that has gone back, a function that has returned twice
//   mpirun -n 2 unset
// Each rank prints what the others hold.
#include <mpi.h>
#include <setjmp.h>
#include <stdio.h>

struct pair {
    int first;
    double second;
};

struct cell {
    int owner;
    double value[3];
};

static void set(int *target, int value)
{
    *target = value;
}

static int sum(int rank)
{
    int direct, by_address, list[4], i, round, late_count, late_list[6], *late_pointer;
    double by_loop, late_value;
    struct cell cell, late_cell;
    struct pair late_pair;
    direct = 7;
    set(&by_address, 8);
    for (i = 0; i < 4; i++)
        list[i] = i * 10;
    cell.owner = rank;
    cell.value[0] = cell.value[1] = cell.value[2] = 0.5;
    for (round = 0; round < 2; round++) {
        if (round == 1) {
            printf("%d %d %d %d %d %d %g\n", direct, by_address, list[3], i, round, cell.owner, by_loop);
            fflush(stdout);
            if (by_loop < 0) // stop: some are set
                return 0;
        }
        by_loop = 2.5;
    }
    late_count = rank;
    late_value = cell.value[1] + late_count;
    late_cell = cell;
    late_pair.first = late_count;
    late_pair.second = late_value;
    late_list[2] = late_count;
    late_pointer = &late_list[2];
    return late_cell.owner + late_pair.first + *late_pointer + (int)late_value;
}

static int copy(int rank)
{
    struct cell cell = {rank, {1.5, 2.5, 3.5}}, late_cell;
    int row[2] = {4, 5}, late_row[2];
    printf("%d %g %d\n", cell.owner, cell.value[2], row[1]);
    fflush(stdout);
    if (row[1] < 0) // stop: a copy is to come
        return 0;
    late_cell = cell;
    for (int i = 0; i < 2; i++)
        late_row[i] = row[i];
    return late_row[1] + late_cell.owner;
}

static int twice(int rank)
{
    jmp_buf back;
    volatile int after;
    if (setjmp(back) != 0) {
        printf("%d\n", after);
        fflush(stdout);
        return after; // stop: returned twice
    }
    after = rank + 3;
    longjmp(back, 1);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int total = sum(rank);
    total += copy(rank);
    total += twice(rank);
    MPI_Finalize();
    return total < 0;
}
