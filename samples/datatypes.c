/*
 * datatypes.c - one datatype of every constructor, to look at in a debugger.
 *
 *     mpirun -n 4 datatypes              runs and ends
 *     mpirun -n 4 datatypes --wait &     waits, so that you can try:  mpidbg show particle --launcher $!
 */
#include "truth-datatype.h"
#include <stddef.h>

struct Particle {
    int number; /* 4 bytes that nobody sends follow */
    double position[3];
    char name[5]; /* and 3 at the end */
};

struct Cell {
    struct Particle particles[2];
    float weight;
};

struct Types {
    MPI_Datatype plain;
    MPI_Datatype derived[2];
    int n;
};

typedef MPI_Datatype RowType;

MPI_Datatype never_set; /* a global is 0 at the start: no datatype at all */

/* A structure, its members where the compiler has put them. */
static MPI_Datatype make_particle(void)
{
    MPI_Datatype particle;
    int lengths[3] = {1, 3, 5};
    MPI_Aint offsets[3] = {offsetof(struct Particle, number), offsetof(struct Particle, position),
                           offsetof(struct Particle, name)};
    MPI_Datatype types[3] = {MPI_INT, MPI_DOUBLE, MPI_CHAR};
    MPI_Type_create_struct(3, lengths, offsets, types, &particle);
    return particle;
}

static MPI_Datatype make_cell(MPI_Datatype particle)
{
    MPI_Datatype cell;
    int lengths[2] = {2, 1};
    MPI_Aint offsets[2] = {offsetof(struct Cell, particles), offsetof(struct Cell, weight)};
    MPI_Datatype types[2] = {particle, MPI_FLOAT};
    MPI_Type_create_struct(2, lengths, offsets, types, &cell);
    return cell;
}

