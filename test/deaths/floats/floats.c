/*
 * floats.c - rank 1 makes a NaN, or does what must not count as that, as its argument says.        mpirun -n 2 floats HOW [FILE [LIBRARY]]
 *
 * Each rank prints "rank N", a number, whether its handler of SIGFPE was called, and the exceptions that libc says are enabled. FILE: a library
 * with the function `later`, or one to wait for; FILE.waits is there when the rank does so.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fenv.h>
#include <math.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile double zero, one = 1, big = 1e200, quiet_nan = NAN, result = 5;
static volatile sig_atomic_t handled;
static volatile int has_pool_work, integer_zero;

double ddot_(const int *n, const double *x, const int *dx, const double *y, const int *dy);

static void handle(int signal)
{
    handled += signal == SIGFPE;
    printf("handled\n");
    fflush(stdout);
    _exit(3);
}

static double normalized(double r, double norm)
{
    double residual = r / norm; /* traps: main */
    return residual;
}

static void *in_thread(void *argument)
{
    double limit = *(double *)argument; /* traps: declares limit */
    result = limit - limit; /* traps: thread */
    return NULL;
}

static void *in_pool(void *argument)
{
    while (!has_pool_work)
        usleep(1000);
    return in_thread(argument);
}

static void of_openmp(void)
{
    double sum[4] = {1, 1, 1, 1};
    #pragma omp parallel num_threads(2)
    {
        #pragma omp for schedule(static, 1)
        for (int i = 0; i < 2; i++)
            if (i == 1)
                sum[i] = zero / zero; /* traps: openmp */
    }
    result = sum[1];
}

static void in_blas(void)
{
    const double x[2] = {1, HUGE_VAL}, y[2] = {1, zero};
    const int n = 2, step = 1;
    result = ddot_(&n, x, &step, y, &step); /* traps: blas */
}

static void in_later(const char *library)
{
    double (*later)(double);
    void *loaded = dlopen(library, RTLD_NOW);
    if (loaded == NULL)
        return;
    *(void **)&later = dlsym(loaded, "later");
    result = later(zero);
}

static const char *go;

static void wait_for_go(void)
{
    char waiting[4096];
    snprintf(waiting, sizeof waiting, "%s.waits", go);
    fclose(fopen(waiting, "w"));
    while (access(go, F_OK) != 0)
        usleep(1000);
}

static void wait_in_handler(int signal)
{
    (void)signal;
    wait_for_go();
}

/* The loader waits: the function is called for the first time, and chosen by one that waits. */
static void in_loader(const char *library)
{
    void (*call_chosen)(void (*)(void));
    void *loaded = dlopen(library, RTLD_LAZY);
    if (loaded == NULL)
        return;
    *(void **)&call_chosen = dlsym(loaded, "call_chosen");
    call_chosen(wait_for_go);
}

static void on_purpose(void)
{
    double quiet = nan(""), infinite = INFINITY;
    fenv_t before;
    int count = isnan(quiet) + isunordered(quiet, 1) + (quiet == quiet) + isinf(infinite);
    feholdexcept(&before);
    double made = zero / zero;
    count += fetestexcept(FE_INVALID) != 0;
    fesetenv(&before);
    result = count + (isnan(made) ? 10 : 0) + (isnan(quiet + 1) ? 100 : 0);
}

static void forked(void)
{
    pid_t child = fork();
    int status;
    if (child == 0) {
        volatile double made = zero / zero;
        _exit(isnan(made) ? 7 : 1);
    }
    waitpid(child, &status, 0);
    result = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* One that divides by zero, and one that makes a NaN. */
static void in_vector(void)
{
    typedef double pair __attribute__((vector_size(16)));
    _Alignas(16) double left[2] = {one, zero}, right[2] = {zero, zero}, quotients[2];
    for (int i = 0; i < 2; i += 2)
        *(pair *)&quotients[i] = *(pair *)&left[i] / *(pair *)&right[i]; /* traps: vector */
    result = quotients[1];
}

static void declared(void)
{
    double shares[2] = {zero / zero, one}, least = shares[1]; /* traps: declared */
    result = shares[0] + least;
}

static void reduced(int rank)
{
    double mine = rank == 0 ? INFINITY : -INFINITY, sum = 0;
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* traps: reduction */
    result = sum;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    double infinity = INFINITY;
    pthread_t thread;
    int rank;
    if (strcmp(how, "handlers") == 0)
        for (int i = 0; i < 100000; i++)
            signal(SIGFPE, handle);
    if (strcmp(how, "pool") == 0)
        pthread_create(&thread, NULL, in_pool, &infinity);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (strcmp(how, "reduction") == 0)
        reduced(rank);
    if (rank == 1) {
        if (strcmp(how, "main") == 0)
            result = normalized(zero, zero);
        if (strcmp(how, "zero") == 0)
            result = one / zero; /* traps: zero */
        if (strcmp(how, "overflow") == 0)
            result = big * big; /* traps: overflow */
        if (strcmp(how, "after-others") == 0) {
            /* Overflows have happened before, and are no reason to stop. */
            volatile double over = big * big;
            (void)over;
            result = normalized(zero, zero);
        }
        if (strcmp(how, "compared") == 0)
            result = quiet_nan < one; /* traps: compared */
        if (strcmp(how, "libm") == 0)
            result = log(-one); /* traps: libm */
        if (strcmp(how, "thread") == 0) {
            pthread_create(&thread, NULL, in_thread, &infinity);
            pthread_join(thread, NULL);
        }
        if (strcmp(how, "pool") == 0)
            has_pool_work = 1;
        if (strcmp(how, "vector") == 0)
            in_vector();
        if (strcmp(how, "declared") == 0)
            declared();
        if (strcmp(how, "openmp") == 0)
            of_openmp();
        if (strcmp(how, "blas") == 0)
            in_blas();
        if (strcmp(how, "later") == 0)
            in_later(argv[2]);
        if (strcmp(how, "handler") == 0) {
            signal(SIGFPE, handle);
            result = normalized(zero, zero);
        }
        if (strcmp(how, "ignored") == 0) {
            signal(SIGFPE, SIG_IGN);
            result = normalized(zero, zero);
        }
        if (strcmp(how, "own-trap") == 0) {
            signal(SIGFPE, handle);
            feenableexcept(FE_INVALID);
            result = normalized(zero, zero);
        }
        if (strcmp(how, "disabled") == 0) {
            fedisableexcept(FE_ALL_EXCEPT);
            result = normalized(zero, zero);
        }
        if (strcmp(how, "integer") == 0)
            result = 7 / integer_zero; /* traps: integer */
        if (strcmp(how, "in-handler") == 0) {
            go = argv[2];
            signal(SIGUSR1, wait_in_handler);
            raise(SIGUSR1);
            result = normalized(zero, zero);
        }
        if (strcmp(how, "in-loader") == 0) {
            go = argv[2];
            in_loader(argv[3]);
            result = normalized(zero, zero);
        }
        if (strcmp(how, "on-purpose") == 0)
            on_purpose();
        if (strcmp(how, "forked") == 0)
            forked();
    }
    has_pool_work = 1;
    if (strcmp(how, "pool") == 0)
        pthread_join(thread, NULL);
    printf("rank %d: %g handled %d enabled %x\n", rank, result, (int)handled, (unsigned)fegetexcept());
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
