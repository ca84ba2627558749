/* truth-datatype.h - what MPI itself tells about a datatype; see truth.h. */
#ifndef TRUTH_DATATYPE_H
#define TRUTH_DATATYPE_H

#include "truth.h"

enum truth_committed { TRUTH_NOT_COMMITTED, TRUTH_COMMITTED, TRUTH_FREED /* not committed; another type is made of it */ };

static const char *truth_combiner_name(int combiner)
{
    switch (combiner) {
    case MPI_COMBINER_NAMED: return "MPI_COMBINER_NAMED";
    case MPI_COMBINER_DUP: return "MPI_COMBINER_DUP";
    case MPI_COMBINER_CONTIGUOUS: return "MPI_COMBINER_CONTIGUOUS";
    case MPI_COMBINER_VECTOR: return "MPI_COMBINER_VECTOR";
    case MPI_COMBINER_HVECTOR: return "MPI_COMBINER_HVECTOR";
    case MPI_COMBINER_INDEXED: return "MPI_COMBINER_INDEXED";
    case MPI_COMBINER_HINDEXED: return "MPI_COMBINER_HINDEXED";
    case MPI_COMBINER_INDEXED_BLOCK: return "MPI_COMBINER_INDEXED_BLOCK";
    case MPI_COMBINER_HINDEXED_BLOCK: return "MPI_COMBINER_HINDEXED_BLOCK";
    case MPI_COMBINER_STRUCT: return "MPI_COMBINER_STRUCT";
    case MPI_COMBINER_SUBARRAY: return "MPI_COMBINER_SUBARRAY";
    case MPI_COMBINER_DARRAY: return "MPI_COMBINER_DARRAY";
    case MPI_COMBINER_F90_REAL: return "MPI_COMBINER_F90_REAL";
    case MPI_COMBINER_F90_COMPLEX: return "MPI_COMBINER_F90_COMPLEX";
    case MPI_COMBINER_F90_INTEGER: return "MPI_COMBINER_F90_INTEGER";
    case MPI_COMBINER_RESIZED: return "MPI_COMBINER_RESIZED";
    default: return "?";
    }
}

static int truth_combiner(MPI_Datatype type)
{
    int integers, addresses, datatypes, combiner;
    MPI_Type_get_envelope(type, &integers, &addresses, &datatypes, &combiner);
    return combiner;
}

/* The types that MPI_Type_create_f90_* answers are predefined as well, though they have no name in mpi.h. */
static int truth_is_f90(int combiner)
{
    return combiner == MPI_COMBINER_F90_REAL || combiner == MPI_COMBINER_F90_COMPLEX ||
           combiner == MPI_COMBINER_F90_INTEGER;
}

static void truth_add_type_name(MPI_Datatype type, int is_from_contents)
{
    char name[MPI_MAX_OBJECT_NAME];
    const char *start = name;
    int length;
    MPI_Type_get_name(type, name, &length);
#ifdef OPEN_MPI
    /* MPI_Type_get_contents hands out duplicates there, which say so in their names. */
    if (is_from_contents && strncmp(name, "Dup ", 4) == 0)
        start += 4;
#else
    (void)is_from_contents;
#endif
    truth_add("\"name\":");
    truth_add_string(start);
}

static void truth_add_extents(MPI_Datatype type)
{
    MPI_Count size, lb, extent, true_lb, true_extent;
    MPI_Type_size_x(type, &size);
    MPI_Type_get_extent_x(type, &lb, &extent);
    MPI_Type_get_true_extent_x(type, &true_lb, &true_extent);
    if (size == 0)
        true_lb = true_extent = 0; /* a type without data has no first byte: each MPI says something else */
    truth_add(",\"size\":");
    truth_add_integer(size);
    truth_add(",\"lb\":");
    truth_add_integer(lb);
    truth_add(",\"extent\":");
    truth_add_integer(extent);
    if (size > 0) {
        truth_add(",\"trueLb\":");
        truth_add_integer(true_lb);
        truth_add(",\"trueExtent\":");
        truth_add_integer(true_extent);
    }
}

