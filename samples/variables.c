/*
 * variables.c - variables of every sort, to look at in a debugger:  mpirun -n 4 variables
 *
 * Each rank has its own values, so that ranks can be told apart: what depends on the rank says so.
 */
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum season { SPRING, SUMMER, AUTUMN, WINTER };

struct point {
    double x, y;
};

struct station {
    char name[16];
    struct point position;
    enum season season;
    unsigned int is_open : 1;
    unsigned int level : 3;
    double depths[2][3];
    struct station *next;
    union {
        int32_t integer;
        float real;
        unsigned char bytes[4];
    } raw;
    double (*measure)(const struct station *);
};

static int rounds = 7;
const char *const title = "all sorts of variables";

static double measure_depth(const struct station *station)
{
    return station->depths[1][2];
}

static double visit(const struct station *first, int count)
{
    double sum = 0;
    for (int i = 0; i < count && first != NULL; i++) {
        static int visits;
        double depth = first->measure(first);
        visits++;
        sum += depth; /* stop: in visit */
        first = first->next;
    }
    return sum;
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    /* Numbers */
    char letter = 'A' + rank;
    signed char small = -3;
    unsigned char byte = 200;
    short short_number = -30000;
    unsigned int unsigned_number = 4000000000u;
    long long large = -9000000000000000000LL;
    uint64_t largest = UINT64_MAX;
    float single = 1.5f;
    double precise = 0.1 * rank;
    long double extended = 2.25L;
    bool flag = true;
    enum season season = AUTUMN;

    /* Pointers, strings and arrays */
    int *pointer = &rank;
    int *null_pointer = NULL;
    const char *text = "fog over the \"Øresund\"";
    char fixed_text[8] = "tide";
    int numbers[5] = {10, 20, 30, 40, 50 + rank};
    int matrix[2][3] = {{1, 2, 3}, {4, 5, 6}};
    int long_array[300];
    const char *names[3] = {"north", "south", NULL};
    for (int i = 0; i < 300; i++)
        long_array[i] = i * i;
    int variable_length[size];
    for (int i = 0; i < size; i++)
        variable_length[i] = 100 + i;

    /* Structures: one that points to another, and back */
    struct station second = {.name = "south", .season = WINTER, .measure = measure_depth};
    struct station first = {
        .name = "north",
        .position = {1.0, -2.5},
        .season = SUMMER,
        .is_open = 1,
        .level = 5,
        .depths = {{1, 2, 3}, {4, 5, 6.5 + rank}},
        .next = &second,
        .raw = {.integer = 0x3f800000},
        .measure = measure_depth,
    };
    second.next = &first;
    struct station *current = &first;
    double (*measure)(const struct station *) = measure_depth;

    int here = rounds;                 /* stop: all variables set */
    precise += visit(current, 2);
    printf("rank %d of %d: %s, %c %d %d %d %u %lld %llu %g %g %Lg %d %d %s %s\n", rank, size, title, letter, small,
           byte, short_number, unsigned_number, large, (unsigned long long)largest, single, precise, extended, flag,
           season, text, fixed_text);
    printf("rank %d: %d %d %d %d %d %s %d %g %d\n", rank, *pointer, numbers[4], matrix[1][2], long_array[299],
           variable_length[size - 1], names[1], here, measure(current), null_pointer == NULL);
    MPI_Finalize();
    return 0;
}
