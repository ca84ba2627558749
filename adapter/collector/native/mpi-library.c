/* mpi-library.c - finds the MPI library of the process and knows its numbers: they differ, the region has one numbering. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include "collector.h"

struct mpi_t mpi_t;

/* An object of the library as the program sees it: an executable may have a copy of its own. */
static Handle object(const char *name)
{
    return (Handle)(uintptr_t)first_symbol(name);
}

/* Never call tools that wrap the profiling names: they may call MPI. */
static void *mpi_t_symbol(const char *name)
{
    char profiling[64];
    snprintf(profiling, sizeof profiling, "P%s", name);
    void *found = next_symbol(profiling);
    return found != NULL ? found : next_symbol(name);
}

/* Its first number: 5 of "Open MPI v5.0.7, package …"; 0: it has none. */
static int version_of_open_mpi(void)
{
    char version[8192] = "";
    int length = 0, major = 0;
    int (*get)(char *, int *);
    *(void **)&get = next_symbol("PMPI_Get_library_version");
    if (get == NULL || get(version, &length) != 0 || sscanf(version, "Open MPI v%d", &major) != 1)
        return 0;
    return major;
}

static Handle ompi_world, ompi_self;
static int (*test_inter)(Handle, int *);

static struct { const char *symbol; uint32_t mpich, abi; Handle ompi; } nulls[HANDLE_KINDS] = {
    [HANDLE_COMM] = {"ompi_mpi_comm_null", 0x04000000, 0x100, 0},
    [HANDLE_DATATYPE] = {"ompi_mpi_datatype_null", 0x0c000000, 0x200, 0},
    [HANDLE_ERRHANDLER] = {"ompi_mpi_errhandler_null", 0x14000000, 0x140, 0},
    [HANDLE_GROUP] = {"ompi_mpi_group_null", 0x08000000, 0x108, 0},
    [HANDLE_INFO] = {"ompi_mpi_info_null", 0x1c000000, 0x130, 0},
    [HANDLE_OP] = {"ompi_mpi_op_null", 0x18000000, 0x20, 0},
    [HANDLE_WIN] = {"ompi_mpi_win_null", 0x20000000, 0x110, 0},
};

bool mpi_library_find(void)
{
#define F(name, arguments) *(void **)&mpi_t.name = mpi_t_symbol("MPI_T_" #name);
    MPI_T_FUNCTIONS(F)
#undef F
    if (mpi_t.init_thread == NULL)
        return false;
    Dl_info of;
    const bool is_abi = dladdr(*(void **)&mpi_t.init_thread, &of) != 0 && strstr(of.dli_fname, "libmpi_abi") != NULL;
    *(void **)&test_inter = next_symbol("PMPI_Comm_test_inter");
    ompi_world = object("ompi_mpi_comm_world");
    ompi_self = object("ompi_mpi_comm_self");
    for (int kind = 0; kind < HANDLE_KINDS; kind++)
        nulls[kind].ompi = nulls[kind].symbol == NULL ? 0 : object(nulls[kind].symbol);
    if (is_abi)
        mpi_t.flavour = STANDARD_ABI;
    else if (ompi_world != 0) {
        mpi_t.flavour = OPEN_MPI;
        mpi_t.open_mpi_major = version_of_open_mpi();
    }
    /* mpi.h of MPICH and of those built from it defines MPI_DUP_FN as this, so that every release has it. */
    else if (next_symbol("MPIR_Dup_fn") != NULL)
        mpi_t.flavour = MPICH;
    else
        return false;
    return true;
}

/* What the first constant of each sequence is; the standard ABI's verbosities are no sequence. */
static const struct { int verbosity, bind, scope, class, thread_multiple; } first[] = {
    [OPEN_MPI] = {0, 0, 0, 0, 3},
    [MPICH] = {221, 9700, 60438, 240, 3},
    [STANDARD_ABI] = {0, 1, 1, 1, 4096},
};

