/* For programs in which each two ranks do one thing: the first has the NaN, or whatever it is, and the second gets it. N: how many numbers each has. */
#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static double numbers[N], others[N];
static MPI_Comm pair;
static int me, gives;

static double quiet_nan(void)
{
    return strtod("nan", NULL);
}

static void begin_with(double odd, int at)
{
    for (int i = 0; i < N; i++)
        numbers[i] = others[i] = i;
    if (gives)
        numbers[at] = odd;
}

/* Returns which two these are. */
static int begin_in_pairs(int *argc, char ***argv)
{
    int rank;
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, 0, &pair);
    MPI_Comm_rank(pair, &me);
    gives = me == 0;
    return rank / 2;
}
