/* infos.c - what an MPI_Info object says: the hints of event sources and types. */
#include <string.h>
#include "collector.h"

enum { MAX_KEY = 256 + 1, MAX_VALUE = 1024 + 1, MAX_HINTS = 64 };

static struct {
    int (*get_nkeys)(Handle, int *);
    int (*get_nthkey)(Handle, int, char *);
    int (*get_string)(Handle, const char *, int *, char *, int *);
    int (*free)(Handle *);
} info;

static bool has_functions(void)
{
    if (info.free != NULL)
        return true;
    *(void **)&info.get_nkeys = next_symbol("PMPI_Info_get_nkeys");
    *(void **)&info.get_nthkey = next_symbol("PMPI_Info_get_nthkey");
    *(void **)&info.get_string = next_symbol("PMPI_Info_get_string");
    if (info.get_nkeys == NULL || info.get_nthkey == NULL || info.get_string == NULL)
        return false;
    *(void **)&info.free = next_symbol("PMPI_Info_free");
    return info.free != NULL;
}

static bool add_hint(Handle of, int place)
{
    char key[MAX_KEY] = "", value[MAX_VALUE] = "";
    int length = MAX_VALUE, is_there = 0;
    if (info.get_nthkey(of, place, key) != 0 || info.get_string(of, key, &length, value, &is_there) != 0 || !is_there)
        return false;
    struct hint_entry *made = reserve(HINTS, 1);
    if (made == NULL)
        return false;
    *made = (struct hint_entry){text(key), text(value)};
    publish(HINTS, 1);
    return true;
}

uint32_t hints_of(Handle of)
{
    int keys = 0;
    uint32_t told = 0;
    if (of == 0 || of == null_handle(HANDLE_INFO) || !has_functions() || info.get_nkeys(of, &keys) != 0)
        return 0;
    for (int i = 0; i < keys && i < MAX_HINTS; i++)
        told += add_hint(of, i);
    info.free(&of);
    return told;
}