int thread_multiple(void)
{
    return first[mpi_t.flavour].thread_multiple;
}

static uint8_t word(int number, int first_number, int count)
{
    return number >= first_number && number - first_number < count ? (uint8_t)(number - first_number) : UNKNOWN_WORD;
}

uint8_t class_word(int number)
{
    return word(number, first[mpi_t.flavour].class, 10);
}

uint8_t bind_word(int number)
{
    return word(number, first[mpi_t.flavour].bind, 12);
}

uint8_t scope_word(int number)
{
    return word(number, first[mpi_t.flavour].scope, 7);
}

uint8_t verbosity_word(int number)
{
    static const int of_abi[] = {9, 10, 12, 17, 18, 20, 33, 34, 36};
    if (mpi_t.flavour != STANDARD_ABI)
        return word(number, first[mpi_t.flavour].verbosity, 9);
    for (uint8_t i = 0; i < 9; i++)
        if (of_abi[i] == number)
            return i;
    return UNKNOWN_WORD;
}

/* Constants of events are the same in Open MPI and MPICH. */
static const int safeties_of_abi[SAFETY_LEVELS] = {0, 3, 15, 63};

uint8_t ordering_word(int number)
{
    return word(number, mpi_t.flavour == STANDARD_ABI ? 1 : 0, 2);
}

int safety_number(int level)
{
    return mpi_t.flavour == STANDARD_ABI ? safeties_of_abi[level] : level;
}

uint8_t safety_word(int number)
{
    for (uint8_t level = 0; level < SAFETY_LEVELS; level++)
        if (safety_number(level) == number)
            return level;
    return UNKNOWN_WORD;
}

static const struct { const char *name; int code[3]; } errors[] = {
    {"MPI_T_ERR_MEMORY", {54, 59, 1005}},
    {"MPI_T_ERR_NOT_INITIALIZED", {55, 60, 1003}},
    {"MPI_T_ERR_CANNOT_INIT", {56, 61, 1001}},
    {"MPI_T_ERR_INVALID_INDEX", {57, 62, 1007}},
    {"MPI_T_ERR_INVALID_ITEM", {58, 63, 1008}},
    {"MPI_T_ERR_INVALID_HANDLE", {59, 64, 1010}},
    {"MPI_T_ERR_OUT_OF_HANDLES", {60, 65, 1012}},
    {"MPI_T_ERR_OUT_OF_SESSIONS", {61, 66, 1013}},
    {"MPI_T_ERR_INVALID_SESSION", {62, 67, 1009}},
    {"MPI_T_ERR_CVAR_SET_NOT_NOW", {63, 68, 1014}},
    {"MPI_T_ERR_CVAR_SET_NEVER", {64, 69, 1015}},
    {"MPI_T_ERR_PVAR_NO_STARTSTOP", {65, 70, 1017}},
    {"MPI_T_ERR_PVAR_NO_WRITE", {66, 71, 1016}},
    {"MPI_T_ERR_PVAR_NO_ATOMIC", {67, 72, 1018}},
    {"MPI_T_ERR_INVALID", {72, 74, 1006}},
    {"MPI_T_ERR_INVALID_NAME", {73, 73, 1011}},
    {"MPI_T_ERR_NOT_SUPPORTED", {-1, 78, 1004}},
#include "error-classes.h"
};

const char *error_word(int code)
{
    static char other[32];
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].code[mpi_t.flavour] == code)
            return errors[i].name;
    snprintf(other, sizeof other, "MPI error code %d", code);
    return other;
}

