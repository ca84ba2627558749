/*
 * wrappers.c - a wrapper for every MPI function, in C and under the names that Fortran's bindings have.
 *
 * All arguments of MPI are integers, addresses or handles: each takes one register or one slot of the stack, and the caller's
 * call reaches the next definition as it came, whatever the types are (System V ABI of x86-64, AAPCS64). What a wrapper has
 * more than the function has arguments is passed on unread.
 */
#include <stddef.h>
#include "../native/names.h"
#include "calls.h"

#define P0 void
#define P1 long a1
#define P2 P1, long a2
#define P3 P2, long a3
#define P4 P3, long a4
#define P5 P4, long a5
#define P6 P5, long a6
#define P7 P6, long a7
#define P8 P7, long a8
#define P9 P8, long a9
#define P10 P9, long a10
#define P11 P10, long a11
#define P12 P11, long a12
#define P13 P12, long a13
#define P14 P13, long a14
#define P15 P14, long a15
#define P16 P15, long a16
#define P17 P16, long a17
#define P18 P17, long a18
#define A0
#define L0
#define L1 , a1
#define A1 a1
#define L2 L1, a2
#define A2 A1, a2
#define L3 L2, a3
#define A3 A2, a3
#define L4 L3, a4
#define A4 A3, a4
#define L5 L4, a5
#define A5 A4, a5
#define L6 L5, a6
#define A6 A5, a6
#define L7 L6, a7
#define A7 A6, a7
#define L8 L7, a8
#define A8 A7, a8
#define L9 L8, a9
#define A9 A8, a9
#define L10 L9, a10
#define A10 A9, a10
#define L11 L10, a11
#define A11 A10, a11
#define L12 L11, a12
#define A12 A11, a12
#define L13 L12, a13
#define A13 A12, a13
#define L14 L13, a14
#define A14 A13, a14
#define L15 L14, a15
#define A15 A14, a15
#define L16 L15, a16
#define A16 A15, a16
#define L17 L16, a17
#define A17 A16, a17
#define L18 L17, a18
#define A18 A17, a18

/* What an MPI function answers is an int; of a Fortran subroutine nothing is read. */
#define WRAPPER(result_type, name, count, function, language, has_descriptors, error)                             \
    STANDS_BEFORE(name)                                                                                           \
    result_type BEFORE(name)(P##count)                                                                            \
    {                                                                                                             \
        static void *_Atomic next NEXT_DEFINITION;                                                                \
        if (!calls_may_be_told)                                                                                   \
            return ((result_type(*)(P##count))next_definition(&next, #name))(A##count);                           \
        const long arguments[] = {0 L##count};                                                                    \
        struct call call = {&function, arguments, __builtin_return_address(0), language, has_descriptors, false, false, false, 0}; \
        call_begins(&call);                                                                                       \
        const result_type result =                                                                                \
            call.is_kept ? 0 : ((result_type(*)(P##count))next_definition(&next, #name))(A##count);               \
        call_ends(&call, error);                                                                                  \
        return result;                                                                                            \
    }

#define C_WRAPPER(name, count, function) WRAPPER(long, name, count, function, IN_C, false, (int)result)

/* The error is the last argument, which mpi_f08 may leave out: then it is the null address. */
#define FORTRAN_WRAPPER(name, count, function) WRAPPER(long, name, count, function, IN_FORTRAN, false, fortran_error(&call))
#define ARRAYS_WRAPPER(name, count, function) WRAPPER(long, name, count, function, IN_FORTRAN, true, fortran_error(&call))
#define ALIAS(name, of) \
    STANDS_BEFORE(name) \
    __typeof__(before_##of) BEFORE(name) __attribute__((alias("before_" #of)));
#define FORTRAN_NAMES(lower, upper, count)                              \
    FORTRAN_WRAPPER(lower##_, count, function_##lower)                  \
    ALIAS(lower, lower##_)                                              \
    ALIAS(lower##__, lower##_)                                          \
    ALIAS(upper, lower##_)                                              \
    FORTRAN_WRAPPER(lower##_f08_, count, function_##lower)              \
    ARRAYS_WRAPPER(lower##_f08ts_, count, function_##lower)            \
    FORTRAN_WRAPPER(lower##_f08_large_, count, large_##lower)           \
    ARRAYS_WRAPPER(lower##_f08ts_large_, count, large_##lower)

#define FUNCTION(name, lower, count, is_large, ...)                                        \
    static struct function function_##lower = {#name, 0, count, is_large, __VA_ARGS__}; \
    static struct function large_##lower = {#name, 0, count, true, __VA_ARGS__};
#define CALL(name, lower, upper, c_count, fortran_count, ...) \
    FUNCTION(name, lower, c_count, __VA_ARGS__)               \
    C_WRAPPER(name, c_count, function_##lower)                \
    FORTRAN_NAMES(lower, upper, fortran_count)
#define FORTRAN_CALL(name, lower, upper, c_count, fortran_count, ...) \
    FUNCTION(name, lower, c_count, __VA_ARGS__)                       \
    FORTRAN_NAMES(lower, upper, fortran_count)
#define C_CALL(name, count, ...)                                                          \
    static struct function function_##name = {#name, 0, count, false, __VA_ARGS__}; \
    C_WRAPPER(name, count, function_##name)
/* They answer a double, and no error. */
#define REAL_CALL(name, lower, upper, c_count, fortran_count, ...)                 \
    static struct function function_##lower = {#name, 0, 0, false, .flags = 0};                    \
    WRAPPER(double, name, 0, function_##lower, IN_C, false, 0)                            \
    WRAPPER(double, lower##_, 0, function_##lower, IN_FORTRAN, false, 0)                  \
    ALIAS(lower, lower##_)                                                         \
    ALIAS(lower##__, lower##_)                                                     \
    ALIAS(upper, lower##_)                                                         \
    WRAPPER(double, lower##_f08_, 0, function_##lower, IN_FORTRAN, false, 0)

static int fortran_error(const struct call *call)
{
    const struct function *function = call->function;
    if (!call->is_outermost || !(function->flags & HAS_ERROR))
        return 0;
    const int *error = (const int *)call->arguments[function->arguments + 1];
    return error == NULL ? 0 : *error;
}

#include "call-table.h"

/* It takes what its level asks for; of that, what fits into registers is passed on. */
static struct function function_mpi_pcontrol = {"MPI_Pcontrol", 0, 1, false, .flags = 0};
C_WRAPPER(MPI_Pcontrol, 6, function_mpi_pcontrol)
static struct function large_mpi_pcontrol = {"MPI_Pcontrol", 0, 1, false, .flags = 0};
FORTRAN_NAMES(mpi_pcontrol, MPI_PCONTROL, 2)
