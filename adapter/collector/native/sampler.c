/* sampler.c - the collector's thread: reads the values every period, and looks for new variables now and then. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include "collector.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake;
static pthread_mutex_t wake_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_t thread;
static bool runs, must_end;

void lock(void)
{
    pthread_mutex_lock(&mutex);
}

void unlock(void)
{
    pthread_mutex_unlock(&mutex);
}

static void look_for_changes(void)
{
    int changed;
    if (!collector_asks_mpi_t() || mpi_t.category_changed == NULL || mpi_t.category_changed(&changed) != 0 || changed == region->changed_last)
        return;
    catalog_update();
    atomic_store(&region->changed_last, changed);
    atomic_fetch_add(&region->changed_noticed, 1);
}

static struct timespec after(uint32_t milliseconds)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    at.tv_sec += milliseconds / 1000;
    at.tv_nsec += (long)(milliseconds % 1000) * 1000000;
    if (at.tv_nsec >= 1000000000) {
        at.tv_sec++;
        at.tv_nsec -= 1000000000;
    }
    return at;
}

/* False: the thread is to end. */
static bool wait_for_turn(void)
{
    pthread_mutex_lock(&wake_mutex);
    const struct timespec until = after(region->period);
    while (!must_end && pthread_cond_timedwait(&wake, &wake_mutex, &until) == 0)
        ;
    const bool goes_on = !must_end;
    pthread_mutex_unlock(&wake_mutex);
    return goes_on;
}

static void *run(void *nothing)
{
    pthread_setname_np(pthread_self(), "mpidbg-collect");
    const uint32_t turns_a_second = 1000 / region->period + 1;
    for (uint32_t turn = 1; wait_for_turn(); turn++) {
        lock();
        if (turn % turns_a_second == 0) {
            look_for_changes();
            sources_compare();
        }
        requests_serve();
        pvars_sample();
        unlock();
    }
    return nothing;
}

void sampler_start(void)
{
    pthread_condattr_t attributes;
    pthread_attr_t size;
    sigset_t all, before;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&wake, &attributes);
    pthread_attr_init(&size);
    pthread_attr_setstacksize(&size, 256 * 1024);
    must_end = false;
    /* No signal of the program is ever handled on this thread. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    runs = pthread_create(&thread, &size, run, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&size);
    pthread_condattr_destroy(&attributes);
}

void sampler_stop(void)
{
    /* In a fork there is neither the thread nor the region. */
    if (!runs || !region_is_ours())
        return;
    pthread_mutex_lock(&wake_mutex);
    must_end = true;
    pthread_cond_signal(&wake);
    pthread_mutex_unlock(&wake_mutex);
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    if (pthread_timedjoin_np(thread, NULL, &until) == 0)
        runs = false;
}
