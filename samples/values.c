/*
 * values.c - values of all types of C, in which ranks agree, differ, or have none.       mpirun -n 4 values
 *
 * Each rank prints "value RANK EXPRESSION", a tab and the value as C writes it; rank 0 what MPI_Reduce makes of the numbers,
 * "minimum EXPRESSION" and "maximum EXPRESSION", a tab and the number.
 */
#include <complex.h>
#include <math.h>
#include <stdbool.h>

#include "truth.h"

enum tide { LOW, HALF, HIGH, FULL }; /* not of single bits, which gdb would take for flags */
typedef enum tide tide_t;
enum marks { FIRST = 1, SECOND = 2, THIRD = 4 };

struct buoy {
    int number;
    double position[3];
    unsigned colour : 3;
    const char *name;
};

static int rank, size;
static double field[20 * 1000 * 1000];

#define TELL(expression, ...)                                                                                                  \
    do {                                                                                                                       \
        truth_add("value %d %s\t", rank, expression);                                                                          \
        truth_add(__VA_ARGS__);                                                                                                \
        truth_print();                                                                                                           \
    } while (0)

/* The fewest digits that read back as the same number. */
static void tell_shortest(const char *expression, double value, bool is_float)
{
    char text[40];
    int digits = 0;
    do
        snprintf(text, sizeof text, "%.*g", ++digits, value);
    while (is_float ? strtof(text, NULL) != (float)value : strtod(text, NULL) != value);
    TELL(expression, "%s", text);
}

static void tell_extremes(const char *expression, double value)
{
    double minimum, maximum;
    MPI_Reduce(&value, &minimum, 1, MPI_DOUBLE, MPI_MIN, 0, MPI_COMM_WORLD);
    MPI_Reduce(&value, &maximum, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank != 0)
        return;
    truth_add("minimum %s\t%.17g", expression, minimum);
    truth_print();
    truth_add("maximum %s\t%.17g", expression, maximum);
    truth_print();
}

/* Only the first rank comes here: its callers know its name for the depth, and no other rank. */
static int sound(int fathoms)
{
    wait_for_debugger();
    return fathoms;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    truth_begin(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    int lap = rank == 3 ? 99 : 100, row[4] = {rank, 1, 2, 3}, *to_row = row, *nowhere = NULL, grid[2][2] = {{1, 2}, {3, rank}};
    unsigned char octet = 200;
    char letter = (char)('a' + rank), text[20] = "ahoy";
    const char *name = "ocean";
    bool odd = rank % 2 == 1;
    tide_t tide = rank == 0 ? LOW : HIGH, no_tide = (tide_t)(7 + rank);
    enum marks marks = FIRST | THIRD;
    float single = 0.1F;
    double residual = rank == 2 ? NAN : 0.1 * (rank + 1) / 3, sign = rank == 1 ? INFINITY : -INFINITY;
    long double precise = 1.0L / 3 + rank * 1e-18L;
    double complex wave = rank + 0.5 * I, no_wave = rank == 1 ? NAN + 0.0 * I : 2.0;
    __int128 wide = ((__int128)1 << 100) + rank;
    struct buoy buoy = {rank / 2, {0.5, 1, 2.25}, 5, NULL};
    MPI_Comm comm;
    MPI_Status status;
    status.MPI_SOURCE = MPI_ANY_SOURCE;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_name(comm, "ocean");
    field[3] = rank;

    TELL("lap", "%d", lap);
    TELL("lap * 2 + 1", "%d", lap * 2 + 1);
    TELL("row", "{%d, %d, %d, %d}", row[0], row[1], row[2], row[3]);
    TELL("*to_row@4", "{%d, %d, %d, %d}", row[0], row[1], row[2], row[3]);
    TELL("to_row[0]", "%d", to_row[0]);
    TELL("grid", "{{%d, %d}, {%d, %d}}", grid[0][0], grid[0][1], grid[1][0], grid[1][1]);
    TELL("nowhere", "0x0");
    TELL("letter", "%d '%c'", letter, letter);
    TELL("octet", "%d '\\%o'", octet, octet);
    TELL("text", "\"%s\"", text);
    TELL("name", "\"%s\"", name);
    TELL("odd", "%s", odd ? "true" : "false");
    TELL("tide", "%s", tide == LOW ? "LOW" : "HIGH");
    TELL("no_tide", "%d", (int)no_tide);
    TELL("marks", "(FIRST | THIRD)");
    tell_shortest("single", single, true);
    if (rank != 2)
        tell_shortest("residual", residual, false);
    TELL("sign", "%g", sign);
    TELL("precise", "%.21Lg", precise);
    TELL("wave", "%g + %gi", creal(wave), cimag(wave));
    TELL("wide", "126765060022822940149670320537%d", 6 + rank);
    TELL("buoy", "{number = %d, position = {%g, %g, %g}, colour = %u, name = 0x0}", buoy.number, buoy.position[0],
         buoy.position[1], buoy.position[2], buoy.colour);
    TELL("buoy.colour", "%u", buoy.colour);
    TELL("size", "%d", size);
    TELL("status.MPI_SOURCE == MPI_ANY_SOURCE", "%d", status.MPI_SOURCE == MPI_ANY_SOURCE);
    TELL("MPI_ANY_TAG", "%d", MPI_ANY_TAG);
    TELL("rank == MPI_PROC_NULL", "%d", rank == MPI_PROC_NULL);
    tell_extremes("lap", lap);
    tell_extremes("sign", sign);
    tell_extremes("field[3]", field[3]);
    tell_extremes("buoy.number", buoy.number);

    if (rank == 0)
        lap += sound(rank);
    else
        wait_for_debugger();
    if (lap + no_tide + single + residual + sign + precise + creal(wave) + creal(no_wave) + wide + odd + tide + marks + octet +
            letter + *text + *name + (nowhere == NULL) + grid[1][1] + buoy.number + *to_row ==
        1)
        puts("nothing");
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
