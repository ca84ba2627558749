/* truth-fortran.c - truth.h for Fortran: the functions that truth.f90 declares. */
#include "truth.h"

void truth_begin_for_fortran(int truth, int wait)
{
    const char *from_environment = getenv("MPIDBG_TRUTH");
    truth_read_options(from_environment != NULL ? from_environment : truth ? "1" : NULL,
                       wait || getenv("MPIDBG_WAIT") != NULL);
}

void truth_comm_for_fortran(const char *ask, const char *expression, MPI_Fint comm)
{
    truth_comm_full(*ask != '\0' ? ask : NULL, expression, MPI_Comm_f2c(comm), 0);
}

/* Which code a wrong number gets: Open MPI numbers its handles, MPICH keeps the kind in the number. */
void truth_bad_for_fortran(const char *expression, MPI_Fint value, int is_freed)
{
    const char *code = "MPIDBG_ERR_NOT_FOUND";
#ifdef OPEN_MPI
    if (!is_freed)
        code = "MPIDBG_ERR_OUT_OF_RANGE";
#else
    (void)is_freed;
#endif
    if (!truth_is_wanted)
        return;
    truth_begin_line(NULL, expression);
    truth_add(",\"code\":\"%s\",\"fortranHandle\":%d}", code, (int)value);
    truth_print();
}

void truth_keyval_for_fortran(MPI_Fint keyval, int is_address)
{
    truth_keyval(keyval, is_address ? TRUTH_ADDRESS : TRUTH_INTEGER);
}

void wait_for_debugger_for_fortran(void)
{
    wait_for_debugger();
}
