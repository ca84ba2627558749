/*
 * communicators.c - one communicator of every sort, to look at in a debugger.
 *
 *     mpirun -n 4 communicators              runs and ends
 *     mpirun -n 4 communicators --wait &     waits, so that you can try:  mpidbg show ocean --launcher $!
 *
 * Any number of processes will do; it is most instructive with 4.
 */
#include "truth.h"

typedef MPI_Comm OceanComm;

struct Domain {
    MPI_Comm comm;
    MPI_Comm halo[2];
    int n;
};

static MPI_Comm atmosphere; /* a global one */
MPI_Comm never_set;         /* a global is 0 at the start: no communicator at all */

static int parameter = 42; /* what an attribute points to */

static void on_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    fprintf(stderr, "communicators: MPI error %d\n", *code);
}

/* The neighbour graph of a ring: each process and the next one. */
static MPI_Comm make_ring_graph(MPI_Comm comm, int size)
{
    MPI_Comm ring;
    int index[size], edges[2 * size];
    for (int i = 0; i < size; i++) {
        index[i] = 2 * (i + 1);
        edges[2 * i] = (i + size - 1) % size;
        edges[2 * i + 1] = (i + 1) % size;
    }
    MPI_Graph_create(comm, size, index, edges, 0, &ring);
    return ring;
}

/* A star: every process but rank 0 sends to rank 0. */
static MPI_Comm make_star(MPI_Comm comm, int rank)
{
    MPI_Comm star;
    int source = rank, degree = 1, destination = 0;
    MPI_Dist_graph_create(comm, rank > 0, &source, &degree, &destination, MPI_UNWEIGHTED, MPI_INFO_NULL,
                          0, &star);
    return star;
}

/* From the previous process and to the next one, with weights. */
static MPI_Comm make_stream(MPI_Comm comm, int rank, int size)
{
    MPI_Comm stream;
    int source = (rank + size - 1) % size, source_weight = 10 + source;
    int destinations[2] = {(rank + 1) % size, rank}, destination_weights[2] = {10 + rank, 99};
    int sources[2] = {source, rank}, source_weights[2] = {source_weight, 99};
    MPI_Dist_graph_create_adjacent(comm, 2, sources, source_weights, 2, destinations, destination_weights,
                                   MPI_INFO_NULL, 0, &stream);
    return stream;
}

static MPI_Comm make_grid(MPI_Comm comm, int size, int reorder)
{
    MPI_Comm grid;
    int dims[2] = {0, 0}, periods[2] = {1, 0};
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(comm, 2, dims, periods, reorder, &grid);
    return grid;
}

