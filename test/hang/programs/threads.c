/*
 * threads LEVEL WHAT: ranks 0 and 1 wait for messages of each other, and have another thread: what it does is WHAT. The others have
 * left for MPI_Finalize. LEVEL is that of MPI_Init_thread: single, funneled, serialized, multiple.
 */
#include "cases.h"
#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <linux/futex.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>

static volatile int keep_on = 1, seen;
static volatile double sum;
static sem_t never_posted;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never_signalled = PTHREAD_COND_INITIALIZER;

/* Nothing that they do ends the wait of the first thread. */
static void *monitor(void *unused)
{
    while (keep_on) {
        sleep(1);
        seen++;
    }
    return unused;
}
static void *short_naps(void *unused)
{
    struct timespec nap = {.tv_nsec = 300000000};
    while (keep_on) nanosleep(&nap, NULL);
    return unused;
}
static void *selecting(void *unused)
{
    while (keep_on) {
        struct timeval limit = {.tv_sec = 2};
        select(0, NULL, NULL, NULL, &limit);
    }
    return unused;
}
static void *timed_condition(void *unused)
{
    pthread_mutex_lock(&lock);
    while (keep_on) {
        struct timespec end;
        clock_gettime(CLOCK_REALTIME, &end);
        end.tv_sec += 2;
        pthread_cond_timedwait(&never_signalled, &lock, &end);
    }
    return unused;
}
static void *polling(void *unused)
{
    poll(NULL, 0, -1);
    send_now(1 - rank, 4, WORLD);
    return unused;
}
static void *reading(void *unused)
{
    int ends[2];
    char byte;
    if (pipe(ends) == 0 && read(ends[0], &byte, 1) == 1) send_now(1 - rank, 4, WORLD);
    return unused;
}
static void *accepting(void *unused)
{
    int server = socket(AF_UNIX, SOCK_STREAM, 0);
    sa_family_t family = AF_UNIX; /* the kernel chooses a name */
    if (bind(server, (struct sockaddr *)&family, sizeof family) == 0 && listen(server, 1) == 0)
        if (accept(server, NULL, NULL) >= 0) send_now(1 - rank, 4, WORLD);
    return unused;
}
static void *condition(void *unused)
{
    pthread_mutex_lock(&lock);
    while (keep_on) pthread_cond_wait(&never_signalled, &lock);
    send_now(1 - rank, 4, WORLD);
    return unused;
}
static void *semaphore(void *unused)
{
    sem_wait(&never_posted);
    send_now(1 - rank, 4, WORLD);
    return unused;
}
static void *long_sleep(void *unused)
{
    sleep(100000);
    send_now(1 - rank, 4, WORLD);
    return unused;
}
/* As C++'s atomics wait, beside the C library. */
static void *word(void *unused)
{
    while (keep_on) syscall(SYS_futex, &seen, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
    send_now(1 - rank, 4, WORLD);
    return unused;
}
static void *computing(void *unused)
{
    while (keep_on) sum += 0.5;
    return unused;
}

/* They end it: a message goes out every few seconds. */
static void *slow_sender(void *unused)
{
    while (keep_on) {
        sleep(4);
        send_now(1 - rank, 4, WORLD);
    }
    return unused;
}
static void *napping_sender(void *unused)
{
    struct timespec nap = {.tv_nsec = 200000000};
    while (keep_on) {
        for (int i = 0; i < 20; i++) nanosleep(&nap, NULL);
        send_now(1 - rank, 4, WORLD);
    }
    return unused;
}
static void (*volatile through_pointer)(int, int, MPI_Comm) = send_now;
/* As an interpreter does: its code does not tell what it calls. */
static void *hidden_sender(void *unused)
{
    while (keep_on) {
        sleep(4);
        through_pointer(1 - rank, 4, WORLD);
    }
    return unused;
}
static void on_timer(union sigval unused)
{
    (void)unused;
    send_now(1 - rank, 4, WORLD);
}
/* The C library starts a thread each time. */
static void *timer_sender(void *unused)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_timer};
    const struct itimerspec times = {.it_value = {.tv_sec = 4}, .it_interval = {.tv_sec = 4}};
    timer_t timer;
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    timer_settime(timer, 0, &times, NULL);
    return unused;
}
static sem_t rung;
static void *rung_sender(void *unused)
{
    while (keep_on) {
        sem_wait(&rung);
        send_now(1 - rank, 4, WORLD);
    }
    return unused;
}
/* It calls nothing of MPI, and wakes the thread that does. */
static void *bell(void *unused)
{
    while (keep_on) {
        sleep(4);
        sem_post(&rung);
    }
    return unused;
}
/* It naps meanwhile, as one that looks whether there is something to do. */
static void *napping_bell(void *unused)
{
    struct timespec nap = {.tv_nsec = 200000000};
    for (int i = 1; keep_on; i++) {
        nanosleep(&nap, NULL);
        if (i % 60 == 0) sem_post(&rung);
    }
    return unused;
}
/* Neither a thread of theirs nor a time limit ends these waits. */
static void *timer_reader(void *unused)
{
    const struct itimerspec times = {.it_value = {.tv_sec = 12}, .it_interval = {.tv_sec = 12}};
    struct pollfd timer = {.fd = timerfd_create(CLOCK_MONOTONIC, 0), .events = POLLIN};
    unsigned long expired;
    timerfd_settime(timer.fd, 0, &times, NULL);
    while (poll(&timer, 1, -1) >= 0 && read(timer.fd, &expired, sizeof expired) > 0) send_now(1 - rank, 4, WORLD);
    return unused;
}
static void *child_reader(void *unused)
{
    int ends[2];
    char byte;
    if (pipe(ends) != 0) return unused;
    if (fork() == 0)
        for (;;) {
            sleep(12);
            if (write(ends[1], "x", 1) != 1) _exit(0);
        }
    close(ends[1]);
    while (read(ends[0], &byte, 1) == 1) send_now(1 - rank, 4, WORLD);
    return unused;
}
static void *signal_taker(void *unused)
{
    sigset_t alarms;
    int taken;
    sigemptyset(&alarms);
    sigaddset(&alarms, SIGALRM);
    while (keep_on) {
        alarm(12);
        sigwait(&alarms, &taken);
        send_now(1 - rank, 4, WORLD);
    }
    return unused;
}

