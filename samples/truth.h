/*
 * truth.h - a sample tells what MPI itself says about its handles.
 *
 * mpidbg decodes MPI handles from memory. To check that, each sample asks the MPI library the same
 * questions through its API and prints the answers, one line of JSON per handle:
 *
 *     MPIDBG-TRUTH {"rank":0,"expression":"ocean","kind":"comm","info":{"name":"ocean","size":4,...}}
 *
 * Nothing is printed unless it is asked for, so a sample stays an ordinary program:
 *
 *     --truth   or MPIDBG_TRUTH=1          print the lines on standard output
 *               or MPIDBG_TRUTH=DIRECTORY  append them to DIRECTORY/rank-N.truth instead
 *     --wait    or MPIDBG_WAIT=1           then wait for SIGUSR1, so that a debugger can attach
 */
#ifndef TRUTH_H
#define TRUTH_H

#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef STANDARD_ABI
#include "truth-standard-abi.h"
#endif

static int truth_is_wanted;
static int truth_wait_is_wanted;
static int truth_output = STDOUT_FILENO;
static int truth_rank;

/* ---- One line of text, written at once so that the lines of several ranks never mix ---- */

#ifndef TRUTH_LINE
#define TRUTH_LINE 65536
#endif

static struct {
    char text[TRUTH_LINE];
    size_t length;
} truth_line;

/* The names of fields, in quotes and with commas, that nothing can be told of in the next line though they are there. */
static const char *truth_untold = "";

