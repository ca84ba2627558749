/*
 * event-double.c - preloaded behind the collector, stands for a library with MPI_T events, which Debian 12 has not: types of events that
 * the program raises with MPI_Pcontrol(level), each with the elements level and how many were raised before.
 *
 * copied: its data can be copied; refused: a copy is refused; far: its elements are farther apart than a copy should be long;
 * of_comm: bound to a communicator.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if MPI_VERSION < 4
typedef struct event *MPI_T_event_instance;
typedef struct registration *MPI_T_event_registration;
typedef enum { NONE, RESTRICTED, THREAD_SAFE, ASYNC_SIGNAL_SAFE } MPI_T_cb_safety;
typedef enum { ORDERED, UNORDERED } MPI_T_source_order;
typedef void MPI_T_event_cb_function(MPI_T_event_instance, MPI_T_event_registration, MPI_T_cb_safety, void *);
typedef void MPI_T_event_free_cb_function(MPI_T_event_registration, MPI_T_cb_safety, void *);
typedef void MPI_T_event_dropped_cb_function(MPI_Count, MPI_T_event_registration, int, MPI_T_cb_safety, void *);
#endif

enum { ELEMENTS = 2, MAX_REGISTRATIONS = 64, REFUSAL = MPI_T_ERR_INVALID };

static const struct { const char *name; MPI_Aint second; int bind; } types[] = {
    {"copied", 8, MPI_T_BIND_NO_OBJECT},
    {"refused", 8, MPI_T_BIND_NO_OBJECT},
    {"far", 100000, MPI_T_BIND_NO_OBJECT},
    {"of_comm", 8, MPI_T_BIND_MPI_COMM},
};
enum { TYPES = sizeof types / sizeof *types };

static struct registered {
    int type;
    MPI_Comm comm;
    void *user_data;
    MPI_T_event_cb_function *observed;
} *registered[MAX_REGISTRATIONS];
static int count;

static struct raised { int type, values[ELEMENTS]; } now;
static int raised_before[TYPES];

int PMPI_T_event_get_num(int *number)
{
    *number = TYPES;
    return MPI_SUCCESS;
}

static void put(char *text, int *length, const char *words)
{
    snprintf(text, (size_t)*length, "%s", words);
    *length = (int)strlen(words) + 1;
}

int PMPI_T_event_get_info(int index, char *name, int *name_length, int *verbosity, MPI_Datatype datatypes[],
                          MPI_Aint displacements[], int *elements, MPI_T_enum *enumeration, MPI_Info *info, char *description,
                          int *description_length, int *bind)
{
    if (index < 0 || index >= TYPES)
        return MPI_T_ERR_INVALID_INDEX;
    put(name, name_length, types[index].name);
    put(description, description_length, "");
    *verbosity = MPI_T_VERBOSITY_USER_BASIC;
    for (int i = 0; i < ELEMENTS && i < *elements; i++) {
        datatypes[i] = MPI_INT;
        displacements[i] = i == 0 ? 0 : types[index].second;
    }
    *elements = ELEMENTS;
    *enumeration = MPI_T_ENUM_NULL;
    *info = MPI_INFO_NULL;
    *bind = types[index].bind;
    return MPI_SUCCESS;
}

int PMPI_T_event_handle_alloc(int index, void *object, MPI_Info info, MPI_T_event_registration *handle)
{
    (void)info;
    if (count == MAX_REGISTRATIONS)
        return MPI_T_ERR_OUT_OF_HANDLES;
    struct registered *made = calloc(1, sizeof *made);
    made->type = index;
    if (types[index].bind == MPI_T_BIND_MPI_COMM)
        made->comm = *(MPI_Comm *)object;
    registered[count++] = made;
    *handle = (MPI_T_event_registration)made;
    return MPI_SUCCESS;
}

/* It stays: the callback may look at its handle. */
int PMPI_T_event_handle_free(MPI_T_event_registration handle, void *user_data, MPI_T_event_free_cb_function *freed)
{
    for (int i = 0; i < count; i++)
        if (registered[i] == (struct registered *)handle) {
            registered[i] = registered[--count];
            if (freed != NULL)
                freed(handle, (MPI_T_cb_safety)0, user_data);
            return MPI_SUCCESS;
        }
    return MPI_T_ERR_INVALID_HANDLE;
}

/* One level is enough. */
int PMPI_T_event_register_callback(MPI_T_event_registration handle, MPI_T_cb_safety safety, MPI_Info info, void *user_data,
                                   MPI_T_event_cb_function *observed)
{
    (void)info;
    struct registered *of = (struct registered *)handle;
    if ((int)safety != 0)
        return REFUSAL;
    of->user_data = user_data;
    of->observed = observed;
    return MPI_SUCCESS;
}

int PMPI_T_event_set_dropped_handler(MPI_T_event_registration handle, MPI_T_event_dropped_cb_function *dropped)
{
    (void)handle, (void)dropped;
    return MPI_SUCCESS;
}

int PMPI_T_event_read(MPI_T_event_instance event, int element, void *buffer)
{
    memcpy(buffer, &((struct raised *)event)->values[element], sizeof(int));
    return MPI_SUCCESS;
}

int PMPI_T_event_copy(MPI_T_event_instance event, void *buffer)
{
    const struct raised *of = (struct raised *)event;
    if (strcmp(types[of->type].name, "refused") == 0)
        return REFUSAL;
    for (int i = 0; i < ELEMENTS; i++)
        memcpy((char *)buffer + (i == 0 ? 0 : types[of->type].second), &of->values[i], sizeof(int));
    return MPI_SUCCESS;
}

int PMPI_T_event_get_timestamp(MPI_T_event_instance event, MPI_Count *ticks)
{
    *ticks = ((struct raised *)event)->values[1];
    return MPI_SUCCESS;
}

int PMPI_T_event_get_source(MPI_T_event_instance event, int *source)
{
    (void)event;
    *source = 0;
    return MPI_SUCCESS;
}

int PMPI_T_source_get_num(int *number)
{
    *number = 1;
    return MPI_SUCCESS;
}

int PMPI_T_source_get_info(int index, char *name, int *name_length, char *description, int *description_length,
                           MPI_T_source_order *ordering, MPI_Count *ticks_per_second, MPI_Count *max_ticks, MPI_Info *info)
{
    (void)index;
    put(name, name_length, "double");
    put(description, description_length, "");
    *ordering = (MPI_T_source_order)0;
    *ticks_per_second = 1000;
    *max_ticks = 1 << 30;
    *info = MPI_INFO_NULL;
    return MPI_SUCCESS;
}

int PMPI_T_source_get_timestamp(int index, MPI_Count *ticks)
{
    (void)index;
    *ticks = 0;
    return MPI_SUCCESS;
}

int MPI_Pcontrol(const int level, ...)
{
    for (int type = 0; type < TYPES; type++) {
        now = (struct raised){type, {level, raised_before[type]++}};
        for (int i = 0; i < count; i++)
            if (registered[i]->type == type && registered[i]->observed != NULL)
                registered[i]->observed((MPI_T_event_instance)&now, (MPI_T_event_registration)registered[i], (MPI_T_cb_safety)0,
                                        registered[i]->user_data);
    }
    return MPI_SUCCESS;
}
