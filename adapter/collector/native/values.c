/* values.c - elements of an MPI datatype as 64 bits each. */
#include <string.h>
#include "collector.h"

static uint64_t element(const char *at, struct datatype datatype)
{
    uint64_t wide = 0;
    if (datatype.bytes == 4 && datatype.kind == KIND_SIGNED) {
        int32_t number;
        memcpy(&number, at, sizeof number);
        return (uint64_t)(int64_t)number;
    }
    memcpy(&wide, at, datatype.bytes);
    return wide;
}

void widen(const void *from, uint32_t count, struct datatype datatype, uint64_t *to)
{
    for (uint32_t i = 0; i < count; i++)
        to[i] = element((const char *)from + (size_t)i * datatype.bytes, datatype);
}

void narrow(const uint64_t *from, uint32_t count, struct datatype datatype, void *to)
{
    for (uint32_t i = 0; i < count; i++)
        memcpy((char *)to + (size_t)i * datatype.bytes, &from[i], datatype.bytes);
}