/* This rank's part of a matrix of 8 x 12 that 2 x 2 ranks share. */
static MPI_Datatype make_part(int rank, int distribution, int argument, int order, MPI_Datatype element)
{
    MPI_Datatype part;
    int sizes[2] = {8, 12}, distributions[2] = {distribution, distribution};
    int arguments[2] = {argument, argument}, processes[2] = {2, 2};
    MPI_Type_create_darray(4, rank % 4, 2, sizes, distributions, arguments, processes, order, element, &part);
    return part;
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    truth_begin(argc, argv);

    /* Repetitions: without gaps, with a stride in elements, with a stride in bytes, backwards */
    MPI_Datatype four_ints, column, scattered, backwards, nothing;
    MPI_Type_contiguous(4, MPI_INT, &four_ints);
    MPI_Type_commit(&four_ints);
    MPI_Type_vector(3, 2, 5, MPI_DOUBLE, &column);
    MPI_Type_set_name(column, "column");
    MPI_Type_commit(&column);
    MPI_Type_create_hvector(3, 1, 20, MPI_FLOAT, &scattered);
    MPI_Type_commit(&scattered);
    MPI_Type_vector(3, 1, -2, MPI_SHORT, &backwards); /* a negative lower bound */
    MPI_Type_commit(&backwards);
    MPI_Type_contiguous(0, MPI_INT, &nothing);
    MPI_Type_commit(&nothing);

    /* Blocks at given places */
    MPI_Datatype triangle, out_of_order, bytes_apart, picked, picked_bytes;
    int lengths[3] = {3, 2, 1}, places[3] = {0, 4, 8};
    MPI_Type_indexed(3, lengths, places, MPI_LONG, &triangle);
    MPI_Type_commit(&triangle);
    int places_out_of_order[3] = {6, 0, 3};
    MPI_Type_indexed(3, lengths, places_out_of_order, MPI_INT, &out_of_order);
    MPI_Type_commit(&out_of_order);
    MPI_Aint byte_places[3] = {0, 100, 50 + 8 * rank};
    MPI_Type_create_hindexed(3, lengths, byte_places, MPI_CHAR, &bytes_apart);
    MPI_Type_commit(&bytes_apart);
    MPI_Type_create_indexed_block(3, 2, places, MPI_UNSIGNED_SHORT, &picked);
    MPI_Type_commit(&picked);
    MPI_Type_create_hindexed_block(3, 2, byte_places, MPI_INT8_T, &picked_bytes);
    MPI_Type_commit(&picked_bytes);

    /* Structures: with holes; of structures; an array of structures, with the padding at their end */
    MPI_Datatype particle = make_particle(), particles, cell;
    MPI_Type_set_name(particle, "struct Particle");
    MPI_Type_create_resized(particle, 0, sizeof(struct Particle), &particles);
    MPI_Type_set_name(particles, "padded particle");
    MPI_Type_commit(&particles);
    cell = make_cell(particles);
    MPI_Type_set_name(cell, "struct Cell");
    MPI_Type_commit(&cell);
    MPI_Type_commit(&particle);

    /* Parts of arrays */
    MPI_Datatype window, window_fortran, block, cyclic, block_cyclic;
    int sizes[3] = {4, 5, 6}, subsizes[3] = {2, 3, 2}, starts[3] = {1, 0, 3};
    MPI_Type_create_subarray(3, sizes, subsizes, starts, MPI_ORDER_C, MPI_INT, &window);
    MPI_Type_commit(&window);
    MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_FORTRAN, MPI_DOUBLE, &window_fortran);
    MPI_Type_commit(&window_fortran);
    block = make_part(rank, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_DFLT_DARG, MPI_ORDER_C, MPI_FLOAT);
    MPI_Type_commit(&block);
    cyclic = make_part(rank, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_DFLT_DARG, MPI_ORDER_C, MPI_CHAR);
    MPI_Type_commit(&cyclic);
    block_cyclic = make_part(rank, MPI_DISTRIBUTE_CYCLIC, 2, MPI_ORDER_FORTRAN, MPI_INT);
    MPI_Type_commit(&block_cyclic);

    /* Other bounds, a duplicate, types of Fortran kinds */
    MPI_Datatype every_fourth, shifted, copy, real_kind, integer_kind, complex_kind;
    MPI_Type_create_resized(MPI_INT, 0, 16, &every_fourth);
    MPI_Type_commit(&every_fourth);
    MPI_Type_create_resized(four_ints, -4, 12, &shifted); /* the elements of an array overlap */
    MPI_Type_commit(&shifted);
    MPI_Type_dup(column, &copy);
    MPI_Type_create_f90_real(6, 30, &real_kind);
    MPI_Type_create_f90_integer(9, &integer_kind);
    MPI_Type_create_f90_complex(15, 300, &complex_kind);

    /* Nested: a vector of structures of structures; a type is kept by those made of it */
    MPI_Datatype deep, inner, outer, inner_freed, uncommitted, uncommitted_cell;
    MPI_Type_vector(2, 1, 3, cell, &deep);
    MPI_Type_commit(&deep);
    MPI_Type_vector(2, 1, 2, MPI_INT, &inner);
    MPI_Type_set_name(inner, "freed, but in use");
    inner_freed = inner;
    MPI_Type_contiguous(3, inner, &outer);
    MPI_Type_commit(&outer);
    MPI_Type_free(&inner);
    MPI_Type_vector(2, 3, 4, MPI_INT, &uncommitted);
    uncommitted_cell = make_cell(particle);

    /* A pair type within another, and a name that is hard to print */
    MPI_Datatype best_three, quoted;
    MPI_Type_contiguous(3, MPI_DOUBLE_INT, &best_three);
    MPI_Type_commit(&best_three);
    MPI_Type_dup(MPI_INT, &quoted);
    MPI_Type_set_name(quoted, "a \"row\\line\" \t of Øre");

    /* Types that mpi.h gives two names: MPI tells one of them */
    MPI_Datatype complex_pair, long_pair;
    MPI_Type_contiguous(2, MPI_C_FLOAT_COMPLEX, &complex_pair);
    MPI_Type_commit(&complex_pair);
    MPI_Type_contiguous(2, MPI_LONG_LONG, &long_pair);
    MPI_Type_commit(&long_pair);
#ifdef MPI_CXX_FLOAT_COMPLEX
    MPI_Datatype cxx_pair;
    MPI_Type_contiguous(2, MPI_CXX_FLOAT_COMPLEX, &cxx_pair);
    MPI_Type_commit(&cxx_pair);
