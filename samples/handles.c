/*
 * handles.c - groups, infos, operations and error handlers of every sort, to look at in a debugger.
 *
 *     mpirun -n 4 handles              runs and ends
 *     mpirun -n 4 handles --wait &     waits, so that you can try:  mpidbg show evens --launcher $!
 */
#include "truth-objects.h"

MPI_Group group_never_set; /* a global is 0 at the start: no group at all */
MPI_Info info_never_set;
MPI_Op op_never_set;
MPI_Errhandler errhandler_never_set;

struct Settings {
    MPI_Info hints;
    MPI_Op combine[2];
    MPI_Group members;
};

static void keep_larger(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *length; i++)
        if (((int *)in)[i] > ((int *)inout)[i])
            ((int *)inout)[i] = ((int *)in)[i];
}

static void subtract(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *length; i++)
        ((int *)inout)[i] -= ((int *)in)[i];
}

static void on_comm_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    fprintf(stderr, "handles: MPI error %d of a communicator\n", *code);
}

static void on_win_error(MPI_Win *win, int *code, ...)
{
    (void)win;
    fprintf(stderr, "handles: MPI error %d of a window\n", *code);
}

static void on_file_error(MPI_File *file, int *code, ...)
{
    (void)file;
    fprintf(stderr, "handles: MPI error %d of a file\n", *code);
}