__attribute__((format(printf, 1, 2))) static void truth_add(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    truth_line.length += vsnprintf(truth_line.text + truth_line.length,
                                   sizeof truth_line.text - truth_line.length, format, values);
    va_end(values);
    if (truth_line.length >= sizeof truth_line.text) {
        fprintf(stderr, "truth.h: a line is too long\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void truth_add_string(const char *text)
{
    truth_add("\"");
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            truth_add("\\%c", c);
        else if (c < 0x20)
            truth_add("\\u%04x", c);
        else
            truth_add("%c", c);
    }
    truth_add("\"");
}

static void truth_add_numbers(const char *field, int count, const int numbers[])
{
    truth_add("\"%s\":[", field);
    for (int i = 0; i < count; i++)
        truth_add("%s%d", i > 0 ? "," : "", numbers[i]);
    truth_add("]");
}

/* A 64-bit number; as a string where JSON readers would round it. */
static void truth_add_integer(long number)
{
    const long exact = 1L << 53;
    if (number > exact || number < -exact)
        truth_add("\"%ld\"", number);
    else
        truth_add("%ld", number);
}

static void truth_print(void)
{
    truth_add("\n");
    if (write(truth_output, truth_line.text, truth_line.length) != (ssize_t)truth_line.length)
        perror("truth.h: write");
    truth_line.length = 0;
}

/* `expression` is how the answer names the handle; `ask` is what to ask for it, when that is more
 * than the handle itself: asking for "domain" gives an answer named "domain.comm". */
static void truth_begin_line(const char *ask, const char *expression)
{
    truth_add("MPIDBG-TRUTH {\"rank\":%d,\"expression\":", truth_rank);
    truth_add_string(expression);
    if (ask != NULL) {
        truth_add(",\"ask\":");
        truth_add_string(ask);
    }
    if (*truth_untold != '\0')
        truth_add(",\"untold\":[%s]", truth_untold);
}

/* ---- Handles as the debugger writes them: a pointer in Open MPI and in the standard ABI, an int in MPICH ---- */

#if defined(OPEN_MPI) || defined(STANDARD_ABI)
#define TRUTH_HANDLE(handle) ((unsigned long)(uintptr_t)(handle))
#else
#define TRUTH_HANDLE(handle) ((unsigned long)(unsigned int)(handle))
#endif

/* ---- Attributes: what a value means depends on how it was set, and the program knows that ---- */

enum truth_attribute_form {
    TRUTH_POINTER, /* C: MPI_Comm_set_attr */
    TRUTH_INTEGER, /* Fortran: MPI_Attr_put, an INTEGER */
    TRUTH_ADDRESS  /* Fortran: MPI_Comm_set_attr, an INTEGER(KIND=MPI_ADDRESS_KIND) */
};

static struct {
    int keyval;
    enum truth_attribute_form form;
} truth_keyvals[64];
static int truth_keyval_count;

/* Tells that attributes of this keyval are to be reported. */
__attribute__((unused)) static void truth_keyval(int keyval, enum truth_attribute_form form)
{
    truth_keyvals[truth_keyval_count].keyval = keyval;
    truth_keyvals[truth_keyval_count].form = form;
    truth_keyval_count++;
}

static int truth_attribute_count;

static void truth_add_attribute(int keyval, const char *name)
{
    truth_add("%s{\"keyval\":%d,", truth_attribute_count++ > 0 ? "," : "", keyval);
    if (name != NULL)
        truth_add("\"name\":\"%s\",", name);
    truth_add("\"value\":");
}

static void truth_add_predefined_attribute(MPI_Comm comm, int keyval, const char *name)
{
    int *value, found;
    MPI_Comm_get_attr(comm, keyval, &value, &found);
    if (found) {
        truth_add_attribute(keyval, name);
        truth_add_integer(*value);
        truth_add("}");
    }
}

static void truth_add_attributes(MPI_Comm comm)
{
    truth_add(",\"attributes\":[");
    truth_attribute_count = 0;

    /* MPICH answers these for every communicator, though they are attached to MPI_COMM_WORLD. */
    int has_predefined = comm == MPI_COMM_WORLD;
#ifdef OPEN_MPI
    has_predefined = 1;
#endif
    if (has_predefined) {
        truth_add_predefined_attribute(comm, MPI_TAG_UB, "MPI_TAG_UB");
        truth_add_predefined_attribute(comm, MPI_HOST, "MPI_HOST");
        truth_add_predefined_attribute(comm, MPI_IO, "MPI_IO");
        truth_add_predefined_attribute(comm, MPI_WTIME_IS_GLOBAL, "MPI_WTIME_IS_GLOBAL");
        truth_add_predefined_attribute(comm, MPI_APPNUM, "MPI_APPNUM");
        truth_add_predefined_attribute(comm, MPI_LASTUSEDCODE, "MPI_LASTUSEDCODE");
        truth_add_predefined_attribute(comm, MPI_UNIVERSE_SIZE, "MPI_UNIVERSE_SIZE");
#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5
        truth_add_predefined_attribute(comm, MPI_FT, "MPI_FT");
#endif
    }

    for (int i = 0; i < truth_keyval_count; i++) {
        void *value;
        int found;
        MPI_Comm_get_attr(comm, truth_keyvals[i].keyval, &value, &found);
        if (!found)
            continue;
        truth_add_attribute(truth_keyvals[i].keyval, NULL);
        if (truth_keyvals[i].form == TRUTH_POINTER)
            truth_add("\"0x%lx\"", (unsigned long)(uintptr_t)value);
        else
            truth_add_integer(truth_keyvals[i].form == TRUTH_INTEGER ? *(int *)value : *(MPI_Aint *)value);
        truth_add("}");
    }
    truth_add("]");
}

/* ---- The parts of a communicator ---- */

/* The ranks in MPI_COMM_WORLD of a group's members; MPI_UNDEFINED for processes of another world. Free the result. */
static int *truth_world_ranks(MPI_Group group, int *size)
{
    MPI_Group world;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_size(group, size);
    int *ranks = malloc((*size + 1) * sizeof *ranks);
    int *world_ranks = malloc((*size + 1) * sizeof *world_ranks);
    for (int i = 0; i < *size; i++)
        ranks[i] = i;
    MPI_Group_translate_ranks(group, *size, ranks, world, world_ranks);
    free(ranks);
    MPI_Group_free(&world);
    return world_ranks;
}

static int truth_reaches_another_world(MPI_Group group)
{
    int size, found = 0;
    int *world_ranks = truth_world_ranks(group, &size);
    for (int i = 0; i < size; i++)
        found |= world_ranks[i] == MPI_UNDEFINED;
    free(world_ranks);
    return found;
}

/* The first `count` processes of the group: in MPICH 5.0 that of a topology has also those that the topology has not. */
static void truth_add_group(const char *group_field, const char *procs_field, MPI_Group group, int count)
{
    int size;
    int *world_ranks = truth_world_ranks(group, &size);
    truth_add(",\"%s\":{\"kind\":\"group\",\"handle\":\"0x%lx\"}", group_field, TRUTH_HANDLE(group));
    truth_add(",\"%s\":[", procs_field);
    for (int i = 0; i < size && i < count; i++) {
        truth_add(i > 0 ? "," : "");
        if (world_ranks[i] == MPI_UNDEFINED)
            truth_add("null");
        else
            truth_add("%d", world_ranks[i]);
    }
    truth_add("]");
    free(world_ranks);
}

static void truth_add_cart(MPI_Comm comm)
{
    int ndims;
    MPI_Cartdim_get(comm, &ndims);
    int dims[ndims + 1], periods[ndims + 1], coords[ndims + 1];
    if (ndims > 0)
        MPI_Cart_get(comm, ndims, dims, periods, coords);

    truth_add(",\"cart\":{");
    truth_add_numbers("dims", ndims, dims);
    truth_add(",\"periods\":[");
    for (int i = 0; i < ndims; i++)
        truth_add("%s%s", i > 0 ? "," : "", periods[i] ? "true" : "false");
    truth_add("],");
    truth_add_numbers("coords", ndims, coords);
    truth_add("}");
}

static void truth_add_graph(MPI_Comm comm)
{
    int nnodes, nedges;
    MPI_Graphdims_get(comm, &nnodes, &nedges);
    int index[nnodes + 1], edges[nedges + 1];
    MPI_Graph_get(comm, nnodes, nedges, index, edges);

    truth_add(",\"graph\":{");
    truth_add_numbers("index", nnodes, index);
    truth_add(",");
    truth_add_numbers("edges", nedges, edges);
    truth_add("}");
}

static void truth_add_dist_graph(MPI_Comm comm)
{
    int indegree, outdegree, weighted;
    MPI_Dist_graph_neighbors_count(comm, &indegree, &outdegree, &weighted);
    int sources[indegree + 1], source_weights[indegree + 1];
    int destinations[outdegree + 1], destination_weights[outdegree + 1];
    MPI_Dist_graph_neighbors(comm, indegree, sources, weighted ? source_weights : MPI_UNWEIGHTED,
                             outdegree, destinations,
                             weighted ? destination_weights : MPI_UNWEIGHTED);

    truth_add(",\"distGraph\":{");
    truth_add_numbers("sources", indegree, sources);
    truth_add(",");
    truth_add_numbers("destinations", outdegree, destinations);
    if (weighted) {
        truth_add(",");
        truth_add_numbers("sourceWeights", indegree, source_weights);
        truth_add(",");
        truth_add_numbers("destinationWeights", outdegree, destination_weights);
    }
    truth_add(",\"weighted\":%s}", weighted ? "true" : "false");
}

/* Frees the handle, which a call has handed out. */
static void truth_add_errhandler_ref(MPI_Errhandler handler)
{
    const char *name = handler == MPI_ERRORS_ARE_FATAL ? "MPI_ERRORS_ARE_FATAL"
                       : handler == MPI_ERRORS_RETURN  ? "MPI_ERRORS_RETURN"
                                                       : NULL;
    truth_add(",\"errhandler\":{\"kind\":\"errhandler\",\"handle\":\"0x%lx\"", TRUTH_HANDLE(handler));
    if (name != NULL)
        truth_add(",\"name\":\"%s\"", name);
    truth_add("}");
    MPI_Errhandler_free(&handler);
}

static void truth_add_errhandler(MPI_Comm comm)
{
    MPI_Errhandler handler;
    MPI_Comm_get_errhandler(comm, &handler);
    truth_add_errhandler_ref(handler);
}

static void truth_add_flags(MPI_Comm comm, int is_reordered)
{
    int is_inter = 0, is_dynamic = 0, topology = MPI_UNDEFINED;
    if (comm != MPI_COMM_NULL) {
        MPI_Group group;
        MPI_Comm_group(comm, &group);
        is_dynamic = truth_reaches_another_world(group);
        MPI_Group_free(&group);
        MPI_Comm_test_inter(comm, &is_inter);
        if (is_inter) {
            MPI_Comm_remote_group(comm, &group);
            is_dynamic |= truth_reaches_another_world(group);
            MPI_Group_free(&group);
        } else {
            MPI_Topo_test(comm, &topology);
        }
    }
    const char *flags[] = {
        comm == MPI_COMM_NULL || comm == MPI_COMM_WORLD || comm == MPI_COMM_SELF ? "predefined" : NULL,
        comm == MPI_COMM_NULL ? "commNull" : NULL,
        is_inter ? "intercomm" : NULL,
        topology == MPI_CART ? "cartesian" : NULL,
        topology == MPI_GRAPH ? "graph" : NULL,
        topology == MPI_DIST_GRAPH ? "distGraph" : NULL,
        is_reordered ? "topoReordered" : NULL,
        is_dynamic ? "dynamic" : NULL,
    };
    const char *separator = "";
    truth_add(",\"flags\":[");
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        if (flags[i] != NULL) {
            truth_add("%s\"%s\"", separator, flags[i]);
            separator = ",";
        }
    }
    truth_add("]");
}

/* ---- What a sample calls ---- */

/* All that the MPI API tells about a communicator. */
static void truth_comm_full(const char *ask, const char *expression, MPI_Comm comm, int is_reordered)
{
    if (!truth_is_wanted)
        return;
    truth_begin_line(ask, expression);
    truth_add(",\"kind\":\"comm\",\"info\":{\"handle\":\"0x%lx\",\"fortranHandle\":%d", TRUTH_HANDLE(comm),
              (int)MPI_Comm_c2f(comm));

    char name[MPI_MAX_OBJECT_NAME] = "MPI_COMM_NULL";
    int name_length;
    if (comm != MPI_COMM_NULL)
        MPI_Comm_get_name(comm, name, &name_length);
    truth_add(",\"name\":");
    truth_add_string(name);
    truth_add_flags(comm, is_reordered);

    if (comm != MPI_COMM_NULL) {
        int rank, size, is_inter, topology = MPI_UNDEFINED;
        MPI_Comm_rank(comm, &rank);
        MPI_Comm_size(comm, &size);
        truth_add(",\"rank\":%d,\"size\":%d", rank, size);

        MPI_Group group;
        MPI_Comm_group(comm, &group);
        truth_add_group("group", "localProcs", group, size);
        MPI_Group_free(&group);

        MPI_Comm_test_inter(comm, &is_inter);
        if (is_inter) {
            int remote_size;
            MPI_Comm_remote_size(comm, &remote_size);
            truth_add(",\"remoteSize\":%d", remote_size);
            MPI_Comm_remote_group(comm, &group);
            truth_add_group("remoteGroup", "remoteProcs", group, remote_size);
            MPI_Group_free(&group);
        } else {
            MPI_Topo_test(comm, &topology);
        }
        if (topology == MPI_CART)
            truth_add_cart(comm);
        else if (topology == MPI_GRAPH)
            truth_add_graph(comm);
        else if (topology == MPI_DIST_GRAPH)
            truth_add_dist_graph(comm);

        truth_add_errhandler(comm);
        truth_add_attributes(comm);
    }
    truth_add("}}");
    truth_print();
}

__attribute__((unused)) static void truth_comm(const char *expression, MPI_Comm comm)
{
    truth_comm_full(NULL, expression, comm, 0);
}

/* A topology that was made with reorder = 1: MPI has no call that tells it later. */
__attribute__((unused)) static void truth_comm_reordered(const char *expression, MPI_Comm comm)
{
    truth_comm_full(NULL, expression, comm, comm != MPI_COMM_NULL);
}

/* A member or element: asking for `ask` gives an answer named `expression`, among others. */
__attribute__((unused)) static void truth_comm_in(const char *ask, const char *expression, MPI_Comm comm)
{
    truth_comm_full(ask, expression, comm, 0);
}

/* A value that is no live handle, and the code that an honest debugger answers. MPI must not be asked about it. */
static void truth_bad_handle(const char *expression, const char *kind, unsigned long value, const char *code)
{
    if (!truth_is_wanted)
        return;
    truth_begin_line(NULL, expression);
    truth_add(",\"kind\":\"%s\",\"code\":\"%s\",\"handle\":\"0x%lx\"}", kind, code, value);
    truth_print();
}

__attribute__((unused)) static void truth_bad(const char *expression, MPI_Comm value, const char *code)
{
    truth_bad_handle(expression, "comm", TRUTH_HANDLE(value), code);
}

static void truth_read_options(const char *truth, int wait)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &truth_rank);
    truth_is_wanted = truth != NULL && *truth != '\0';
    truth_wait_is_wanted = wait;
    if (truth_is_wanted && strchr(truth, '/') != NULL) {
        char path[4096];
        snprintf(path, sizeof path, "%s/rank-%d.truth", truth, truth_rank);
        truth_output = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
        if (truth_output < 0) {
            perror(path);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
}

/* Call once, after MPI_Init. */
__attribute__((unused)) static void truth_begin(int argc, char **argv)
{
    const char *truth = getenv("MPIDBG_TRUTH");
    int wait = getenv("MPIDBG_WAIT") != NULL;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--truth") == 0 && truth == NULL)
            truth = "1";
        if (strcmp(argv[i], "--wait") == 0)
            wait = 1;
    }
    truth_read_options(truth, wait);
}

