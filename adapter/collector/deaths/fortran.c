/* fortran.c - how programs in Fortran end, by the functions of libgfortran. All of them go on to exit(). */
#include "deaths.h"

static void fill_text(struct mpidbg_death *death, const struct call *call)
{
    if (call->arguments[0] != 0)
        copy_bytes(death->words, sizeof death->words, (const char *)call->arguments[0], call->arguments[1]);
}

static void fill_message(struct mpidbg_death *death, const struct call *call)
{
    (void)call;
    words_of_fortran(death->words, sizeof death->words);
}

static void seen_stop_number(struct call *call)
{
    note_cause(DEATH_FORTRAN_STOP, NULL, call);
}

static void seen_stop_text(struct call *call)
{
    note_cause(DEATH_FORTRAN_STOP, fill_text, call);
}

static void seen_error_stop_number(struct call *call)
{
    note_cause(DEATH_FORTRAN_ERROR_STOP, NULL, call);
}

static void seen_error_stop_text(struct call *call)
{
    note_cause(DEATH_FORTRAN_ERROR_STOP, fill_text, call);
}

static void seen_error(struct call *call)
{
    note_cause(DEATH_FORTRAN_ERROR, fill_message, call);
}

static void fill_name(struct mpidbg_death *death, const struct call *call)
{
    (void)call;
    append_text(death->function, sizeof death->function, "exit");
}

static void seen_exit(struct call *call)
{
    note_cause(DEATH_EXIT, fill_name, call);
}

HOOK(_gfortran_stop_numeric, seen_stop_number)
HOOK(_gfortran_stop_string, seen_stop_text)
HOOK(_gfortran_error_stop_numeric, seen_error_stop_number)
HOOK(_gfortran_error_stop_string, seen_error_stop_text)
HOOK(_gfortran_runtime_error, seen_error)
HOOK(_gfortran_runtime_error_at, seen_error)
HOOK(_gfortran_os_error, seen_error)
HOOK(_gfortran_os_error_at, seen_error)
HOOK(_gfortran_exit_i4, seen_exit)
HOOK(_gfortran_exit_i8, seen_exit)
