/*
 * steps "RANKS: STEP; STEP | RANKS: STEP ...": what each rank does, by text. RANKS: 0,2-3; all: everybody. A rank takes its
 * steps from each part that names it, in their order. STEP: CALL[@COMM] ARGUMENT..., see the tables in steps-*.h; COMM: one of
 * comm_of(). "forever; STEP..." repeats what follows, "thread; STEP..." does it in a thread of its own.
 */
#include "cases.h"

struct arguments {
    MPI_Comm comm;
    int a, b, c;
};
struct step_call {
    const char *name;
    void (*run)(struct arguments it);
};

static volatile double sum;
static int count = 1; /* elements of what is sent or collected */

static MPI_Comm half_comm, odd_comm, a_comm, b_comm, inter_comm, ring_comm;

static void make_comms(void)
{
    int period = 1;
    a_comm = duplicate("a");
    b_comm = duplicate("b");
    MPI_Comm_split(WORLD, rank / 2, rank, &half_comm);
    MPI_Comm_split(WORLD, rank % 2, rank, &odd_comm);
    MPI_Intercomm_create(half_comm, 0, WORLD, rank < 2 ? 2 : 0, 3, &inter_comm);
    MPI_Cart_create(WORLD, 1, &size, &period, 0, &ring_comm);
}

static MPI_Comm comm_of(char letter)
{
    switch (letter) {
    case 'a': return a_comm;
    case 'b': return b_comm;
    case 'h': return half_comm;
    case 'o': return odd_comm;
    case 'i': return inter_comm;
    case 'r': return ring_comm;
    case 's': return MPI_COMM_SELF;
    default: return WORLD;
    }
}

#include "steps-messages.h"
#include "steps-collectives.h"
#include "steps-objects.h"

static void set_count(struct arguments it) { count = it.a; }
static void compute(struct arguments it)
{
    (void)it;
    for (;;) sum += 0.5;
}
static void doze(struct arguments it)
{
    do usleep(it.a == 0 ? 1000000 : it.a * 1000);
    while (it.a == 0);
}
static void leave(struct arguments it) { _exit(it.a); }

static const struct step_call others[] = {
    {"count", set_count}, {"compute", compute}, {"sleep", doze}, {"exit", leave}, {NULL, NULL},
};

static int run_from(const struct step_call *calls, const char *name, struct arguments it)
{
    for (; calls->name != NULL; calls++)
        if (strcmp(calls->name, name) == 0) {
            calls->run(it);
            return 1;
        }
    return 0;
}

static void *run_steps(void *text);

static void run_step(const char *step)
{
    char call[64] = "", letter = 'w';
    struct arguments it = {.a = 0};
    if (sscanf(step, " %63[a-z_]@%c %d %d %d", call, &letter, &it.a, &it.b, &it.c) < 2)
        sscanf(step, " %63[a-z_] %d %d %d", call, &it.a, &it.b, &it.c);
    it.comm = comm_of(letter);
    if (run_from(message_calls, call, it) || run_from(collective_calls, call, it) || run_from(object_calls, call, it) ||
        run_from(others, call, it))
        return;
    fprintf(stderr, "no such step: %s\n", step);
    MPI_Abort(WORLD, 2);
}

static void *run_steps(void *text)
{
    char copy[512], *rest = copy, *step;
    snprintf(copy, sizeof copy, "%s", (const char *)text);
    while ((step = strsep(&rest, ";")) != NULL) {
        step += strspn(step, " ");
        if (strncmp(step, "forever", 7) == 0 && rest != NULL)
            for (;;) run_steps(rest);
        if (strncmp(step, "thread", 6) == 0 && rest != NULL) {
            pthread_t thread;
            pthread_create(&thread, NULL, run_steps, strdup(rest));
            return NULL;
        }
        run_step(step);
    }
    return NULL;
}

/* "0,2-3" or "all" */
static int is_named(const char *ranks)
{
    int first, last, length;
    ranks += strspn(ranks, " ");
    if (strncmp(ranks, "all", 3) == 0) return 1;
    while (sscanf(ranks, "%d%n", &first, &length) == 1) {
        ranks += length, last = first;
        if (sscanf(ranks, "-%d%n", &last, &length) == 1) ranks += length;
        if (first <= rank && rank <= last) return 1;
        if (*ranks++ != ',') return 0;
    }
    return 0;
}

int main(int argc, char **argv)
{
    int provided;
    char *rest = argv[argc - 1], *part;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &size);
    make_comms();
    prepare_objects();
    begin();
    while ((part = strsep(&rest, "|")) != NULL) {
        char *steps = strchr(part, ':');
        if (steps != NULL && is_named(part)) run_steps(steps + 1);
    }
    MPI_Finalize();
    return 0;
}