int main(int argc, char **argv)
{
    int rank, size;
    truth_start(&argc, &argv, &rank, &size);

    /* Groups: of communicators, chosen, reversed, without me, of nobody, of the other side */
    MPI_Comm ocean, parity, corners, even_odd = MPI_COMM_NULL;
    MPI_Group everybody, evens, backwards, first_half, others, nobody, both, of_corners, other_side = MPI_GROUP_NULL,
              in_use, in_use_freed;
    MPI_Comm_dup(MPI_COMM_WORLD, &ocean);
    MPI_Comm_set_name(ocean, "ocean");
    MPI_Comm_group(MPI_COMM_WORLD, &everybody);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &parity);
    int even_range[1][3] = {{0, size - 1, 2}}, reverse_range[1][3] = {{size - 1, 0, -1}}, me[1] = {rank};
    int half_range[1][3] = {{0, (size - 1) / 2, 1}};
    MPI_Group_range_incl(everybody, 1, even_range, &evens);
    MPI_Group_range_incl(everybody, 1, reverse_range, &backwards);
    MPI_Group_range_incl(everybody, 1, half_range, &first_half);
    MPI_Group_excl(everybody, 1, me, &others);
    MPI_Group_incl(everybody, 0, NULL, &nobody); /* MPI_GROUP_EMPTY */
    MPI_Group_union(evens, first_half, &both);
    int corner_ranks[2] = {size - 1, 0};
    MPI_Group_incl(everybody, size > 1 ? 2 : 1, corner_ranks, &in_use);
    MPI_Comm_create(MPI_COMM_WORLD, in_use, &corners);
    in_use_freed = in_use;
    MPI_Group_free(&in_use); /* where it is a member's, the communicator has it */
    if (corners == MPI_COMM_NULL)
        of_corners = MPI_GROUP_NULL;
    else
        MPI_Comm_group(corners, &of_corners);
    if (size > 1) {
        MPI_Intercomm_create(parity, 0, MPI_COMM_WORLD, 1 - rank % 2, 7, &even_odd);
        MPI_Comm_remote_group(even_odd, &other_side);
    }

    /* Infos: empty, with one key, with several, hard to print, of an object */
    MPI_Info empty, one, several, hard, of_comm;
    char long_value[201];
    memset(long_value, 'x', 200);
    long_value[200] = '\0';
    MPI_Info_create(&empty);
    MPI_Info_create(&one);
    MPI_Info_set(one, "access_style", "read_once");
    MPI_Info_create(&several);
    MPI_Info_set(several, "first", "to be replaced");
    MPI_Info_set(several, "deleted", "soon");
    MPI_Info_set(several, "cb_nodes", "4");
    MPI_Info_set(several, "striping_factor", "16");
    MPI_Info_delete(several, "deleted");
    MPI_Info_set(several, "first", "replaced");
    MPI_Info_create(&hard);
    MPI_Info_set(hard, "a \"quoted\\key\"", "tab\tand Ørsted");
    MPI_Info_set(hard, "long", long_value);
    MPI_Info_set(hard, "short", "1");
    MPI_Info_create(&of_comm);
    MPI_Info_set(of_comm, "mpi_assert_no_any_tag", "false");
    MPI_Comm_set_info(ocean, of_comm);

    /* Operations of the program's own */
    MPI_Op larger, difference;
    MPI_Op_create(keep_larger, 1, &larger);
    MPI_Op_create(subtract, 0, &difference);

    /* Error handlers: attached to one communicator, to two and a window's and a file's; to none; freed but attached */
    MPI_Comm strict, lenient, careful;
    MPI_Errhandler of_one, of_two, of_none, of_wins, of_files, freed_in_use, still_in_use;
    MPI_Win win;
    MPI_File file;
    static int shared[8];
    char path[100];
    MPI_Comm_dup(MPI_COMM_WORLD, &strict);
    MPI_Comm_set_name(strict, "strict");
    MPI_Comm_dup(MPI_COMM_WORLD, &lenient);
    MPI_Comm_set_name(lenient, "lenient");
    MPI_Comm_dup(MPI_COMM_WORLD, &careful);
    MPI_Win_create(shared, sizeof shared, sizeof shared[0], MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_name(win, "window");
    snprintf(path, sizeof path, "/tmp/mpidbg-handles-%d", (int)getpid());
    MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    unlink(path); /* however the program ends, nothing stays */
    MPI_Comm_create_errhandler(on_comm_error, &of_one);
    MPI_Comm_set_errhandler(strict, of_one);
    MPI_Comm_create_errhandler(on_comm_error, &of_two);
    MPI_Comm_set_errhandler(ocean, of_two);
    MPI_Comm_set_errhandler(lenient, of_two);
    MPI_Comm_create_errhandler(on_comm_error, &of_none);
    MPI_Win_create_errhandler(on_win_error, &of_wins);
    MPI_Win_set_errhandler(win, of_wins);
    MPI_File_create_errhandler(on_file_error, &of_files);
    MPI_File_set_errhandler(file, of_files);
    MPI_Comm_create_errhandler(on_comm_error, &freed_in_use);
    MPI_Comm_set_errhandler(careful, freed_in_use);
    still_in_use = freed_in_use;
    MPI_Errhandler_free(&freed_in_use);

#if MPI_VERSION >= 4
    MPI_Session session, no_session = MPI_SESSION_NULL;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
#endif

    /* The same handles in other shapes */
    struct Settings settings = {several, {MPI_SUM, larger}, backwards};
    MPI_Op *op_pointer = &difference;
    MPI_Fint fortran_group = MPI_Group_c2f(backwards), fortran_info = MPI_Info_c2f(several), fortran_op = MPI_Op_c2f(larger),
             fortran_errhandler = MPI_Errhandler_c2f(of_one);

    truth_group("everybody", everybody);
    truth_group("evens", evens);
    truth_group("backwards", backwards);
    truth_group("first_half", first_half);
    truth_group("others", others);
    truth_group("nobody", nobody);
    truth_group("both", both);
    truth_group("of_corners", of_corners);
    truth_group("other_side", other_side);
    truth_group("MPI_GROUP_EMPTY", MPI_GROUP_EMPTY);
    truth_group("MPI_GROUP_NULL", MPI_GROUP_NULL);
    truth_group("settings.members", settings.members);
    truth_group("group.f:fortran_group", MPI_Group_f2c(fortran_group));

    truth_info("empty", empty);
    truth_info("one", one);
    truth_info("several", several);
    truth_info("hard", hard);
    truth_info("of_comm", of_comm);
    truth_info("MPI_INFO_ENV", MPI_INFO_ENV);
    truth_info("MPI_INFO_NULL", MPI_INFO_NULL);
    truth_info("settings.hints", settings.hints);
    truth_info("info.f:fortran_info", MPI_Info_f2c(fortran_info));

    TRUTH_PREDEFINED_OP(MPI_MAX);
    TRUTH_PREDEFINED_OP(MPI_MIN);
    TRUTH_PREDEFINED_OP(MPI_SUM);
    TRUTH_PREDEFINED_OP(MPI_PROD);
    TRUTH_PREDEFINED_OP(MPI_LAND);
    TRUTH_PREDEFINED_OP(MPI_BAND);
    TRUTH_PREDEFINED_OP(MPI_LOR);
    TRUTH_PREDEFINED_OP(MPI_BOR);
    TRUTH_PREDEFINED_OP(MPI_LXOR);
    TRUTH_PREDEFINED_OP(MPI_BXOR);
    TRUTH_PREDEFINED_OP(MPI_MINLOC);
    TRUTH_PREDEFINED_OP(MPI_MAXLOC);
    TRUTH_PREDEFINED_OP(MPI_REPLACE);
    TRUTH_PREDEFINED_OP(MPI_NO_OP);
    TRUTH_PREDEFINED_OP(MPI_OP_NULL);
    TRUTH_OP("larger", larger, keep_larger);
    TRUTH_OP("difference", difference, subtract);
    TRUTH_OP("settings.combine[1]", settings.combine[1], keep_larger);
    TRUTH_OP("op_pointer", *op_pointer, subtract);
    TRUTH_OP("op.f:fortran_op", MPI_Op_f2c(fortran_op), keep_larger);

    const MPI_Comm comms[] = {ocean, strict, lenient, careful};
    truth_predefined_errhandler("MPI_ERRORS_ARE_FATAL", MPI_ERRORS_ARE_FATAL);
    truth_predefined_errhandler("MPI_ERRORS_RETURN", MPI_ERRORS_RETURN);
    truth_predefined_errhandler("MPI_ERRHANDLER_NULL", MPI_ERRHANDLER_NULL);
#define ERRHANDLER(expression, handler, sort, is_freed, function) \
    truth_errhandler(expression, handler, sort, is_freed, (unsigned long)(uintptr_t)(function), #function, 4, comms, 1, \
                     &win, 1, &file)
    ERRHANDLER("of_one", of_one, "communicator", 0, on_comm_error);
    ERRHANDLER("of_two", of_two, "communicator", 0, on_comm_error);
    ERRHANDLER("of_none", of_none, "communicator", 0, on_comm_error);
    ERRHANDLER("of_wins", of_wins, "window", 0, on_win_error);
    ERRHANDLER("of_files", of_files, "file", 0, on_file_error);
    ERRHANDLER("still_in_use", still_in_use, "communicator", 1, on_comm_error);
    ERRHANDLER("errhandler.f:fortran_errhandler", MPI_Errhandler_f2c(fortran_errhandler), "communicator", 0, on_comm_error);
#if MPI_VERSION >= 4
    truth_session("session", session);
    truth_session("no_session", no_session);
#endif

    /* What is none of them (any more). Freed last of all, so that nothing takes its place */
    MPI_Group short_group, freed_group, a_comm_as_group = (MPI_Group)MPI_COMM_WORLD;
    MPI_Info short_info, freed_info, an_op_as_info = (MPI_Info)MPI_SUM;
    MPI_Op short_op, freed_op, a_type_as_op = (MPI_Op)MPI_INT;
    MPI_Errhandler short_errhandler, freed_errhandler, an_info_as_errhandler = (MPI_Errhandler)one;
    MPI_Group_excl(everybody, 1, me, &short_group);
    MPI_Info_create(&short_info);
    MPI_Op_create(subtract, 0, &short_op);
    MPI_Comm_create_errhandler(on_comm_error, &short_errhandler);
    freed_group = size > 1 ? short_group : group_never_set;
    freed_info = short_info, freed_op = short_op, freed_errhandler = short_errhandler;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Group_free(&short_group);
    MPI_Info_free(&short_info);
    MPI_Op_free(&short_op);
    MPI_Errhandler_free(&short_errhandler);
    truth_bad_handle("group_never_set", "group", TRUTH_HANDLE(group_never_set), "MPIDBG_ERR_NOT_FOUND");
    truth_bad_handle("info_never_set", "info", TRUTH_HANDLE(info_never_set), "MPIDBG_ERR_NOT_FOUND");
    truth_bad_handle("op_never_set", "op", TRUTH_HANDLE(op_never_set), "MPIDBG_ERR_NOT_FOUND");
    truth_bad_handle("errhandler_never_set", "errhandler", TRUTH_HANDLE(errhandler_never_set), "MPIDBG_ERR_NOT_FOUND");
    truth_bad_handle("a_comm_as_group", "group", TRUTH_HANDLE(a_comm_as_group), "MPIDBG_ERR_NOT_FOUND");
    truth_bad_handle("an_op_as_info", "info", TRUTH_HANDLE(an_op_as_info), "MPIDBG_ERR_NOT_FOUND");
    truth_bad_handle("a_type_as_op", "op", TRUTH_HANDLE(a_type_as_op), "MPIDBG_ERR_NOT_FOUND");
    truth_bad_handle("an_info_as_errhandler", "errhandler", TRUTH_HANDLE(an_info_as_errhandler), "MPIDBG_ERR_NOT_FOUND");
    truth_bad_handle("freed_group", "group", TRUTH_HANDLE(freed_group), "MPIDBG_ERR_NOT_FOUND");
    truth_bad_handle("freed_info", "info", TRUTH_HANDLE(freed_info), "MPIDBG_ERR_NOT_FOUND");
    truth_bad_handle("freed_op", "op", TRUTH_HANDLE(freed_op), "MPIDBG_ERR_NOT_FOUND");
    truth_bad_handle("freed_errhandler", "errhandler", TRUTH_HANDLE(freed_errhandler), "MPIDBG_ERR_NOT_FOUND");
    (void)in_use_freed;

    shared[0] = rank; /* stop: all handles made */
    wait_for_debugger();

#if MPI_VERSION >= 4
    MPI_Session_finalize(&session);
#endif
    MPI_File_close(&file);
    MPI_Win_free(&win);
    MPI_Errhandler *handlers[] = {&of_one, &of_two, &of_none, &of_wins, &of_files};
    for (size_t i = 0; i < sizeof handlers / sizeof *handlers; i++)
        MPI_Errhandler_free(handlers[i]);
    MPI_Op_free(&larger);
    MPI_Op_free(&difference);
    MPI_Info *infos[] = {&empty, &one, &several, &hard, &of_comm};
    for (size_t i = 0; i < sizeof infos / sizeof *infos; i++)
        MPI_Info_free(infos[i]);
    MPI_Group *groups[] = {&everybody, &evens, &backwards, &first_half, &others, &both, &of_corners, &other_side};
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        if (*groups[i] != MPI_GROUP_NULL && *groups[i] != MPI_GROUP_EMPTY)
            MPI_Group_free(groups[i]);
    MPI_Comm *made[] = {&ocean, &parity, &corners, &even_odd, &strict, &lenient, &careful};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        if (*made[i] != MPI_COMM_NULL)
            MPI_Comm_free(made[i]);
    MPI_Finalize();
    return 0;
}
