/*
 * record.h - what a rank that is about to die tells mpidbg.
 *
 * The dying rank connects to the Unix stream socket that MPIDBG_DEATHS names (at most 107 bytes;
 * with @ for its first byte it is a name of the abstract namespace), sends one struct mpidbg_death,
 * and stays where it is until it is sent a byte or the connection ends, MPIDBG_DEATHS_WAIT seconds (10) at most. Then it dies as it
 * would have. A process sends one record in its life, but for those with DEATH_GOES_ON, in the byte order of its host. Numbers are unknown where a field says so, or where
 * `kind` does not list it; texts are UTF-8 or whatever the program had, cut to fit, ended by a zero byte, and empty where unknown.
 *
 * Fields are only ever added at the end: a reader takes `bytes` and what it knows of them. Nothing of it may be trusted but as words.
 */
#ifndef MPIDBG_DEATHS_RECORD_H
#define MPIDBG_DEATHS_RECORD_H

#include <stdint.h>

/* Without a zero byte. */
#define DEATH_MAGIC 'm', 'p', 'i', 'd', 'b', 'g', 'D', '1'

/* The cause: the first that was seen of what led to the end. */
enum death_kind {
    /* No death: a rank begins, and waits until its end is watched, a second at most. Of the rest, only pid and rank are known. */
    DEATH_NOT_YET = 0,
    /* signal, signal_code, address; words: libc's own, "free(): double free detected in tcache 2". All registers are known. */
    DEATH_SIGNAL = 1,
    /* An MPI error whose handler is fatal: function, object, object_kind, error_…; all of them unknown where the library does not tell. */
    DEATH_MPI_ERROR = 2,
    /* status: the code; object: the communicator. ERROR_RETURNED, IN_CATCH. words: what mpi4py has printed of an exception in a callback, with its
       "Fatal Python error: exception in user-defined reduction operation"; empty: nothing, or IN_CATCH. */
    DEATH_MPI_ABORT = 3,
    /* words: "expression", file:line and function as assert prints them. */
    DEATH_ASSERT = 4,
    /* The program called abort(). IN_CATCH. */
    DEATH_ABORT = 5,
    /* std::terminate: type and words (what()) of the exception; both empty: there is none, as for a joinable thread. `thrown`. */
    DEATH_TERMINATE = 6,
    DEATH_PURE_VIRTUAL = 7,
    /* Fortran's STOP with a number (status) or a text (words). Before MPI_Finalize only. */
    DEATH_FORTRAN_STOP = 8,
    DEATH_FORTRAN_ERROR_STOP = 9,
    /* words: what the runtime prints: "At line 7 of file x.f90 …". */
    DEATH_FORTRAN_ERROR = 10,
    /* status, as it was given: the program called exit, quick_exit, _exit or _Exit (`function`) between MPI_Init and MPI_Finalize; before MPI_Init, with a status that is an error. IN_CATCH. */
    DEATH_EXIT = 11,
    /* status: main returned between MPI_Init and MPI_Finalize, and its frame is gone. If it is on the stack, then libc itself has called exit(). */
    DEATH_RETURN = 12,
    /* MPI ends the process, with `status` or -1: by MPI_Abort or a fatal error, in a library whose own calls are not seen. */
    DEATH_MPI_ENDS = 13,
    /* A floating point operation that would have gone on by itself: float_flags. All registers are known: of the instruction, which has done nothing yet. */
    DEATH_FLOAT = 14,
    /* An exception has ended Python, which takes MPI down: MPI_Finalize was called, and waits for the other ranks. `python` has it. */
    DEATH_PYTHON_EXCEPTION = 15,
    /* A sanitizer of the compiler (-fsanitize=…) ends the process. words: what it has found, "AddressSanitizer: heap-buffer-overflow …"; empty: unknown. */
    DEATH_SANITIZER = 16,
};

