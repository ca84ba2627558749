/*
 * leaving-thread WHAT: ranks 0 and 1 wait for messages of each other, which a thread sends that none of its calls leads to: when it ends,
 * by the destructor of its key, or by what it has pushed for that. The others have left for MPI_Finalize.
 */
#include "cases.h"

static pthread_key_t key;
static const char *what;

static void send_at_end(void *unused) { send_now(1 - rank, 4, WORLD); }
static void leave(void)
{
    sleep(4);
    pthread_exit(NULL);
}
static void *with_key(void *unused)
{
    pthread_setspecific(key, &key);
    sleep(4);
    return unused;
}
static void *with_cleanup(void *unused)
{
    pthread_cleanup_push(send_at_end, NULL);
    leave();
    pthread_cleanup_pop(0);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &size);
    if (argc < 2 || provided != MPI_THREAD_MULTIPLE) MPI_Abort(WORLD, 3);
    what = argv[1];
    pthread_key_create(&key, send_at_end);
    begin();
    while (rank < 2) {
        pthread_create(&thread, NULL, strcmp(what, "key") == 0 ? with_key : with_cleanup, NULL);
        receive(1 - rank, 4, WORLD);
        pthread_join(thread, NULL);
    }
    MPI_Finalize();
}
