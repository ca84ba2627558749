/*
 * late-callbacks.c - preloaded behind the collector, has the library drop events: the collector's callbacks are registered at the
 * highest safety level alone, of which Open MPI 6 makes no use, until the program makes a window.
 */
#define _GNU_SOURCE
#include <dlfcn.h>

typedef int Register(void *handle, int safety, void *info, void *user_data, void *callback);
typedef int Create(void *base, long size, int unit, void *info, void *comm, void *win);

enum { MAX_LATE = 256, ASYNC_SIGNAL_SAFE = 3 };
static struct { void *handle, *info, *user_data, *callback; int safety; } late[MAX_LATE];
static int count, is_time;

static int register_now(void *handle, int safety, void *info, void *user_data, void *callback)
{
    Register *next;
    *(void **)&next = dlsym(RTLD_NEXT, "PMPI_T_event_register_callback");
    return next(handle, safety, info, user_data, callback);
}

/* The program's own callbacks are registered under the other name. */
int PMPI_T_event_register_callback(void *handle, int safety, void *info, void *user_data, void *callback)
{
    if (is_time || safety == ASYNC_SIGNAL_SAFE || count == MAX_LATE)
        return register_now(handle, safety, info, user_data, callback);
    late[count].handle = handle;
    late[count].info = info;
    late[count].user_data = user_data;
    late[count].callback = callback;
    late[count++].safety = safety;
    return 0;
}

int MPI_Win_create(void *base, long size, int unit, void *info, void *comm, void *win)
{
    Create *next;
    *(void **)&next = dlsym(RTLD_NEXT, "MPI_Win_create");
    is_time = 1;
    while (count > 0) {
        count--;
        register_now(late[count].handle, late[count].safety, late[count].info, late[count].user_data, late[count].callback);
    }
    return next(base, size, unit, info, comm, win);
}