static const struct {
    const char *name;
    void *(*body)(void *);
} bodies[] = {
    {"monitor", monitor}, {"short_naps", short_naps}, {"selecting", selecting}, {"timed_condition", timed_condition},
    {"polling", polling}, {"reading", reading}, {"accepting", accepting}, {"condition", condition},
    {"semaphore", semaphore}, {"long_sleep", long_sleep}, {"computing", computing}, {"slow_sender", slow_sender},
    {"napping_sender", napping_sender}, {"hidden_sender", hidden_sender}, {"rung_sender", rung_sender},
    {"timer_sender", timer_sender}, {"word", word}, {"napping_bell", rung_sender}, {"timer_reader", timer_reader},
    {"child_reader", child_reader}, {"signal_taker", signal_taker},
};

static int level_of(const char *name)
{
    switch (name[0]) {
    case 'f': return MPI_THREAD_FUNNELED;
    case 'm': return MPI_THREAD_MULTIPLE;
    default: return name[1] == 'i' ? MPI_THREAD_SINGLE : MPI_THREAD_SERIALIZED;
    }
}

int main(int argc, char **argv)
{
    pthread_t thread, other;
    int provided;
    if (argc < 3) return 2;
    /* Threads inherit it, those of the MPI library as well: the alarm comes to the one that takes it. */
    sigset_t alarms;
    sigemptyset(&alarms);
    sigaddset(&alarms, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &alarms, NULL);
    MPI_Init_thread(&argc, &argv, level_of(argv[1]), &provided);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &size);
    if (provided != level_of(argv[1])) MPI_Abort(WORLD, 3);
    sem_init(&never_posted, 0, 0);
    sem_init(&rung, 0, 0);
    begin();
    if (rank < 2) {
        for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++)
            if (strcmp(bodies[i].name, argv[2]) == 0) pthread_create(&thread, NULL, bodies[i].body, NULL);
        if (strcmp(argv[2], "rung_sender") == 0) pthread_create(&other, NULL, bell, NULL);
        if (strcmp(argv[2], "napping_bell") == 0) pthread_create(&other, NULL, napping_bell, NULL);
        for (;;) receive(1 - rank, 4, WORLD);
    }
    MPI_Finalize();
}
