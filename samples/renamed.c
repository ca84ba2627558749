/*
 * renamed.c - a program that gives all that MPI names other names, and changes whatever else it may change of what MPI made:
 * error handlers and attributes.
 *
 *     mpirun -n 4 renamed              runs and ends
 *     mpirun -n 4 renamed --wait &     waits, so that you can try:  mpidbg show MPI_COMM_WORLD MPI_INT --launcher $!
 */
#include "truth-datatype.h"

static void on_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    fprintf(stderr, "renamed: MPI error %d\n", *code);
}

#define NAMED(type) {#type, type}

int main(int argc, char **argv)
{
    int rank, size;
    truth_start(&argc, &argv, &rank, &size);

    struct {
        const char *name;
        MPI_Datatype type;
    } types[] = {
        NAMED(MPI_CHAR), NAMED(MPI_SIGNED_CHAR), NAMED(MPI_UNSIGNED_CHAR), NAMED(MPI_BYTE), NAMED(MPI_WCHAR),
        NAMED(MPI_SHORT), NAMED(MPI_UNSIGNED_SHORT), NAMED(MPI_INT), NAMED(MPI_UNSIGNED), NAMED(MPI_LONG),
        NAMED(MPI_UNSIGNED_LONG), NAMED(MPI_LONG_LONG), NAMED(MPI_UNSIGNED_LONG_LONG), NAMED(MPI_FLOAT),
        NAMED(MPI_DOUBLE), NAMED(MPI_LONG_DOUBLE), NAMED(MPI_PACKED), NAMED(MPI_INT8_T), NAMED(MPI_INT16_T),
        NAMED(MPI_INT32_T), NAMED(MPI_INT64_T), NAMED(MPI_UINT8_T), NAMED(MPI_UINT16_T), NAMED(MPI_UINT32_T),
        NAMED(MPI_UINT64_T), NAMED(MPI_C_BOOL), NAMED(MPI_C_FLOAT_COMPLEX), NAMED(MPI_C_DOUBLE_COMPLEX),
        NAMED(MPI_C_LONG_DOUBLE_COMPLEX), NAMED(MPI_AINT), NAMED(MPI_OFFSET), NAMED(MPI_COUNT), NAMED(MPI_FLOAT_INT),
        NAMED(MPI_DOUBLE_INT), NAMED(MPI_LONG_INT), NAMED(MPI_SHORT_INT), NAMED(MPI_LONG_DOUBLE_INT), NAMED(MPI_2INT),
        NAMED(MPI_CHARACTER), NAMED(MPI_INTEGER), NAMED(MPI_REAL), NAMED(MPI_DOUBLE_PRECISION), NAMED(MPI_LOGICAL),
        NAMED(MPI_COMPLEX), NAMED(MPI_DOUBLE_COMPLEX), NAMED(MPI_2INTEGER), NAMED(MPI_2REAL),
        NAMED(MPI_2DOUBLE_PRECISION), NAMED(MPI_CXX_BOOL), NAMED(MPI_CXX_FLOAT_COMPLEX),
        NAMED(MPI_CXX_DOUBLE_COMPLEX), NAMED(MPI_CXX_LONG_DOUBLE_COMPLEX),
        /* Other constants of some of these types */
        NAMED(MPI_LONG_LONG_INT), NAMED(MPI_C_COMPLEX),
#ifdef MPI_CXX_COMPLEX
        NAMED(MPI_CXX_COMPLEX),
#endif
    };
    const int type_count = sizeof types / sizeof *types;

    /* A comm with the name of another, and one whose name is as long as can be. Open MPI 5.0.7 has no room for one that is
     * longer than that which it gave */
#ifdef OPEN_MPI
    char longest[sizeof "MPI_COMM_SELF"];
#else
    char longest[MPI_MAX_OBJECT_NAME];
#endif
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    MPI_Comm_set_name(MPI_COMM_WORLD, "MPI_COMM_SELF");
    MPI_Comm_set_name(MPI_COMM_SELF, longest);
    MPI_Errhandler watcher;
    MPI_Comm_create_errhandler(on_error, &watcher);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, watcher);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    int keyval;
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
    truth_keyval(keyval, TRUTH_POINTER);
    MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, &rank);
    MPI_Comm_set_attr(MPI_COMM_SELF, keyval, &size);

    /* Each has the name of the next one; the others in between */
    MPI_Comm unnamed, ocean;
    MPI_Datatype pair, named_pair;
    MPI_Comm_dup(MPI_COMM_WORLD, &unnamed);
    MPI_Comm_dup(MPI_COMM_WORLD, &ocean);
    MPI_Comm_set_name(ocean, "ocean");
    MPI_Type_contiguous(2, MPI_FLOAT_INT, &pair);
    MPI_Type_commit(&pair);
    for (int i = 0; i < type_count; i++)
        MPI_Type_set_name(types[i].type, i % 3 == 0 ? "mine" : types[(i + 1) % type_count].name);
    MPI_Type_contiguous(3, MPI_2INT, &named_pair);
    MPI_Type_commit(&named_pair);
    MPI_Type_set_name(named_pair, "three of two");

    truth_comm("MPI_COMM_WORLD", MPI_COMM_WORLD);
    truth_comm("MPI_COMM_SELF", MPI_COMM_SELF);
    truth_comm("unnamed", unnamed);
    truth_comm("ocean", ocean);
    for (int i = 0; i < type_count; i++)
        truth_datatype(types[i].name, types[i].type, TRUTH_COMMITTED);
    truth_datatype("pair", pair, TRUTH_COMMITTED);
    truth_datatype("named_pair", named_pair, TRUTH_COMMITTED);

    rank++; /* stop: all renamed */
    wait_for_debugger();
    MPI_Comm_free(&unnamed);
    MPI_Comm_free(&ocean);
    MPI_Type_free(&pair);
    MPI_Type_free(&named_pair);
    MPI_Errhandler_free(&watcher);
    MPI_Finalize();
    return 0;
}