/* The types that MPI_T's variables and events may have. Open MPI's handles are addresses of objects that have symbols. */
static const struct { const char *name, *symbol; uint32_t mpich, abi; uint8_t bytes, kind; } datatypes[] = {
    {"MPI_INT", "ompi_mpi_int", 0x4c000405, 0x209, 4, KIND_SIGNED},
    {"MPI_UNSIGNED", "ompi_mpi_unsigned", 0x4c000406, 0x20d, 4, KIND_UNSIGNED},
    {"MPI_UNSIGNED_LONG", "ompi_mpi_unsigned_long", 0x4c000808, 0x20e, 8, KIND_UNSIGNED},
    {"MPI_UNSIGNED_LONG_LONG", "ompi_mpi_unsigned_long_long", 0x4c000819, 0x20f, 8, KIND_UNSIGNED},
    {"MPI_COUNT", "ompi_mpi_count", 0x4c000845, 0x202, 8, KIND_SIGNED},
    {"MPI_CHAR", "ompi_mpi_char", 0x4c000101, 0x243, 1, KIND_TEXT},
    {"MPI_DOUBLE", "ompi_mpi_double", 0x4c00080b, 0x214, 8, KIND_REAL},
    {"MPI_C_BOOL", "ompi_mpi_c_bool", 0x4c00013f, 0x238, 1, KIND_UNSIGNED}, /* not in the standard's list: Open MPI's switches */
    {"MPI_INT32_T", "ompi_mpi_int32_t", 0x4c000439, 0x250, 4, KIND_SIGNED},
    {"MPI_INT64_T", "ompi_mpi_int64_t", 0x4c00083a, 0x258, 8, KIND_SIGNED},
    {"MPI_UINT32_T", "ompi_mpi_uint32_t", 0x4c00043d, 0x251, 4, KIND_UNSIGNED},
    {"MPI_UINT64_T", "ompi_mpi_uint64_t", 0x4c00083e, 0x259, 8, KIND_UNSIGNED},
};

struct datatype datatype_of(Handle handle)
{
    Dl_info of = {0};
    const bool has_symbol = mpi_t.flavour == OPEN_MPI && handle != 0 && dladdr((void *)(uintptr_t)handle, &of) != 0 &&
                            of.dli_sname != NULL && (Handle)(uintptr_t)of.dli_saddr == handle;
    for (size_t i = 0; i < sizeof datatypes / sizeof *datatypes; i++) {
        const bool is_it = mpi_t.flavour == OPEN_MPI ? has_symbol && strcmp(of.dli_sname, datatypes[i].symbol) == 0
                         : mpi_t.flavour == MPICH    ? (uint32_t)handle == datatypes[i].mpich
                                                     : handle == datatypes[i].abi;
        if (is_it)
            return (struct datatype){datatypes[i].name, datatypes[i].bytes, datatypes[i].kind};
    }
    return (struct datatype){"", 0, KIND_UNKNOWN};
}

uint8_t bytes_of(const char *datatype)
{
    for (size_t i = 0; i < sizeof datatypes / sizeof *datatypes; i++)
        if (strcmp(datatypes[i].name, datatype) == 0)
            return datatypes[i].bytes;
    return 0;
}

Handle comm_world(void)
{
    return mpi_t.flavour == OPEN_MPI ? ompi_world : mpi_t.flavour == MPICH ? 0x44000000 : 0x101;
}

Handle comm_self(void)
{
    return mpi_t.flavour == OPEN_MPI ? ompi_self : mpi_t.flavour == MPICH ? 0x44000001 : 0x102;
}

bool is_intercommunicator(Handle comm)
{
    int answer = 0;
    return test_inter != NULL && test_inter(comm, &answer) == 0 && answer != 0;
}

Handle null_handle(enum handle_kind kind)
{
    return mpi_t.flavour == OPEN_MPI ? nulls[kind].ompi : mpi_t.flavour == MPICH ? nulls[kind].mpich : nulls[kind].abi;
}

Handle handle_in(const void *handles, int place)
{
    return mpi_t.flavour == MPICH ? ((const uint32_t *)handles)[place] : ((const Handle *)handles)[place];
}

void *object_place(Handle object)
{
    /* Open MPI 6.0.0rc2 looks behind the handle of the object as if the object began there: it finds zeros. */
    static union { Handle handle; char zeros[8192]; } buffer;
    buffer.handle = object;
    return &buffer;
}