#endif

    /* A type with an attribute */
    static int parameter = 42;
    int keyval;
    MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &keyval, NULL);
    MPI_Type_set_attr(triangle, keyval, &parameter);

    /* The same handles in every shape a program keeps them in */
    RowType through_a_typedef = column;
    MPI_Datatype *pointer = &cell;
    MPI_Datatype family[3] = {MPI_DOUBLE, particle, MPI_DATATYPE_NULL};
    struct Types types = {MPI_CHAR, {column, copy}, 3};
    MPI_Fint fortran_column = MPI_Type_c2f(column);

    /* What is no datatype (any more). Freed last of all, so that nothing takes its place */
    MPI_Datatype garbage = (MPI_Datatype)(intptr_t)0xdeadbeef;
    MPI_Datatype a_communicator = (MPI_Datatype)MPI_COMM_WORLD;
    MPI_Datatype short_lived, freed;
    MPI_Type_vector(7, 1, 3, MPI_INT, &short_lived);
    freed = short_lived;

    truth_datatype("MPI_CHAR", MPI_CHAR, TRUTH_COMMITTED);
    truth_datatype("MPI_SIGNED_CHAR", MPI_SIGNED_CHAR, TRUTH_COMMITTED);
    truth_datatype("MPI_UNSIGNED_CHAR", MPI_UNSIGNED_CHAR, TRUTH_COMMITTED);
    truth_datatype("MPI_BYTE", MPI_BYTE, TRUTH_COMMITTED);
    truth_datatype("MPI_WCHAR", MPI_WCHAR, TRUTH_COMMITTED);
    truth_datatype("MPI_SHORT", MPI_SHORT, TRUTH_COMMITTED);
    truth_datatype("MPI_UNSIGNED_SHORT", MPI_UNSIGNED_SHORT, TRUTH_COMMITTED);
    truth_datatype_map("MPI_INT", MPI_INT, TRUTH_COMMITTED, "{(MPI_INT, 0)}");
    truth_datatype("MPI_UNSIGNED", MPI_UNSIGNED, TRUTH_COMMITTED);
    truth_datatype("MPI_LONG", MPI_LONG, TRUTH_COMMITTED);
    truth_datatype("MPI_UNSIGNED_LONG", MPI_UNSIGNED_LONG, TRUTH_COMMITTED);
    truth_datatype("MPI_LONG_LONG", MPI_LONG_LONG, TRUTH_COMMITTED);
    truth_datatype("MPI_UNSIGNED_LONG_LONG", MPI_UNSIGNED_LONG_LONG, TRUTH_COMMITTED);
    truth_datatype("MPI_FLOAT", MPI_FLOAT, TRUTH_COMMITTED);
    truth_datatype_map("MPI_DOUBLE", MPI_DOUBLE, TRUTH_COMMITTED, "{(MPI_DOUBLE, 0)}");
    truth_datatype("MPI_LONG_DOUBLE", MPI_LONG_DOUBLE, TRUTH_COMMITTED);
    truth_datatype("MPI_PACKED", MPI_PACKED, TRUTH_COMMITTED);
    truth_datatype("MPI_C_BOOL", MPI_C_BOOL, TRUTH_COMMITTED);
    truth_datatype("MPI_INT8_T", MPI_INT8_T, TRUTH_COMMITTED);
    truth_datatype("MPI_INT16_T", MPI_INT16_T, TRUTH_COMMITTED);
    truth_datatype("MPI_INT32_T", MPI_INT32_T, TRUTH_COMMITTED);
    truth_datatype("MPI_INT64_T", MPI_INT64_T, TRUTH_COMMITTED);
    truth_datatype("MPI_UINT8_T", MPI_UINT8_T, TRUTH_COMMITTED);
    truth_datatype("MPI_UINT16_T", MPI_UINT16_T, TRUTH_COMMITTED);
    truth_datatype("MPI_UINT32_T", MPI_UINT32_T, TRUTH_COMMITTED);
    truth_datatype("MPI_UINT64_T", MPI_UINT64_T, TRUTH_COMMITTED);
    truth_datatype("MPI_AINT", MPI_AINT, TRUTH_COMMITTED);
    truth_datatype("MPI_COUNT", MPI_COUNT, TRUTH_COMMITTED);
    truth_datatype("MPI_OFFSET", MPI_OFFSET, TRUTH_COMMITTED);
    truth_datatype("MPI_C_FLOAT_COMPLEX", MPI_C_FLOAT_COMPLEX, TRUTH_COMMITTED);
    truth_datatype("MPI_C_DOUBLE_COMPLEX", MPI_C_DOUBLE_COMPLEX, TRUTH_COMMITTED);
    truth_datatype("MPI_C_LONG_DOUBLE_COMPLEX", MPI_C_LONG_DOUBLE_COMPLEX, TRUTH_COMMITTED);
    truth_datatype("MPI_CXX_BOOL", MPI_CXX_BOOL, TRUTH_COMMITTED);
    truth_datatype("MPI_INTEGER", MPI_INTEGER, TRUTH_COMMITTED);
    truth_datatype("MPI_REAL", MPI_REAL, TRUTH_COMMITTED);
    truth_datatype("MPI_DOUBLE_PRECISION", MPI_DOUBLE_PRECISION, TRUTH_COMMITTED);
    truth_datatype("MPI_COMPLEX", MPI_COMPLEX, TRUTH_COMMITTED);
    truth_datatype("MPI_DOUBLE_COMPLEX", MPI_DOUBLE_COMPLEX, TRUTH_COMMITTED);
    truth_datatype("MPI_LOGICAL", MPI_LOGICAL, TRUTH_COMMITTED);
    truth_datatype("MPI_CHARACTER", MPI_CHARACTER, TRUTH_COMMITTED);
    truth_datatype("MPI_INTEGER8", MPI_INTEGER8, TRUTH_COMMITTED);
    truth_datatype("MPI_REAL8", MPI_REAL8, TRUTH_COMMITTED);
    truth_datatype("MPI_REAL4", MPI_REAL4, TRUTH_COMMITTED);
    truth_datatype("MPI_INTEGER4", MPI_INTEGER4, TRUTH_COMMITTED);
    truth_datatype("MPI_COMPLEX16", MPI_COMPLEX16, TRUTH_COMMITTED);
    truth_datatype("MPI_FLOAT_INT", MPI_FLOAT_INT, TRUTH_COMMITTED);
    truth_datatype_map("MPI_DOUBLE_INT", MPI_DOUBLE_INT, TRUTH_COMMITTED, "{(MPI_DOUBLE, 0), (MPI_INT, 8)}");
    truth_datatype("MPI_LONG_INT", MPI_LONG_INT, TRUTH_COMMITTED);
    truth_datatype_map("MPI_SHORT_INT", MPI_SHORT_INT, TRUTH_COMMITTED, "{(MPI_SHORT, 0), (MPI_INT, 4)}");
    truth_datatype("MPI_LONG_DOUBLE_INT", MPI_LONG_DOUBLE_INT, TRUTH_COMMITTED);
    truth_datatype_map("MPI_2INT", MPI_2INT, TRUTH_COMMITTED, "{(MPI_INT, 0), (MPI_INT, 4)}");
    truth_datatype("MPI_DATATYPE_NULL", MPI_DATATYPE_NULL, TRUTH_NOT_COMMITTED);

    truth_datatype_map("four_ints", four_ints, TRUTH_COMMITTED,
                       "{(MPI_INT, 0), (MPI_INT, 4), (MPI_INT, 8), (MPI_INT, 12)}");
    truth_datatype_map("column", column, TRUTH_COMMITTED,
                       "{(MPI_DOUBLE, 0), (MPI_DOUBLE, 8), (MPI_DOUBLE, 40), (MPI_DOUBLE, 48), "
                       "(MPI_DOUBLE, 80), (MPI_DOUBLE, 88)}");
    truth_datatype_map("scattered", scattered, TRUTH_COMMITTED,
                       "{(MPI_FLOAT, 0), (MPI_FLOAT, 20), (MPI_FLOAT, 40)}");
    truth_datatype_map("backwards", backwards, TRUTH_COMMITTED,
                       "{(MPI_SHORT, 0), (MPI_SHORT, -4), (MPI_SHORT, -8)}");
    truth_datatype_map("nothing", nothing, TRUTH_COMMITTED, "{}");
    truth_datatype("triangle", triangle, TRUTH_COMMITTED);
    truth_datatype_map("out_of_order", out_of_order, TRUTH_COMMITTED,
                       "{(MPI_INT, 24), (MPI_INT, 28), (MPI_INT, 32), (MPI_INT, 0), (MPI_INT, 4), (MPI_INT, 12)}");
    truth_datatype("bytes_apart", bytes_apart, TRUTH_COMMITTED);
    truth_datatype("picked", picked, TRUTH_COMMITTED);
    truth_datatype("picked_bytes", picked_bytes, TRUTH_COMMITTED);
    truth_datatype_map("particle", particle, TRUTH_COMMITTED,
                       "{(MPI_INT, 0), (MPI_DOUBLE, 8), (MPI_DOUBLE, 16), (MPI_DOUBLE, 24), (MPI_CHAR, 32), "
                       "(MPI_CHAR, 33), (MPI_CHAR, 34), (MPI_CHAR, 35), (MPI_CHAR, 36)}");
    truth_datatype("particles", particles, TRUTH_COMMITTED);
    truth_datatype("cell", cell, TRUTH_COMMITTED);
    truth_datatype("window", window, TRUTH_COMMITTED);
    truth_datatype("window_fortran", window_fortran, TRUTH_COMMITTED);
    truth_datatype("block", block, TRUTH_COMMITTED);
    truth_datatype("cyclic", cyclic, TRUTH_COMMITTED);
    truth_datatype("block_cyclic", block_cyclic, TRUTH_COMMITTED);
    truth_datatype_map("every_fourth", every_fourth, TRUTH_COMMITTED, "{(MPI_INT, 0)}");
    truth_datatype("shifted", shifted, TRUTH_COMMITTED);
    truth_datatype("copy", copy, TRUTH_COMMITTED);
    truth_datatype("real_kind", real_kind, TRUTH_COMMITTED);
    truth_datatype("integer_kind", integer_kind, TRUTH_COMMITTED);
    truth_datatype("complex_kind", complex_kind, TRUTH_COMMITTED);
    truth_datatype("deep", deep, TRUTH_COMMITTED);
    truth_datatype_map("outer", outer, TRUTH_COMMITTED,
                       "{(MPI_INT, 0), (MPI_INT, 8), (MPI_INT, 12), (MPI_INT, 20), (MPI_INT, 24), (MPI_INT, 32)}");
    truth_datatype("inner_freed", inner_freed, TRUTH_FREED);
    truth_datatype("uncommitted", uncommitted, TRUTH_NOT_COMMITTED);
    truth_datatype("uncommitted_cell", uncommitted_cell, TRUTH_NOT_COMMITTED);
    truth_datatype("best_three", best_three, TRUTH_COMMITTED);
    truth_datatype("quoted", quoted, TRUTH_COMMITTED);
    truth_datatype("complex_pair", complex_pair, TRUTH_COMMITTED);
    truth_datatype("long_pair", long_pair, TRUTH_COMMITTED);
