/*
 * blas.c - a library with the name and one function of BLAS, which computes it in a thread that is there before the program
 * begins. With BLAS_IS_IDLE it runs only where nothing else wants to, as on a busy machine.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct { int n, dx, dy, is_wanted; const double *x, *y; double sum; } work;

static void *worker(void *unused)
{
    if (getenv("BLAS_IS_IDLE") != NULL)
        sched_setscheduler(0, SCHED_IDLE, &(struct sched_param){0});
    pthread_mutex_lock(&lock);
    for (;;) {
        while (!work.is_wanted)
            pthread_cond_wait(&changed, &lock);
        const double *x = work.x, *y = work.y;
        double sum = 0;
        for (int i = 0; i < work.n; i++)
            sum += x[i * work.dx] * y[i * work.dy]; /* traps: dot */
        work.sum = sum;
        work.is_wanted = 0;
        pthread_cond_broadcast(&changed);
    }
    return unused;
}

static void __attribute__((constructor)) start(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
}

double ddot_(const int *n, const double *x, const int *dx, const double *y, const int *dy)
{
    pthread_mutex_lock(&lock);
    work.n = *n, work.x = x, work.y = y, work.dx = *dx, work.dy = *dy, work.is_wanted = 1;
    pthread_cond_broadcast(&changed);
    while (work.is_wanted)
        pthread_cond_wait(&changed, &lock);
    const double sum = work.sum;
    pthread_mutex_unlock(&lock);
    return sum;
}
