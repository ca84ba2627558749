/*
 * kept.c - objects of each kind that the program frees while it has another copy of the handle. For `mpidbg run --keep-freed`, with
 * which they stay until MPI_Finalize; without, they are gone.
 *
 *     mpidbg run --keep-freed -- mpirun -n 2 kept --wait &   waits, so that you can try:  mpidbg show ocean row --launcher $!
 *
 * With --truth each rank tells what MPI said of each object before it was freed, and whether the variable held the null handle then:
 *
 *     KEPT {"rank":0,"deleted":1,"handles":[{"expression":"ocean","isKept":true,"isNull":true,"call":"MPI_Comm_free","line":77,"info":{"size":2}}]}
 */
#define TRUTH_LINE (1 << 20)
#include "truth.h"

static int told;

static void tell(const char *expression, int is_kept, int is_null, const char *call, int line)
{
    truth_add("%s{\"expression\":\"%s\",\"isKept\":%s,\"isNull\":%s,\"call\":\"%s\",\"line\":%d,\"info\":{", told++ > 0 ? "," : "",
              expression, is_kept ? "true" : "false", is_null ? "true" : "false", call, line);
}

/* The info, which MPI was asked for before, closes what this begins. The call's line is this one. */
#define FREE(call, variable, null, expression, is_kept) \
    do { \
        const int error = call(&variable); \
        tell(expression, is_kept, error == MPI_SUCCESS && variable == (null), #call, __LINE__); \
    } while (0)

static int deleted;

static int on_delete(MPI_Comm comm, int keyval, void *value, void *state)
{
    (void)comm, (void)keyval, (void)value, (void)state;
    deleted++;
    return MPI_SUCCESS;
}

static void on_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
}

static void larger(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)in, (void)inout, (void)count, (void)type;
}

/* More than are kept, and more than MPICH can have at once. */
static void make_and_free(int many)
{
    for (int i = 0; i < many; i++) {
        MPI_Comm comm;
        MPI_Datatype type;
        MPI_Comm_dup(MPI_COMM_SELF, &comm);
        MPI_Comm_free(&comm);
        for (int n = 0; n < 8; n++) {
            MPI_Type_contiguous(n + 2, MPI_INT, &type);
            MPI_Type_free(&type);
        }
    }
}

int main(int argc, char **argv)
{
    int rank, size, comm_size, type_size, group_size, keys, keyval;
    truth_start(&argc, &argv, &rank, &size);
    MPI_Comm comm, ocean, attributed;
    MPI_Datatype type, row;
    MPI_Group group, pair, world, worlds;
    MPI_Info info, hints;
    MPI_Op op, larger_one;
    MPI_Errhandler errhandler, quiet;

    truth_add("KEPT {\"rank\":%d,\"handles\":[", rank);
    make_and_free(3000);
    MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &comm);
    MPI_Comm_set_name(comm, "ocean");
    MPI_Comm_size(ocean = comm, &comm_size);
    FREE(MPI_Comm_free, comm, MPI_COMM_NULL, "ocean", 1);
    truth_add("\"name\":\"ocean\",\"size\":%d}}", comm_size);

    MPI_Type_vector(3, 1, 2, MPI_INT, &type);
    MPI_Type_size(row = type, &type_size);
    FREE(MPI_Type_free, type, MPI_DATATYPE_NULL, "row", 1);
    truth_add("\"size\":%d}}", type_size);

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, (int[]){0}, &group);
    MPI_Group_size(pair = group, &group_size);
    FREE(MPI_Group_free, group, MPI_GROUP_NULL, "pair", 1);
    truth_add("\"size\":%d}}", group_size);
    worlds = world;
    MPI_Group_free(&worlds);

    MPI_Info_create(&info);
    MPI_Info_set(info, "colour", "blue");
    MPI_Info_get_nkeys(hints = info, &keys);
    FREE(MPI_Info_free, info, MPI_INFO_NULL, "hints", 1);
    truth_add("\"entries\":%d}}", keys);

    MPI_Op_create(larger, 1, &op);
    larger_one = op;
    FREE(MPI_Op_free, op, MPI_OP_NULL, "larger_one", 1);
    truth_add("}}");

    MPI_Comm_create_errhandler(on_error, &errhandler);
    quiet = errhandler;
    FREE(MPI_Errhandler_free, errhandler, MPI_ERRHANDLER_NULL, "quiet", 1);
    truth_add("}}");

    /* From now on communicators may have attributes that the program deletes. */
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &keyval, NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_attr(comm, keyval, &keyval);
    attributed = comm;
    FREE(MPI_Comm_free, comm, MPI_COMM_NULL, "attributed", 0);
    truth_add("}}],\"deleted\":%d}", deleted);
    if (truth_is_wanted)
        truth_print();
    wait_for_debugger(); /* stop: kept */
    (void)attributed, (void)ocean, (void)row, (void)pair, (void)hints, (void)larger_one, (void)quiet;
    MPI_Comm_free_keyval(&keyval);
    MPI_Finalize();
    fputs("ended well\n", stdout); /* one write: MPICH leaves stdout without a buffer, and puts() would write the line's end by itself */
    return 0;
}
