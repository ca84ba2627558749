/*
 * truth-fortran.c - truth.h for Fortran and C++: functions that take handles as Fortran has them. Where MPI has no call,
 * the caller tells what it passed when it made the object.
 */
#include <sys/stat.h>

#include "truth-datatype.h"
#include "truth-file.h"
#include "truth-objects.h"
#include "truth-request.h"
#include "truth-status.h"
#include "truth-win.h"

/* So that there is this type: a debugger may take a variable of Fortran for it. */
struct stat truth_type_of_c;

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

void truth_datatype_by_number(const char *expression, MPI_Fint type)
{
    truth_datatype(expression, MPI_Type_f2c(type), TRUTH_COMMITTED);
}

void truth_group_by_number(const char *expression, MPI_Fint group)
{
    truth_group(expression, MPI_Group_f2c(group));
}

void truth_info_by_number(const char *expression, MPI_Fint info)
{
    truth_info(expression, MPI_Info_f2c(info));
}

static void truth_add_callback(const void *function, const char *name, const char *language)
{
    truth_add(",\"callback\":{\"address\":\"0x%lx\",\"symbol\":\"%s\",\"language\":\"%s\"}",
              (unsigned long)(uintptr_t)function, name, language);
}

/* One of MPI's own by its constant, "MPI_SUM"; or with "" one of the program's, by its function. */
void truth_op_by_number(const char *expression, MPI_Fint op, const char *constant, const void *function, const char *name,
                        const char *language)
{
    int commutes;
    if (*constant != '\0') {
        truth_op(expression, MPI_Op_f2c(op), constant, 0, "");
    } else if (truth_is_wanted) {
        TRUTH_BEGIN_OBJECT(expression, "op", MPI_Op_f2c(op), op);
        MPI_Op_commutative(MPI_Op_f2c(op), &commutes);
        truth_add_constant("", commutes ? "\"commutative\"" : "");
        truth_add_callback(function, name, language);
        truth_end_object();
    }
}

/* One of the program's own in Fortran, attached to this one communicator. */
void truth_errhandler_by_number(const char *expression, MPI_Fint handler, MPI_Fint comm, const void *function,
                                const char *name)
{
    int count = 0, length;
    char comm_name[MPI_MAX_OBJECT_NAME];
    const MPI_Comm attached_to = MPI_Comm_f2c(comm);
    if (!truth_is_wanted)
        return;
    TRUTH_BEGIN_OBJECT(expression, "errhandler", MPI_Errhandler_f2c(handler), handler);
    truth_add(",\"name\":\"\",\"flags\":[\"communicator\"]");
    truth_add_callback(function, name, "fortran");
    MPI_Comm_get_name(attached_to, comm_name, &length);
    truth_add_attachment(&count, "comm", TRUTH_HANDLE(attached_to), comm_name);
    truth_end_errhandler(count);
}

void truth_null_errhandler_by_number(const char *expression, MPI_Fint handler)
{
    if (!truth_is_wanted)
        return;
    TRUTH_BEGIN_OBJECT(expression, "errhandler", MPI_Errhandler_f2c(handler), handler);
    truth_add_constant("MPI_ERRHANDLER_NULL", "\"predefined\",\"errhandlerNull\"");
    truth_end_object();
}

/* Tells a request of a transfer; send_mode "" for a receive. */
void truth_transfer_by_number(const char *expression, MPI_Fint request, const char *send_mode, int is_inactive,
                              const void *buffer, int count, MPI_Fint type, int peer, int tag, MPI_Fint comm)
{
    const int is_send = *send_mode != '\0';
    truth_request(expression, MPI_Request_f2c(request),
                  (struct truth_request){.operation = is_send ? "send" : "receive",
                                         .send_mode = is_send ? send_mode : NULL,
                                         .is_persistent = is_inactive,
                                         .is_inactive = is_inactive,
                                         .buffer = buffer,
                                         .count = count,
                                         .datatype = MPI_Type_f2c(type),
                                         .peer = peer,
                                         .tag = tag,
                                         .comm = MPI_Comm_f2c(comm),
                                         .has_fortran_handle = 1});
}

/* MPI_REQUEST_NULL, or a generalized request. */
void truth_request_by_number(const char *expression, MPI_Fint request)
{
    truth_request(expression, MPI_Request_f2c(request),
                  (struct truth_request){.operation = "generalized", .has_fortran_handle = 1});
}

/* The status lies in the memory of the program as it does in C. */
void truth_status_in_place(const char *expression, const MPI_Status *status)
{
    truth_status(expression, status);
}

void truth_message_by_number(const char *expression, MPI_Fint message, MPI_Fint comm, const MPI_Status *status)
{
    truth_message(expression, MPI_Message_f2c(message), MPI_Comm_f2c(comm), status);
}

/* Between two fences if is_fenced. */
void truth_win_by_number(const char *expression, MPI_Fint win, MPI_Fint comm, int is_fenced)
{
    const char *fence = is_fenced ? "fence" : "none";
    truth_win(expression, MPI_Win_f2c(win),
              (struct truth_win){.comm = MPI_Comm_f2c(comm), .access = fence, .exposure = fence, .last_sync = fence});
}

void truth_file_by_number(const char *expression, MPI_Fint file, const char *filename, MPI_Fint comm)
{
    truth_file(expression, MPI_File_f2c(file), filename, MPI_Comm_f2c(comm));
}