/* MPI_Init and truth_begin. */
__attribute__((unused)) static void truth_start(int *argc, char ***argv, int *rank, int *size)
{
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, rank);
    MPI_Comm_size(MPI_COMM_WORLD, size);
    truth_begin(*argc, *argv);
}

/* The same of a program that needs an even number of processes. */
__attribute__((unused)) static void truth_start_even(int *argc, char ***argv, int *rank, int *size)
{
    truth_start(argc, argv, rank, size);
    if (*size % 2 == 0)
        return;
    fprintf(stderr, "%s: give it an even number of processes\n", (*argv)[0]);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static int truth_wake_up[2];

static void truth_on_signal(int signal_number)
{
    (void)signal_number;
    if (write(truth_wake_up[1], "", 1) < 0)
        abort();
}

/* With --wait: says so; SIGUSR1 may come from now on. */
static void expect_debugger(void)
{
    if (!truth_wait_is_wanted)
        return;
    struct sigaction action = {.sa_handler = truth_on_signal, .sa_flags = SA_RESTART};
    if (pipe(truth_wake_up) != 0 || sigaction(SIGUSR1, &action, NULL) != 0) {
        perror("truth.h: wait");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    printf("MPIDBG-WAITING {\"rank\":%d,\"pid\":%d}\n", truth_rank, (int)getpid());
    fflush(stdout);
}

/* With --wait: says so, and waits for SIGUSR1 outside MPI. Without it, returns at once. */
__attribute__((unused)) static void wait_for_debugger(void)
{
    char byte;
    expect_debugger();
    while (truth_wait_is_wanted && read(truth_wake_up[0], &byte, 1) != 1)
        continue;
}

#endif
