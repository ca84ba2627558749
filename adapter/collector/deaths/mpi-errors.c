/*
 * mpi-errors.c - errors of MPI, and how MPI ends a process.
 *
 * Each library has one function that deals with the errors of its calls, whether they are fatal, returned or go to a handler of the
 * program's own. The call is noted there. What it leads to shows itself: MPI tells the launcher (the abort of a process manager's
 * interface) or calls exit() (exits.c) while that function has not returned. So nothing is asked of MPI before its message is out.
 */
#include "../native/presence.h"
#include <string.h>
#include "deaths.h"

/* The arguments of such a function that tell the object, the code and the name of MPI's function; -1: it has none. is_handle: the object is as the program has it. */
struct shape { int object, code, name; uint32_t kind; bool is_handle; };
struct error { struct call call; struct shape shape; };
OF_THREAD struct error error;

/* MPICH passes errors of windows and others on to the function for communicators: the first knows the object. What comes to the same function again is
   the error of a call that a handler has made. */
static void note_error(const struct call *call, struct shape shape)
{
    const struct error *before = &error;
    const bool is_same = before->call.hook != call->hook && stands(&before->call, call->sp) &&
                         before->call.arguments[before->shape.code] == call->arguments[shape.code] && before->shape.name >= 0 &&
                         before->call.arguments[before->shape.name] == call->arguments[shape.name];
    if (!is_same)
        error = (struct error){*call, shape};
}

/* In the order of Open MPI's ompi_errhandler_type_t. */
static void seen_open_mpi(struct call *call)
{
    static const uint32_t kinds[] = {DEATH_NO_OBJECT, DEATH_COMM, DEATH_WIN, DEATH_FILE, DEATH_SESSION};
    const uint64_t type = (uint32_t)call->arguments[2];
    const uint32_t kind = type < sizeof kinds / sizeof *kinds ? kinds[type] : DEATH_NO_OBJECT;
    note_error(call, (struct shape){1, 3, 4, kind, false});
}

static void seen_comm(struct call *call)
{
    note_error(call, (struct shape){0, 2, 1, DEATH_COMM, false});
}

static void seen_win(struct call *call)
{
    note_error(call, (struct shape){0, 2, 1, DEATH_WIN, false});
}

static void seen_session(struct call *call)
{
    note_error(call, (struct shape){0, 2, 1, DEATH_SESSION, false});
}

static void seen_without_object(struct call *call)
{
    note_error(call, (struct shape){-1, 2, 1, DEATH_NO_OBJECT, false});
}

/* The program itself reports an error. Some libraries go on from here without the functions above. */
static void seen_call_errhandler(struct call *call, uint32_t kind)
{
    note_error(call, (struct shape){0, 1, -1, kind, true});
}