enum death_flags {
    /* registers[16] is a return address: the call is the instruction before it. Else it is the instruction that failed. */
    DEATH_AT_CALL = 1,
    /* A handler of the program's own ran for this signal, and now ends the process with `status`. */
    DEATH_HANDLER_EXITS = 2,
    /* An MPI error went to an error handler of the program's own, which seems not to have returned: error_code, error_class, error_text, and the fields
       from error_caller on, which tell how to make sure. Not of DEATH_MPI_ERROR. */
    DEATH_OWN_HANDLER = 4,
    /* MPI_Init, or a session's, was called. */
    DEATH_MPI_IS_UP = 8,
    /* MPI_Finalize was called. None of these two and MPI_IS_UNKNOWN: before MPI_Init. */
    DEATH_MPI_IS_OVER = 16,
    /* The signal was sent by a process (sender) rather than raised by the processor. */
    DEATH_SENT = 32,
    /* `object` is Fortran's INTEGER handle. */
    DEATH_FORTRAN_HANDLE = 64,
    /* The process has no MPI that is seen: none, or one inside the executable. */
    DEATH_MPI_IS_UNKNOWN = 256,
    /* For DEATH_FLOAT: the process goes on. It may send other records. */
    DEATH_GOES_ON = 512,
    /* The thread's stack has no room below registers[7]. */
    DEATH_STACK_IS_FULL = 128,
    /* Python has been taken down. */
    DEATH_PYTHON_IS_OVER = 1024,
    /* The thread was handling an exception of C++: type, words, exception, exception_type and thrown, as of DEATH_TERMINATE. */
    DEATH_IN_CATCH = 2048,
    /* `status` is the code of an error that MPI had returned: error_code, error_class; error_text and error_function, if the library tells them. */
    DEATH_ERROR_RETURNED = 4096,
};

enum death_object { DEATH_NO_OBJECT, DEATH_COMM, DEATH_WIN, DEATH_FILE, DEATH_SESSION };

/* DWARF's numbers for x86-64: rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8 … r15, rip. */
enum { DEATH_REGISTERS = 17 };

struct mpidbg_death {
    char magic[8];
    uint32_t bytes;    /* of the whole record */
    uint32_t kind;     /* enum death_kind; a newer library may have more */
    uint32_t pid, tid; /* as this process sees them */
    uint64_t time;     /* CLOCK_MONOTONIC, nanoseconds: ranks of one host compare */
    uint32_t sequence; /* of this process's records, from 0 */
    uint32_t flags;    /* enum death_flags */
    int32_t rank;      /* in MPI_COMM_WORLD, as the launcher's environment says; -1: unknown */
    int32_t status;    /* the exit status or code that it dies with; -1: by a signal, or unknown */
    int32_t signal;    /* 0: none */
    int32_t signal_code; /* si_code */
    uint64_t address;    /* si_addr of SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP; else 0 */
    int32_t sender;      /* si_pid of a signal that a process sent; else 0 */
    uint32_t registers_known; /* bit n: registers[n] is known */
    uint64_t registers[DEATH_REGISTERS]; /* of the frame where the stack of this death begins: unwind from here, not from the thread's own */
    uint64_t object;       /* the handle of the MPI object as the program has it; 0: unknown */
    uint32_t object_kind;  /* enum death_object */
    int32_t error_code;    /* as the MPI function would have returned it; 0: none */
    int32_t error_class;   /* as this library's mpi.h numbers classes; 0: unknown */
    uint32_t tail_bytes;   /* of `tail` */
    uint64_t handler;      /* the program's own handler of the signal, which ran; 0: none, or unknown */
    uint64_t thrown;       /* return address of the __cxa_throw of the exception; 0: unknown */
    /* The first fault that a handler of the program's own took before this death; signal 0: none. */
    struct {
        int32_t signal, code;
        uint32_t tid, reserved;
        uint64_t address, time, rip, rsp, rbp;
    } fault;
    char function[64];      /* "MPI_Recv", "exit" */
    char error_text[1024];  /* MPI_Error_string of error_code */
    char words[1024];
    char type[256];         /* mangled as the C++ ABI has it: "St12out_of_range" */
    char tail[512];         /* the last that this process wrote to descriptor 2 through write(): Fortran's and Python's messages; not ended by zero */
    uint32_t float_flags;   /* of MXCSR: what the instruction alone would have set. 1: invalid, 4: division by zero, 8: overflow */
    uint32_t reserved;
    uint64_t exception, exception_type; /* of DEATH_TERMINATE: the object that was thrown, and its std::type_info; 0: unknown */
    char type_name[512]; /* `type` as C++ has it; empty: unknown */
    /* The frames of the thread's Python, the innermost first: "  File "melt.py", line 7 in solve"; with PYTHON_IS_OVER the end of the last traceback that
       Python has printed. */
    char python[4096];
    /* With OWN_HANDLER: the return address of the library's function that calls such handlers, and the stack pointer behind it. If the handler has not
       returned, the thread's stack has a frame with both. The memory of a stack alone, which is all that this process can look at, may be old. */
    uint64_t error_caller, error_stack;
    char error_function[64]; /* the call that failed: "MPI_Recv" */
    /* Of DEATH_EXIT and DEATH_RETURN: a function that runs at exit has ended the process, by a call of left_function with left_status that would return to
       left_from; 0: none has. `status` is what exit was given, or main returned. */
    uint64_t left_from;
    int32_t left_status;
    uint32_t more_reserved;
    char left_function[64];
};

#endif
