/*
 * long-values.c - values too long to be shown whole, which differ in some ranks near their end.   mpirun -n 4 long-values
 *
 * Each rank prints "long RANK EXPRESSION", a tab and what its value comes to: equal where the values are equal.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "truth.h"

enum { LENGTH = 1000, MANY = 100000, BYTES = 9 * 1024 * 1024 };

struct cell {
    char tag; /* and a hole behind it */
    double depth;
    short level; /* and another */
};

struct ocean {
    char tag;
    double current[2][LENGTH / 2];
    struct cell cells[LENGTH];
};

struct flagged {
    double depth[LENGTH];
    unsigned colour : 3;
};

static int rank;
static double vast[BYTES];

static void tell(const char *expression, double value)
{
    truth_add("long %d %s\t%.17g", rank, expression, value);
    truth_print();
}

/* Equal sums for equal elements, and another for each that is put in the place of one of these. */
static double sum(const double *from, int count)
{
    double total = 0;
    for (int i = 0; i < count; i++)
        total += from[i] * (1 + i % 7);
    return total;
}

static void fill(double *to, int count)
{
    for (int i = 0; i < count; i++)
        to[i] = i + 0.5;
}

/* The holes between members are of another rank's every time. */
static double fill_ocean(struct ocean *to)
{
    double total = 0;
    memset(to, rank + 1, sizeof *to);
    to->tag = 'o';
    fill(to->current[0], LENGTH);
    for (int i = 0; i < LENGTH; i++) {
        to->cells[i].tag = 'c';
        to->cells[i].depth = i + 0.25;
        to->cells[i].level = (short)i;
    }
    for (int i = 0; i < LENGTH; i++)
        total += to->cells[i].depth + to->cells[i].level;
    return total + sum(to->current[0], LENGTH);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    truth_begin(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    static double same[LENGTH], last[LENGTH], halves[LENGTH], first[LENGTH];
    static long double extended[LENGTH];
    static char letters[LENGTH];
    static struct ocean calm, rough;
    static struct flagged flagged;
    static MPI_Comm comms[LENGTH];
    char *word = malloc(LENGTH);
    double *to_last = last, own[LENGTH], *many = malloc(MANY * sizeof *many), (*rows)[10] = (void *)many;

    fill(same, LENGTH);
    fill(last, LENGTH);
    fill(halves, LENGTH);
    fill(first, LENGTH);
    fill(own, LENGTH);
    fill(many, MANY);
    many[MANY - 1] += rank == 2;
    fill(flagged.depth, LENGTH);
    flagged.colour = 5;
    last[LENGTH - 1] += rank == 3;
    halves[LENGTH - 2] += rank / 2;
    first[0] += rank == 1;
    own[LENGTH - 1] += rank;
    memset(extended, rank + 1, sizeof extended);
    for (int i = 0; i < LENGTH; i++) {
        extended[i] = i + 0.5L;
        letters[i] = word[i] = (char)('a' + i % 26);
        comms[i] = MPI_COMM_SELF;
    }
    letters[LENGTH - 1] = word[LENGTH - 1] = 0;
    letters[LENGTH - 2] = rank == 2 ? '!' : '?';
    word[LENGTH - 2] = rank == 0 ? '!' : '?';
    double calm_sum = fill_ocean(&calm), rough_sum = fill_ocean(&rough);
    rough.cells[LENGTH - 1].depth += rank == 1;
    vast[BYTES - 1] = rank;

    tell("same", sum(same, LENGTH));
    tell("last", sum(last, LENGTH));
    tell("*to_last@1000", sum(to_last, LENGTH));
    tell("many[5]@99995", sum(many + 5, MANY - 5));
    tell("*many@MANY", sum(many, MANY));
    tell("*rows@9999", sum(many, MANY - 10));
    tell("*rows@10000", sum(many, MANY));
    tell("halves", sum(halves, LENGTH));
    tell("first", sum(first, LENGTH));
    tell("own", sum(own, LENGTH));
    tell("extended", (double)extended[LENGTH - 1]);
    tell("letters", letters[LENGTH - 2]);
    tell("word", word[LENGTH - 2]);
    tell("calm", calm_sum);
    tell("rough", rough_sum + (rough.cells[LENGTH - 1].depth - calm.cells[LENGTH - 1].depth));
    tell("rough.cells", rough.cells[LENGTH - 1].depth);
    tell("flagged", sum(flagged.depth, LENGTH));
    tell("vast", vast[BYTES - 1]);
    tell("comms", 1);
    wait_for_debugger();
    if (word[0] + letters[0] + own[0] + rows[0][0] + to_last[0] + (comms[0] == MPI_COMM_NULL) == 0.125)
        puts("nothing");
    free(word);
    free(many);
    MPI_Finalize();
    return 0;
}
