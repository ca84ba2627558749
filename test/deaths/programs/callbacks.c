/* callbacks.c CASE - deaths in functions of the program that MPI calls, and in MPI where its errors go deep. The last rank is the one. */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size, one = 1, sum, *shared;
static const char *how;

static void fault(void)
{
    *(volatile int *)0 = 3; /* dies: fault */
}

static void *in_thread(void *unused)
{
    fault();
    return unused;
}

static void on_signal(int number)
{
    (void)number;
    fault();
}

static void reduce(void *in, void *out, int *count, MPI_Datatype *type)
{
    (void)in, (void)out, (void)count, (void)type;
    if (rank < size - 1)
        return;
    if (strcmp(how, "operation-exits") == 0)
        exit(4); /* dies: operation exits */
    if (strcmp(how, "operation-sends") == 0)
        MPI_Send(&one, 1, MPI_INT, 17, 0, MPI_COMM_WORLD); /* dies: operation sends */
    if (strcmp(how, "operation-interrupted") == 0) {
        signal(SIGUSR2, on_signal);
        raise(SIGUSR2);
    }
    fault();
}

static int deleted(MPI_Comm comm, int key, void *value, void *extra)
{
    pthread_t thread;
    (void)comm, (void)key, (void)value, (void)extra;
    if (strcmp(how, "finalizing-thread") != 0)
        fault();
    pthread_create(&thread, NULL, in_thread, NULL);
    pthread_join(thread, NULL);
    return MPI_SUCCESS;
}

static void ends_file(MPI_File *file, int *code, ...)
{
    (void)file, (void)code;
    exit(5); /* dies: file handler exits */
}

static void ends_window(MPI_Win *window, int *code, ...)
{
    (void)window, (void)code;
    exit(6); /* dies: window handler exits */
}

static void sends_again(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
    MPI_Send(&one, 1, MPI_INT, 18, 0, MPI_COMM_WORLD); /* dies: handler sends */
}

static void write_of_all(void)
{
    MPI_File file;
    MPI_File_open(MPI_COMM_WORLD, "/dev/null", MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    MPI_File_set_errhandler(file, MPI_ERRORS_ARE_FATAL);
    MPI_File_write_at_all(file, rank == size - 1 ? -4 : 4, &one, 1, MPI_INT, MPI_STATUS_IGNORE); /* dies: write of all */
}

static void die_alone(void)
{
    if (strcmp(how, "file-handler-exits") == 0) {
        MPI_File file;
        MPI_Errhandler handler;
        MPI_File_create_errhandler(ends_file, &handler);
        MPI_File_set_errhandler(MPI_FILE_NULL, handler);
        MPI_File_open(MPI_COMM_SELF, "/no/such/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
    } else if (strcmp(how, "handler-sends") == 0) {
        MPI_Comm copy;
        MPI_Errhandler handler;
        MPI_Comm_dup(MPI_COMM_SELF, &copy);
        MPI_Comm_create_errhandler(sends_again, &handler);
        MPI_Comm_set_errhandler(copy, handler);
        MPI_Send(&one, 1, MPI_INT, 17, 0, copy);
    } else if (strcmp(how, "neighbours") == 0) {
        int near[2];
        MPI_Neighbor_allgather(&one, 1, MPI_INT, near, 1, MPI_INT, MPI_COMM_WORLD); /* dies: neighbours */
    }
}

int main(int argc, char **argv)
{
    int key, provided;
    MPI_Op operation;
    MPI_Win window;
    MPI_Errhandler handler;
    how = argc > 1 ? argv[1] : "";
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (strncmp(how, "operation", 9) == 0) {
        MPI_Op_create(reduce, 1, &operation);
        if (rank == size - 1)
            MPI_Reduce_local(&one, &sum, 1, MPI_INT, operation);
    } else if (strcmp(how, "window-handler-exits") == 0) {
        MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &shared, &window);
        MPI_Win_create_errhandler(ends_window, &handler);
        MPI_Win_set_errhandler(window, handler);
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
        if (rank == size - 1)
            MPI_Put(&one, 1, MPI_INT, 17, 0, 1, MPI_INT, window);
    } else if (strncmp(how, "finalizing", 10) == 0) {
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, deleted, &key, NULL);
        if (rank == size - 1)
            MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    }
    if (strcmp(how, "write-of-all") == 0)
        write_of_all();
    if (rank == size - 1)
        die_alone();
    if (strncmp(how, "finalizing", 10) != 0)
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
