/*
 * neighbours.c - numbers that MPI has names for, given to its routines and not.       mpirun -n 4 neighbours
 *
 * Each rank prints "value RANK EXPRESSION", a tab and the value, with MPI's name before it where the program uses it as such.
 */
#include "truth.h"

struct pair {
    int left, right;
};

static int rank, size;

static void tell(const char *expression, int value, const char *name)
{
    truth_add("value %d %s\t", rank, expression);
    if (name == NULL)
        truth_add("%d", value);
    else
        truth_add("%s (%d)", name, value);
    truth_print();
}

static const char *peer(int value)
{
    return value == MPI_PROC_NULL ? "MPI_PROC_NULL" : NULL;
}

/* Its ranks are not those of main. */
static int weigh(int left, int *right)
{
    MPI_Status status;
    MPI_Sendrecv(NULL, 0, MPI_INT, (left), 1, NULL, 0, MPI_INT, *right, 1, MPI_COMM_WORLD, &status);
    return left + *right;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    truth_begin(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    int periods[1] = {0}, source = MPI_ANY_SOURCE, tag = MPI_ANY_TAG, near, far, ends[2];
    int count = MPI_PROC_NULL, level = MPI_PROC_NULL, colour = rank == 0 ? MPI_UNDEFINED : 1, inner = MPI_PROC_NULL;
    struct pair pair, *at = &pair;
    double number = 0;
    MPI_Comm line, part;
    MPI_Request request;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, periods, 0, &line);
    MPI_Cart_shift(line, 0, 1, &near, &far); /* MPI_Send(&level, 1, MPI_INT, level, 0, line) */
    MPI_Cart_shift(line, 0, 1, &pair.left, &at->right);
    MPI_Cart_shift(line, 0, 1, &ends[0], ends + 1);
    MPI_Irecv(&number, 1, MPI_DOUBLE, source, tag, line, &request);
    MPI_Comm_split(line, colour, rank, &part);
    if (count > 0) /* it is a rank here and a number there */
        MPI_Send(&number, count, MPI_DOUBLE, count, 0, line);
    {
        int inner = 0; /* another variable of this name */
        MPI_Bcast(&number, 1, MPI_DOUBLE, inner, MPI_COMM_SELF);
    }
    tell("near", near, peer(near));
    tell("far", far, peer(far));
    tell("pair.left", pair.left, peer(pair.left));
    tell("at->right", pair.right, peer(pair.right));
    tell("ends[0]", ends[0], peer(ends[0]));
    tell("ends[1]", ends[1], NULL);
    tell("source", source, "MPI_ANY_SOURCE");
    tell("tag", tag, "MPI_ANY_TAG");
    tell("colour", colour, rank == 0 ? "MPI_UNDEFINED" : NULL);
    tell("count", count, NULL);
    tell("level", level, NULL);
    tell("inner", inner, NULL);
    tell("rank", rank, NULL);
    wait_for_debugger();
    if (near + far + ends[0] + ends[1] + level + inner == 1) /* stop: neighbours known */
        printf("nothing %d\n", weigh(near, &far));
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (part != MPI_COMM_NULL)
        MPI_Comm_free(&part);
    MPI_Comm_free(&line);
    MPI_Finalize();
    return 0;
}