static void truth_add_contents(MPI_Datatype type);

/* A type that another one was made of. MPI may answer a duplicate of it, whose handle says nothing. */
static void truth_add_inner_type(MPI_Datatype type)
{
    const int combiner = truth_combiner(type);
    const int is_named = combiner == MPI_COMBINER_NAMED;
    truth_add("{");
    truth_add_type_name(type, !is_named);
    if (is_named)
        truth_add(",\"handle\":\"0x%lx\",\"fortranHandle\":%d", TRUTH_HANDLE(type), (int)MPI_Type_c2f(type));
    truth_add(",\"flags\":[%s]", is_named || truth_is_f90(combiner) ? "\"predefined\"" : "");
    truth_add_extents(type);
    truth_add(",\"combiner\":\"%s\"", truth_combiner_name(combiner));
    truth_add_contents(type);
    truth_add("}");
}

static void truth_add_contents(MPI_Datatype type)
{
    int integers, addresses, datatypes, combiner;
    MPI_Type_get_envelope(type, &integers, &addresses, &datatypes, &combiner);
    if (combiner == MPI_COMBINER_NAMED)
        return;
    int integer[integers + 1];
    MPI_Aint address[addresses + 1];
    MPI_Datatype datatype[datatypes + 1];
    MPI_Type_get_contents(type, integers, addresses, datatypes, integer, address, datatype);

    truth_add(",\"contents\":{");
    truth_add_numbers("integers", integers, integer);
    truth_add(",\"addresses\":[");
    for (int i = 0; i < addresses; i++) {
        truth_add(i > 0 ? "," : "");
        truth_add_integer(address[i]);
    }
    truth_add("],\"datatypes\":[");
    for (int i = 0; i < datatypes; i++) {
        truth_add(i > 0 ? "," : "");
        truth_add_inner_type(datatype[i]);
        const int inner = truth_combiner(datatype[i]);
        if (inner != MPI_COMBINER_NAMED && !truth_is_f90(inner))
            MPI_Type_free(&datatype[i]);
    }
    truth_add("]}");
}

/* Adds the runs of packed bytes, each the low and the high half of the number that it had in memory. */
static void truth_add_runs(int length, const unsigned char *low, const unsigned char *high, MPI_Count true_lb)
{
    truth_add(",\"bytes\":[");
    const char *separator = "";
    for (int first = 0, next; first < length; first = next) {
        const int displacement = high[first] << 8 | low[first];
        for (next = first + 1; next < length; next++)
            if ((high[next] << 8 | low[next]) != displacement + (next - first))
                break;
        truth_add("%s[%ld,%d]", separator, (long)(displacement + true_lb), next - first);
        separator = ",";
    }
    truth_add("]");
}

/* How many bytes were taken; what MPI leaves as it was in between is `fill`. */
static int truth_pack(const unsigned char *memory, MPI_Datatype type, unsigned char *packed, int room, int fill)
{
    int length = 0;
    memset(packed, fill, room);
    MPI_Pack(memory, 1, type, packed, room, &length, MPI_COMM_SELF);
    return length;
}

/*
 * Which bytes belong to one element, in the order of the type map: MPI_Pack takes them in that order. Memory is filled
 * with the numbers of its bytes (the low half of each number, then the high half), and what was packed tells whence it
 * came. Adjacent bytes are one pair [displacement, length].
 */
