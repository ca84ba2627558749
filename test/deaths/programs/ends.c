/* ends.c CASE - processes that end by themselves. The last rank is the one; all others wait for it. */
#define _GNU_SOURCE
#include <argp.h>
#include <assert.h>
#include <err.h>
#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int must_leave;

static void leaves(void)
{
    _exit(9);
}

__attribute__((destructor)) static void leave_behind_main(void)
{
    if (must_leave)
        leaves();
}

static void finalizes(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
}

__attribute__((always_inline)) static inline void check(int cells)
{
    if (cells > 3)
        abort(); /* dies: abort in a cold part */
}

/* Where it ends lies apart from its other code, under a symbol of its own. */
__attribute__((noinline, optimize("O2", "reorder-blocks-and-partition"))) static int relax(int cells)
{
    check(cells);
    return puts("relaxed");
}

static int returns(const char *how)
{
    if (strcmp(how, "abort-in-cold-part") == 0)
        relax((int)strlen(how));
    if (strcmp(how, "assert") == 0)
        assert(how == NULL && "no case"); /* dies: assert */
    if (strcmp(how, "abort") == 0)
        abort(); /* dies: abort */
    if (strcmp(how, "exit") == 0)
        exit(0); /* dies: exit */
    if (strcmp(how, "exit-7") == 0)
        exit(7); /* dies: exit 7 */
    if (strcmp(how, "exit-minus-1") == 0)
        exit(-1); /* dies: exit -1 */
    if (strcmp(how, "errx") == 0)
        errx(4, "no grid"); /* dies: errx */
    if (strcmp(how, "argp") == 0) {
        char *words[] = {"ends", "--no-such-option", NULL};
        argp_parse(&(struct argp){0}, 2, words, 0, NULL, NULL); /* dies: argp */
    }
    if (strcmp(how, "_exit") == 0)
        _exit(3); /* dies: _exit */
    if (strcmp(how, "quick-exit") == 0)
        quick_exit(4); /* dies: quick_exit */
    if (strcmp(how, "leaves-at-exit") == 0) {
        atexit(leaves);
        exit(1); /* dies: exit 1 */
    }
    if (strcmp(how, "leaves-at-quick-exit") == 0) {
        at_quick_exit(leaves);
        quick_exit(5); /* dies: quick_exit 5 */
    }
    must_leave = strcmp(how, "leaves-behind-main") == 0;
    if (must_leave)
        return 4;
    if (strcmp(how, "finalizes-at-exit") == 0) {
        atexit(finalizes);
        exit(0);
    }
    return strcmp(how, "return") == 0 ? 7 : strcmp(how, "return-0") == 0 ? 0 : -1;
}

/* Open MPI's launcher ends all others for a status: here it has none to end. MPICH's ends none, and may keep the first as a zombie. */
static void wait_until_first_is_gone(int rank)
{
    int first = getpid();
    MPI_Bcast(&first, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    while (rank != 0 && getenv("OMPI_COMM_WORLD_RANK") != NULL && kill(first, 0) == 0)
        sched_yield();
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    const char *number = getenv("PMI_RANK") != NULL ? getenv("PMI_RANK") : getenv("OMPI_COMM_WORLD_RANK");
    int rank, size;
    if (strcmp(how, "exit-before-init") == 0 && number != NULL && atoi(number) == 1)
        exit(2); /* dies: exit before init */
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == size - 1) {
        const int status = returns(how);
        if (status >= 0)
            return status;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(how, "exit-after-finalize") == 0) {
        wait_until_first_is_gone(rank);
        exit(rank == size - 1 ? 3 : 0);
    }
    MPI_Finalize();
    return 0;
}
