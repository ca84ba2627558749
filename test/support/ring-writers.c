/*
 * ring-writers.c - the collector's rings without MPI, written to by many threads, and by signals that interrupt them.
 *
 *     ring-writers write THREADS     until a line comes in; tells "written N", and waits for another line
 *     ring-writers threads THREADS   one after the other, each with one record
 *     ring-writers time RECORDS      nanoseconds for each, of one thread: "N.N"
 *
 * The words of a record follow from its first one, so that a reader sees whether they belong together (see ring-writers.ts).
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "collector.h"

enum { KIND = 200, MAX_THREADS = 256 };

static _Atomic int must_end;
static _Atomic uint64_t written;
/* Signals take numbers too. */
static __thread _Atomic uint64_t next_number;

/* From 1 to 30 words: number, number * 3 + 1, number * 3 + 2, … */
static void write_one(void)
{
    uint64_t words[30];
    const uint64_t number = atomic_fetch_add(&next_number, 1);
    const uint32_t count = 1 + (uint32_t)(number % 30);
    words[0] = number;
    for (uint32_t i = 1; i < count; i++)
        words[i] = number * 3 + i;
    record((enum record_kind)KIND, (uint16_t)count, now(), words, count);
    atomic_fetch_add(&written, 1);
}

static void interrupted(int signal)
{
    (void)signal;
    write_one();
}

/* Without it the ring comes round before a reader on a busy machine has read any of it. */
static void rest(void)
{
    struct timespec left = {0, 10000000};
    while (nanosleep(&left, &left) != 0 && !atomic_load(&must_end))
        continue;
}

static void *write_many(void *nothing)
{
    struct sigevent to_this_thread = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1};
    to_this_thread._sigev_un._tid = (pid_t)syscall(SYS_gettid);
    const struct itimerspec every = {{0, 50000}, {0, 50000}};
    timer_t timer;
    if (timer_create(CLOCK_MONOTONIC, &to_this_thread, &timer) != 0 || timer_settime(timer, 0, &every, NULL) != 0)
        abort();
    while (!atomic_load(&must_end)) {
        for (int i = 0; i < 512; i++)
            write_one();
        rest();
    }
    timer_delete(timer);
    return nothing;
}

static void *write_once(void *nothing)
{
    write_one();
    return nothing;
}

static void wait_for_line(void)
{
    char line[16];
    if (fgets(line, sizeof line, stdin) == NULL)
        exit(1);
}

static void write_until_told(int count)
{
    pthread_t threads[MAX_THREADS];
    for (int i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, write_many, NULL);
    printf("writing\n");
    fflush(stdout);
    wait_for_line();
    atomic_store(&must_end, 1);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
}

static void one_after_the_other(int count)
{
    pthread_t thread;
    for (int i = 0; i < count; i++) {
        pthread_create(&thread, NULL, write_once, NULL);
        pthread_join(thread, NULL);
    }
}

static void measure(long records)
{
    uint64_t words[5] = {1, 2, 3, 4, 5};
    record((enum record_kind)KIND, 5, now(), words, 5);
    const uint64_t begin = now();
    for (long i = 0; i < records; i++)
        record((enum record_kind)KIND, 5, now(), words, 5);
    printf("%.2f\n", (double)(now() - begin) / (double)records);
}

int main(int argc, char **argv)
{
    if (argc != 3 || !region_create(COLLECT_EVENTS, 100))
        return 2;
    signal(SIGUSR1, interrupted);
    if (strcmp(argv[1], "time") == 0) {
        measure(atol(argv[2]));
        return 0;
    }
    if (strcmp(argv[1], "write") == 0)
        write_until_told(atoi(argv[2]));
    else
        one_after_the_other(atoi(argv[2]));
    printf("written %lu\n", (unsigned long)atomic_load(&written));
    fflush(stdout);
    wait_for_line();
    return 0;
}