#ifdef MPI_CXX_FLOAT_COMPLEX
    truth_datatype("MPI_CXX_FLOAT_COMPLEX", MPI_CXX_FLOAT_COMPLEX, TRUTH_COMMITTED);
    truth_datatype("cxx_pair", cxx_pair, TRUTH_COMMITTED);
#endif

    truth_datatype("through_a_typedef", through_a_typedef, TRUTH_COMMITTED);
    truth_datatype("pointer", *pointer, TRUTH_COMMITTED);
    truth_datatype("family[1]", family[1], TRUTH_COMMITTED);
    truth_datatype_in("family", "family[0]", family[0], TRUTH_COMMITTED);
    truth_datatype_in("family", "family[1]", family[1], TRUTH_COMMITTED);
    truth_datatype_in("family", "family[2]", family[2], TRUTH_NOT_COMMITTED);
    truth_datatype_in("types", "types.plain", types.plain, TRUTH_COMMITTED);
    truth_datatype_in("types", "types.derived[0]", types.derived[0], TRUTH_COMMITTED);
    truth_datatype_in("types", "types.derived[1]", types.derived[1], TRUTH_COMMITTED);
    truth_datatype("datatype.f:fortran_column", MPI_Type_f2c(fortran_column), TRUTH_COMMITTED);

    MPI_Type_free(&short_lived); /* after the lines above, whose duplicates might take its place */
    truth_bad_handle("never_set", "datatype", TRUTH_HANDLE(never_set), "MPIDBG_ERR_NOT_FOUND");
    truth_bad_handle("garbage", "datatype", TRUTH_HANDLE(garbage), "MPIDBG_ERR_NOT_FOUND");
    truth_bad_handle("a_communicator", "datatype", TRUTH_HANDLE(a_communicator), "MPIDBG_ERR_NOT_FOUND");
    truth_bad_handle("freed", "datatype", TRUTH_HANDLE(freed), "MPIDBG_ERR_NOT_FOUND");

    parameter = rank; /* stop: all datatypes made */
    wait_for_debugger();

    MPI_Datatype *made[] = {&four_ints, &column, &scattered, &backwards, &nothing, &triangle, &out_of_order,
                            &bytes_apart, &picked, &picked_bytes, &particle, &particles, &cell, &window,
                            &window_fortran, &block, &cyclic, &block_cyclic, &every_fourth, &shifted, &copy,
                            &deep, &outer, &uncommitted, &uncommitted_cell, &best_three, &quoted,
                            &complex_pair, &long_pair};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        MPI_Type_free(made[i]);
#ifdef MPI_CXX_FLOAT_COMPLEX
    MPI_Type_free(&cxx_pair);
#endif
    MPI_Type_free_keyval(&keyval);
    MPI_Finalize();
    return 0;
}