static void truth_add_bytes(MPI_Datatype type)
{
    MPI_Count size, true_lb, true_extent;
    MPI_Type_size_x(type, &size);
    MPI_Type_get_true_extent_x(type, &true_lb, &true_extent);
    if (size > 60000 || true_extent > 60000) {
        truth_add(",\"bytes\":null"); /* too large a line */
        return;
    }
    if (size == 0) {
        truth_add(",\"bytes\":[]");
    } else if (truth_combiner(type) == MPI_COMBINER_NAMED && size == true_extent) {
        truth_add(",\"bytes\":[[%ld,%ld]]", (long)true_lb, (long)size); /* one element, or two without a gap */
    } else {
        MPI_Datatype packable; /* no duplicate: that would call the copy functions of the type's attributes */
        MPI_Type_contiguous(1, type, &packable);
        MPI_Type_commit(&packable);
        int room;
        MPI_Pack_size(1, packable, MPI_COMM_SELF, &room);
        unsigned char *memory = malloc(true_extent), *low = malloc(room), *again = malloc(room), *high = malloc(room);
        for (MPI_Count i = 0; i < true_extent; i++)
            memory[i] = i & 0xff;
        const int length = truth_pack(memory - true_lb, packable, low, room, 0);
        truth_pack(memory - true_lb, packable, again, room, 0xff);
        for (MPI_Count i = 0; i < true_extent; i++)
            memory[i] = i >> 8;
        truth_pack(memory - true_lb, packable, high, room, 0);
        MPI_Type_free(&packable);

        /* MPICH 4.0.2 packs 3 of the 4 bytes of some MPI_INT, and 10 of the 16 of MPI_LONG_DOUBLE: that tells nothing. */
        if (length == size && memcmp(low, again, length) == 0)
            truth_add_runs(length, low, high, true_lb);
        else
            truth_add(",\"bytes\":null");
        free(memory);
        free(low);
        free(again);
        free(high);
    }
}

/* ---- What a sample calls ---- */

/* All that MPI tells of a datatype. Whether it is committed, MPI has no call for; the program knows. */
static void truth_datatype_full(const char *ask, const char *expression, MPI_Datatype type,
                                enum truth_committed committed, const char *type_map)
{
    if (!truth_is_wanted)
        return;
    truth_begin_line(ask, expression);
    truth_add(",\"kind\":\"datatype\",\"info\":{\"handle\":\"0x%lx\",\"fortranHandle\":%d,", TRUTH_HANDLE(type),
              (int)MPI_Type_c2f(type));
    if (type == MPI_DATATYPE_NULL) {
        truth_add("\"name\":\"MPI_DATATYPE_NULL\",\"flags\":[\"predefined\",\"datatypeNull\"]}}");
        truth_print();
        return;
    }
    const int combiner = truth_combiner(type);
    const int is_predefined = combiner == MPI_COMBINER_NAMED || truth_is_f90(combiner);
    truth_add_type_name(type, 0);
    truth_add(",\"flags\":[%s%s%s]", is_predefined ? "\"predefined\"," : "",
              committed == TRUTH_COMMITTED ? "\"committed\"" : "", committed == TRUTH_FREED ? "\"freedHandle\"" : "");
    truth_add_extents(type);
    truth_add(",\"combiner\":\"%s\"", truth_combiner_name(combiner));
    truth_add_contents(type);
    truth_add_bytes(type);
    if (type_map != NULL) {
        truth_add(",\"text\":");
        truth_add_string(type_map);
    }
    truth_add("}}");
    truth_print();
}

__attribute__((unused)) static void truth_datatype(const char *expression, MPI_Datatype type,
                                                   enum truth_committed committed)
{
    truth_datatype_full(NULL, expression, type, committed, NULL);
}

/* A type whose type map the program spells out, as the standard writes it: {(MPI_INT, 0), (MPI_DOUBLE, 8)}. */
__attribute__((unused)) static void truth_datatype_map(const char *expression, MPI_Datatype type,
                                                       enum truth_committed committed, const char *type_map)
{
    truth_datatype_full(NULL, expression, type, committed, type_map);
}

/* A member or element: asking for `ask` gives an answer named `expression`, among others. */
__attribute__((unused)) static void truth_datatype_in(const char *ask, const char *expression, MPI_Datatype type,
                                                      enum truth_committed committed)
{
    truth_datatype_full(ask, expression, type, committed, NULL);
}

#endif