int main(int argc, char **argv)
{
    int rank, size;
    truth_start(&argc, &argv, &rank, &size);

    /* A duplicate with a name, and one whose name was never set */
    MPI_Comm ocean, nameless;
    MPI_Comm_dup(MPI_COMM_WORLD, &ocean);
    MPI_Comm_set_name(ocean, "ocean");
    MPI_Comm_dup(ocean, &nameless);
    MPI_Comm_dup(MPI_COMM_WORLD, &atmosphere);
    MPI_Comm_set_name(atmosphere, "atmosphere");

    /* Names that are hard to print, or long */
    MPI_Comm quoted, long_named;
    MPI_Comm_dup(MPI_COMM_WORLD, &quoted);
    MPI_Comm_set_name(quoted, "the \"north\\south\" \t sea, Øresund");
    MPI_Comm_dup(MPI_COMM_WORLD, &long_named);
    MPI_Comm_set_name(long_named, "a-name-of-63-characters-which-is-the-longest-that-open-mpi-kept");

    /* Parts of the world: even and odd ranks, the ranks backwards, all but the last one, myself */
    MPI_Comm parity, reversed, without_last, alone, self_copy;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &parity);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
    MPI_Comm_set_name(reversed, "reversed");
    MPI_Comm_split(MPI_COMM_WORLD, rank == size - 1 ? MPI_UNDEFINED : 0, rank, &without_last);
    MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &alone);
    MPI_Comm_dup(MPI_COMM_SELF, &self_copy);
    MPI_Comm_set_name(self_copy, "my own");

    /* An irregular selection, through a group */
    MPI_Comm corners;
    MPI_Group everybody, selected;
    int selection[2] = {size - 1, 0};
    MPI_Comm_group(MPI_COMM_WORLD, &everybody);
    MPI_Group_incl(everybody, size > 1 ? 2 : 1, selection, &selected);
    MPI_Comm_create(MPI_COMM_WORLD, selected, &corners);
    MPI_Group_free(&selected);
    MPI_Group_free(&everybody);

    /* Topologies */
    MPI_Comm grid = make_grid(MPI_COMM_WORLD, size, 0);
    MPI_Comm_set_name(grid, "grid");
    MPI_Comm reordered_grid = make_grid(reversed, size, 1);
    MPI_Comm grid_row, line;
    int keep_columns[2] = {0, 1}, line_period = 0, line_length = size > 1 ? size - 1 : 1;
    MPI_Cart_sub(grid, keep_columns, &grid_row);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &line_length, &line_period, 0, &line); /* the last rank is left out */
    MPI_Comm ring = make_ring_graph(MPI_COMM_WORLD, size);
    MPI_Comm star = make_star(MPI_COMM_WORLD, rank);
    MPI_Comm stream = make_stream(reversed, size - 1 - rank, size);
    MPI_Comm_set_name(stream, "stream");
    MPI_Comm stream_copy;
    MPI_Comm_dup(stream, &stream_copy);

    /* Two groups that talk to each other, and the union of both; impossible with one process */
    MPI_Comm even_odd = MPI_COMM_NULL, merged = MPI_COMM_NULL;
    if (size > 1) {
        MPI_Intercomm_create(parity, 0, MPI_COMM_WORLD, 1 - rank % 2, 7, &even_odd);
        MPI_Comm_set_name(even_odd, "even meets odd");
        MPI_Intercomm_merge(even_odd, rank % 2 == 0, &merged); /* odd ranks first */
    }

    /* Attributes: pointers, a small number stored as a pointer, NULL; copied with the communicator or not */
    MPI_Comm annotated, annotated_copy;
    int parameters_key, number_key, null_key, unset_key;
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &parameters_key, NULL);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &number_key, NULL);
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &null_key, NULL);
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &unset_key, NULL);
    truth_keyval(parameters_key, TRUTH_POINTER);
    truth_keyval(number_key, TRUTH_POINTER);
    truth_keyval(null_key, TRUTH_POINTER);
    truth_keyval(unset_key, TRUTH_POINTER);
    MPI_Comm_dup(ocean, &annotated);
    MPI_Comm_set_name(annotated, "annotated");
    MPI_Comm_set_attr(annotated, parameters_key, &parameter);
    MPI_Comm_set_attr(annotated, number_key, (void *)(intptr_t)(1000 + rank));
    MPI_Comm_set_attr(annotated, null_key, NULL);
    MPI_Comm_set_attr(annotated, unset_key, &parameter);
    MPI_Comm_delete_attr(annotated, unset_key);
    MPI_Comm_dup(annotated, &annotated_copy);
    MPI_Comm_set_attr(grid, parameters_key, &parameter);

    /* Error handlers */
    MPI_Comm forgiving, watched;
    MPI_Errhandler watcher;
    MPI_Comm_dup(MPI_COMM_WORLD, &forgiving);
    MPI_Comm_set_errhandler(forgiving, MPI_ERRORS_RETURN);
    MPI_Comm_dup(MPI_COMM_WORLD, &watched);
    MPI_Comm_create_errhandler(on_error, &watcher);
    MPI_Comm_set_errhandler(watched, watcher);
    MPI_Errhandler_free(&watcher); /* lives on in the communicator */

    /* The same handles in every shape a program keeps them in */
    OceanComm through_a_typedef = ocean;
    const MPI_Comm through_const = ocean;
    MPI_Comm *pointer = &reversed;
    MPI_Comm family[4] = {ocean, parity, MPI_COMM_NULL, grid};
    MPI_Comm *part_of_family = &family[1];
    struct Domain domain = {grid, {reversed, MPI_COMM_SELF}, 3};
    struct Domain *domain_pointer = &domain;
    MPI_Fint fortran_ocean = MPI_Comm_c2f(ocean);
    long hidden_in_a_number = (long)TRUTH_HANDLE(ocean);

    /* What is no communicator (any more). Freed last of all, so that nothing takes its place */
    MPI_Comm garbage = (MPI_Comm)(intptr_t)0xdeadbeef;
    MPI_Comm a_datatype = (MPI_Comm)MPI_INT;
    MPI_Comm short_lived, freed;
    MPI_Comm_dup(MPI_COMM_WORLD, &short_lived);
    freed = short_lived;
    MPI_Comm_free(&short_lived);

    truth_comm("MPI_COMM_WORLD", MPI_COMM_WORLD);
    truth_comm("MPI_COMM_SELF", MPI_COMM_SELF);
    truth_comm("MPI_COMM_NULL", MPI_COMM_NULL);
    truth_comm("ocean", ocean);
    truth_comm("nameless", nameless);
    truth_comm("atmosphere", atmosphere);
    truth_comm("quoted", quoted);
    truth_comm("long_named", long_named);
    truth_comm("parity", parity);
    truth_comm("reversed", reversed);
    truth_comm("without_last", without_last);
    truth_comm("alone", alone);
    truth_comm("self_copy", self_copy);
    truth_comm("corners", corners);
    truth_comm("grid", grid);
    truth_comm_reordered("reordered_grid", reordered_grid);
    truth_comm("grid_row", grid_row);
    truth_comm("line", line);
    truth_comm("ring", ring);
    truth_comm("star", star);
    truth_comm("stream", stream);
    truth_comm("stream_copy", stream_copy);
    truth_comm("even_odd", even_odd);
    truth_comm("merged", merged);
    truth_comm("annotated", annotated);
    truth_comm("annotated_copy", annotated_copy);
    truth_comm("forgiving", forgiving);
    truth_comm("watched", watched);
    truth_comm("through_a_typedef", through_a_typedef);
    truth_comm("through_const", through_const);
    truth_comm("pointer", *pointer);
    truth_comm("*pointer", *pointer);
    truth_comm("family[1]", family[1]);
    truth_comm_in("family", "family[0]", family[0]);
    truth_comm_in("family", "family[1]", family[1]);
    truth_comm_in("family", "family[2]", family[2]);
    truth_comm_in("family", "family[3]", family[3]);
    truth_comm_in("*part_of_family@2", "part_of_family[0]", part_of_family[0]);
    truth_comm_in("*part_of_family@2", "part_of_family[1]", part_of_family[1]);
    truth_comm("domain.halo[1]", domain.halo[1]);
    truth_comm("domain_pointer->comm", domain_pointer->comm);
    truth_comm_in("domain", "domain.comm", domain.comm);
    truth_comm_in("domain", "domain.halo[0]", domain.halo[0]);
    truth_comm_in("domain", "domain.halo[1]", domain.halo[1]);
    truth_comm("comm.f:fortran_ocean", MPI_Comm_f2c(fortran_ocean));
    truth_comm("comm:hidden_in_a_number", (MPI_Comm)hidden_in_a_number);
    truth_bad("never_set", never_set, "MPIDBG_ERR_NOT_FOUND");
    truth_bad("garbage", garbage, "MPIDBG_ERR_NOT_FOUND");
    truth_bad("a_datatype", a_datatype, "MPIDBG_ERR_NOT_FOUND");
    truth_bad("freed", freed, "MPIDBG_ERR_NOT_FOUND");

    parameter = rank; /* stop: all communicators made */
    wait_for_debugger();

    MPI_Comm *made[] = {&ocean, &nameless, &atmosphere, &quoted, &long_named, &parity, &reversed,
                        &without_last, &alone, &self_copy, &corners, &grid, &reordered_grid, &grid_row,
                        &line, &ring, &star, &stream, &stream_copy, &even_odd, &merged, &annotated,
                        &annotated_copy, &forgiving, &watched};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        if (*made[i] != MPI_COMM_NULL)
            MPI_Comm_free(made[i]);
    MPI_Finalize();
    return 0;
}
