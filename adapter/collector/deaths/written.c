/* written.c - the last that the program and its libraries wrote to standard error by write() or writev(): libc's own stdio is not among them. */
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include "deaths.h"

enum { KEPT = 8192 };
static char kept[KEPT];
static _Atomic uint64_t written;

/* The socket of a process manager's interface (PMI-1, PMI-2), by which MPI talks to the launcher. */
__attribute__((used)) static int pmi = -1;

/* By the kernel: the program may give an address that write() answers with EFAULT. False: nothing can be read there. */
static bool read_safely(char *to, const char *from, size_t length)
{
    const struct iovec here = {to, length}, there = {(void *)from, length};
    return SYSTEM(SYS_process_vm_readv, SYSTEM(SYS_getpid), &here, 1, &there, 1) == (long)length;
}

static void keep(const char *from, size_t length)
{
    if (length > KEPT) {
        from += length - KEPT;
        length = KEPT;
    }
    const size_t at = written % KEPT, first = length < KEPT - at ? length : KEPT - at;
    if (read_safely(kept + at, from, first) && (first == length || read_safely(kept, from + first, length - first)))
        written += length;
}

static int status_in(const char *text)
{
    static const char name[] = "exitcode=";
    const char *at = strstr(text, name);
    return at == NULL ? -1 : atoi(at + sizeof name - 1);
}

static void seen_by_pmi(const struct call *call)
{
    char text[128] = "";
    const size_t length = call->arguments[2] < sizeof text ? call->arguments[2] : sizeof text - 1;
    if (!read_safely(text, (const char *)call->arguments[1], length))
        return;
    const char *at = strstr(text, "cmd=abort");
    /* PMI-2 begins with a length. */
    if (at != NULL && at - text < 8)
        mpi_ends(call, status_in(text), 0);
}

static void seen_write(struct call *call)
{
    if ((int)call->arguments[0] == pmi)
        seen_by_pmi(call);
    else if ((int)call->arguments[0] == 2 && (int64_t)call->arguments[2] > 0) {
        char begin[64] = "";
        const size_t length = call->arguments[2] < sizeof begin ? call->arguments[2] : sizeof begin - 1;
        keep((const char *)call->arguments[1], call->arguments[2]);
        if (read_safely(begin, (const char *)call->arguments[1], length))
            python_has_written(begin);
    }
}

static void seen_writev(struct call *call)
{
    const struct iovec *parts = (const struct iovec *)call->arguments[1];
    struct iovec part;
    for (int i = 0; (int)call->arguments[0] == 2 && i < (int)call->arguments[2]; i++)
        if (read_safely((char *)&part, (const char *)(parts + i), sizeof part))
            keep(part.iov_base, part.iov_len);
}

/* All other writes go on at once. 16: struct hook's next. */
_Static_assert(offsetof(struct hook, next) == 16, "as below");
#define HOOK_OF_WRITE(name, function)                                                                    \
    STANDS_BEFORE(name)                                                                                  \
    HOOKS struct hook hook_##name = {#name, function, NULL, NULL};                                          \
    __asm__(".text\n.globl before_" #name "\n.type before_" #name ", @function\nbefore_" #name           \
            ":\n.cfi_startproc\ncmp $2, %edi\nje 1f\ncmp pmi(%rip), %edi\nje 1f\n"                       \
            "jmp *16+hook_" #name "(%rip)\n1: lea hook_" #name "(%rip), %r11\njmp deaths_hook\n.cfi_endproc\n" \
            ".size before_" #name ", . - before_" #name "\n");
HOOK_OF_WRITE(write, seen_write)
HOOK_OF_WRITE(writev, seen_writev)

static void __attribute__((constructor(103))) begin(void)
{
    const char *words = deaths_socket == NULL ? NULL : getenv("PMI_FD");
    if (words != NULL && *words >= '0' && *words <= '9')
        pmi = atoi(words);
}

static size_t last(char *to, size_t size)
{
    const uint64_t end = written, length = end < size ? end : size;
    for (uint64_t i = 0; i < length; i++)
        to[i] = kept[(end - length + i) % KEPT];
    return length;
}

void fill_written(struct mpidbg_death *death)
{
    death->tail_bytes = (uint32_t)last(death->tail, sizeof death->tail);
}

/* The last place where a line begins with this; NULL: none does. */
static const char *last_line(const char *text, const char *begin)
{
    const char *found = NULL;
    for (const char *at = text; (at = strstr(at, begin)) != NULL; at++)
        if (at == text || at[-1] == '\n')
            found = at;
    return found;
}

/* Of more than there is room for, the end. */
static void copy_end(char *words, size_t size, const char *text)
{
    const size_t length = strlen(text);
    copy_bytes(words, size, length < size ? text : text + length - (size - 1), length);
}

/* From the last line that begins with this. */
static void copy_from(char *words, size_t size, const char *begin)
{
    static char text[KEPT + 1];
    text[last(text, KEPT)] = '\0';
    const char *found = last_line(text, begin);
    if (found != NULL)
        copy_end(words, size, found);
}

void fatal_exception_of_python(char *words, size_t size)
{
    copy_from(words, size, "Fatal Python error: exception in ");
}

void traceback_of_python(char *words, size_t size)
{
    copy_from(words, size, "Traceback (most recent call last):\n");
}

/*
 * "At line 7 of file x.f90", "Fortran runtime error: …", or "In file 'x.f90', around line 7: Error allocating …", without what follows: "Error
 * termination. Backtrace:".
 */
void words_of_fortran(char *words, size_t size)
{
    static char text[KEPT + 1];
    text[last(text, KEPT)] = '\0';
    static const char *const begins[] = {"Fortran runtime error", "In file '"};
    char *error = NULL;
    for (unsigned i = 0; i < sizeof begins / sizeof *begins; i++)
        for (char *at = text; (at = strstr(at, begins[i])) != NULL; at++)
            if (error == NULL || at > error)
                error = at;
    if (error == NULL)
        return;
    char *begin = error;
    for (char *at = text; (at = strstr(at, "At line ")) != NULL && at < error; at++)
        begin = at;
    /* "At line" belongs to another message. */
    const char *between = strstr(begin, "\n\n");
    if (between != NULL && between < error)
        begin = error;
    char *end = strstr(error, "\n\n"), *termination = strstr(error, "\nError termination");
    if (end == NULL || (termination != NULL && termination < end))
        end = termination;
    copy_bytes(words, size, begin, end == NULL ? strlen(begin) : (size_t)(end - begin));
    for (size_t length = strlen(words); length > 0 && words[length - 1] == '\n';)
        words[--length] = '\0';
}