#define CALLS_ERRHANDLER(name, kind)             \
    static void seen_##name(struct call *call)   \
    {                                            \
        seen_call_errhandler(call, kind);        \
    }                                            \
    HOOK(name, seen_##name)
CALLS_ERRHANDLER(MPI_Comm_call_errhandler, DEATH_COMM)
CALLS_ERRHANDLER(PMPI_Comm_call_errhandler, DEATH_COMM)
CALLS_ERRHANDLER(MPI_Win_call_errhandler, DEATH_WIN)
CALLS_ERRHANDLER(PMPI_Win_call_errhandler, DEATH_WIN)
CALLS_ERRHANDLER(MPI_File_call_errhandler, DEATH_FILE)
CALLS_ERRHANDLER(PMPI_File_call_errhandler, DEATH_FILE)
CALLS_ERRHANDLER(MPI_Session_call_errhandler, DEATH_SESSION)
CALLS_ERRHANDLER(PMPI_Session_call_errhandler, DEATH_SESSION)

HOOK(ompi_errhandler_invoke, seen_open_mpi)
HOOK(MPIR_Err_return_comm, seen_comm)
HOOK(MPIR_Err_return_win, seen_win)
HOOK(MPIR_Err_return_session, seen_session)
HOOK(MPIR_Err_return_session_init, seen_without_object)
HOOK(MPIR_Err_return_group, seen_without_object)
HOOK(MPIR_Err_return_comm_create_from_group, seen_without_object)

static bool is_of_mpich(const struct call *call)
{
    return call->hook != &hook_ompi_errhandler_invoke;
}

/* MPICH gives its objects, which begin with their handles, and names its functions internal_Recv. */
static uint64_t object_of(const struct error *from)
{
    const uint64_t given = from->shape.object < 0 ? 0 : from->call.arguments[from->shape.object];
    return given != 0 && is_of_mpich(&from->call) && !from->shape.is_handle ? *(const uint32_t *)given : given;
}

static void copy_name(char *to, size_t size, const char *name)
{
    static const char internal[] = "internal_", profiling[] = "PMPI_";
    if (name == NULL)
        return;
    if (strncmp(name, internal, sizeof internal - 1) == 0) {
        append_text(to, size, "MPI_");
        name += sizeof internal - 1;
    } else if (strncmp(name, profiling, sizeof profiling - 1) == 0) {
        name++;
    }
    append_text(to, size, name);
}

/* From MPI 4 on, codes are explained before MPI_Init and with sessions alone. */
static bool answers_always(void)
{
    int version = 0, subversion = 0, (*get_version)(int *, int *);
    *(void **)&get_version = next_symbol("PMPI_Get_version");
    return get_version != NULL && get_version(&version, &subversion) == 0 && version >= 4;
}

/* Nothing is printed for it, whatever the code. */
static void ask_class(struct mpidbg_death *death)
{
    int class = 0, (*get_class)(int, int *);
    *(void **)&get_class = next_symbol("PMPI_Error_class");
    if (get_class != NULL && (mpi_is_up() || answers_always()) && get_class(death->error_code, &class) == 0)
        death->error_class = class;
}

static void ask_text(struct mpidbg_death *death)
{
    static char text[8192];
    int length = 0, (*get_string)(int, char *, int *);
    *(void **)&get_string = next_symbol("PMPI_Error_string");
    ask_class(death);
    if (get_string != NULL && (mpi_is_up() || answers_always()) && get_string(death->error_code, text, &length) == 0)
        copy_bytes(death->error_text, sizeof death->error_text, text, strnlen(text, sizeof text - 1));
}

static int32_t code_of(const struct error *from)
{
    return (int32_t)from->call.arguments[from->shape.code];
}

static void copy_function(char *to, size_t size, const struct error *from)
{
    const bool is_named = from->shape.name >= 0;
    copy_name(to, size, is_named ? (const char *)from->call.arguments[from->shape.name] : from->call.hook->name);
}

bool fill_mpi_error(struct mpidbg_death *death, uint64_t sp)
{
    /* As it was: asking MPI may have errors of its own. */
    const struct error from = error;
    if (!stands(&from.call, sp))
        return false;
    death->object = object_of(&from);
    death->object_kind = death->object == 0 ? DEATH_NO_OBJECT : from.shape.kind;
    death->error_code = code_of(&from);
    death->function[0] = '\0';
    copy_function(death->function, sizeof death->function, &from);
    fill_place(death, &from.call);
    ask_text(death);
    return true;
}

/* MPI has locks, and uses a heap that may be damaged: it is not asked after a fault. */
static bool may_ask(uint32_t kind)
{
    return kind != DEATH_SIGNAL && kind != DEATH_FLOAT && kind != DEATH_SANITIZER;
}

void fill_handled_error(struct mpidbg_death *death)
{
    enum { STACK_POINTER = 7 };
    const struct error from = error;
    const bool is_of_mpi = death->kind == DEATH_MPI_ERROR || death->kind == DEATH_MPI_ENDS;
    if (is_of_mpi || !(death->registers_known & 1u << STACK_POINTER) || !stands(&from.call, death->registers[STACK_POINTER]))
        return;
    death->flags |= DEATH_OWN_HANDLER;
    death->error_code = code_of(&from);
    death->error_caller = from.call.pc;
    death->error_stack = from.call.sp;
    death->error_function[0] = '\0';
    copy_function(death->error_function, sizeof death->error_function, &from);
    if (may_ask(death->kind))
        ask_text(death);
}

/* MPICH reports errors with files through functions that cannot be hooked; its codes are more than a class, and no numbers that a program makes up. */
static bool is_whole_code_of_mpich(int code)
{
    static const int least = 1 << 16;
    return code >= least && next_of(&hook_MPIR_Err_return_comm) != NULL;
}

void fill_returned_error(struct mpidbg_death *death)
{
    const struct error from = error;
    const bool is_known = from.call.pc != 0 && death->status > 0 && code_of(&from) == death->status;
    if (!is_known && !is_whole_code_of_mpich(death->status))
        return;
    death->error_code = death->status;
    if (is_known) {
        copy_function(death->error_function, sizeof death->error_function, &from);
        ask_text(death);
    } else {
        /* It may come from another rank, and MPICH prints an error when asked for the text of a code that it does not know. */
        ask_class(death);
    }
    if (death->error_class != 0)
        death->flags |= DEATH_ERROR_RETURNED;
}

/* ---- the ends ---- */

struct end { const struct call *call; int status, code; };
static const int class_mask = 0x7f;

/* MPICH reports errors with files through functions that cannot be hooked, and exits with the error code, which is more than a class. */
static bool is_code_of_mpich(int code)
{
    return code > class_mask && next_of(&hook_MPIR_Err_return_comm) != NULL;
}

/* A handler of the program's own has run into a failed assertion of MPICH, which then exits with a small number that is not the error's. */
static bool is_of_another(const struct end *end)
{
    return is_of_mpich(&error.call) && end->code > 0 && end->code <= class_mask && end->code != (code_of(&error) & class_mask);
}

static void fill_end(struct mpidbg_death *death, const void *what)
{
    const struct end *end = what;
    death->status = end->status;
    fill_place(death, end->call);
    if (stands(&error.call, end->call->sp) && is_of_another(end))
        return;
    if (!fill_mpi_error(death, end->call->sp) && death->kind == DEATH_MPI_ERROR && is_code_of_mpich(end->code)) {
        death->error_code = end->code;
        /* It may be of another rank, which MPICH has told this one: asked for its text, MPICH would print that it is invalid. */
        ask_class(death);
    }
}

void mpi_ends(const struct call *call, int status, int code)
{
    const struct end end = {call, status, code};
    const bool is_known = stands(&error.call, call->sp) || can_see_mpi_abort();
    if (!report_what_led_here(call, status))
        report(is_known ? DEATH_MPI_ERROR : DEATH_MPI_ENDS, fill_end, &end);
}

static void seen_abort_with_status(struct call *call)
{
    mpi_ends(call, (int)call->arguments[0], (int)call->arguments[0]);
}

static void seen_abort_of_object(struct call *call)
{
    mpi_ends(call, (int)call->arguments[1], (int)call->arguments[1]);
}

static void seen_abort(struct call *call)
{
    mpi_ends(call, -1, 0);
}

HOOK(PMIx_Abort, seen_abort_with_status)
HOOK(PMI_Abort, seen_abort_with_status)
HOOK(PMI2_Abort, seen_abort)
HOOK(ompi_mpi_abort, seen_abort_of_object)
