/* aborts.c - functions of C and C++ that end in abort(): what SIGABRT then ends the process for. A handler may yet recover from that. */
#define _GNU_SOURCE
#include "../native/presence.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include "deaths.h"

struct assertion { uint64_t expression, file, line, function; };

/* As assert() prints it. */
static void fill_assertion(struct mpidbg_death *death, struct assertion of)
{
    const char *expression = (const char *)of.expression, *file = (const char *)of.file, *function = (const char *)of.function;
    char *words = death->words;
    const size_t size = sizeof death->words;
    append_text(words, size, file);
    append_text(words, size, ":");
    append_number(words, size, (uint32_t)of.line);
    append_text(words, size, ": ");
    if (function != NULL) {
        append_text(words, size, function);
        append_text(words, size, ": ");
    }
    append_text(words, size, "Assertion `");
    append_text(words, size, expression);
    append_text(words, size, "' failed.");
}

static void fill_c_assertion(struct mpidbg_death *death, const struct call *call)
{
    const uint64_t *given = call->arguments;
    fill_assertion(death, (struct assertion){given[0], given[1], given[2], given[3]});
}

static void seen_assert(struct call *call)
{
    note_cause(DEATH_ASSERT, fill_c_assertion, call);
}

HOOK(__assert_fail, seen_assert)

/* libstdc++'s own, with _GLIBCXX_ASSERTIONS. It is given no condition where it says that the behaviour is undefined. */
static void fill_cxx_assertion(struct mpidbg_death *death, const struct call *call)
{
    const uint64_t *given = call->arguments;
    fill_assertion(death, (struct assertion){given[3], given[0], given[1], given[2]});
}

static void seen_cxx_assert(struct call *call)
{
    if (call->arguments[0] != 0 && call->arguments[3] != 0)
        note_cause(DEATH_ASSERT, fill_cxx_assertion, call);
}

HOOK(_ZSt21__glibcxx_assert_failPKciS0_S0_, seen_cxx_assert)

/* ---- exceptions ---- */

/*
 * Which were thrown last, by any thread: another one may throw them again (std::future, std::exception_ptr). An object's last throw is its own, as
 * all of them are noted.
 */
enum { THROWS = 64 };
static struct { _Atomic uint64_t object, type, caller; } throws[THROWS];
static _Atomic uint32_t throw_count;

/* 0: unknown. */
static uint64_t thrown_from(uint64_t object, uint64_t type)
{
    const uint32_t count = throw_count;
    for (uint32_t i = 1; i <= THROWS && i <= count; i++) {
        const unsigned at = (count - i) % THROWS;
        if (throws[at].object == object)
            return throws[at].type == type ? throws[at].caller : 0;
    }
    return 0;
}

static struct {
    int thread;
    uint64_t object, type_info, caller;
    char type[sizeof ((struct mpidbg_death *)0)->type], type_name[sizeof ((struct mpidbg_death *)0)->type_name], words[1024];
} uncaught;
static _Atomic int is_uncaught;

/* Only what libstdc++ itself has written: the program's what() may do anything. */
static const char *words_of_exception(const void *type, uint64_t object)
{
    /* The places in virtual tables (C++ ABI): std::type_info has DO_CATCH as its fifth function, std::exception what() as its third. */
    enum { DO_CATCH = 4, WHAT = 2 };
    const void *base = first_symbol("_ZTISt9exception");
    if (base == NULL)
        return NULL;
    typedef bool DoCatch(const void *, const void *, void **, unsigned);
    void *exception = (void *)object;
    DoCatch *do_catch = (*(DoCatch *const *const *)base)[DO_CATCH];
    if (!do_catch(base, type, &exception, 1) || exception == NULL)
        return NULL;
    typedef const char *What(const void *);
    What *what = (*(What *const *const *)exception)[WHAT];
    return owner_of((const void *)what) == OWNER_CXX ? what(exception) : NULL;
}

/*
 * What lies before an exception in memory, from libstdc++'s list of caught ones to the object that was thrown: its type first, and the class
 * "GNUCC++", with 0 behind it. One that std::rethrow_exception has thrown has 1 there, and the object that was thrown at first for its first word.
 */
enum { BYTES_BEFORE_EXCEPTION = 112, BYTES_BEFORE_CLASS = 80 };
static const uint64_t first_thrown = 0x474e5543432b2b00, thrown_again = 0x474e5543432b2b01;

/* 0: it is another library, or its exceptions are made otherwise. */
static uint64_t object_of(uint64_t caught, uint64_t type)
{
    if (caught == 0)
        return 0;
    const uint64_t class = *(const uint64_t *)(caught + BYTES_BEFORE_CLASS), first = *(const uint64_t *)caught;
    const uint64_t object = class == first_thrown ? caught + BYTES_BEFORE_EXCEPTION : class == thrown_again ? first : 0;
    return object != 0 && *(const uint64_t *)(object - BYTES_BEFORE_EXCEPTION) == type ? object : 0;
}

/* libstdc++ does the same when it then prints the exception. */
static void keep_type_name(void)
{
    char *(*demangle)(const char *, char *, size_t *, int *), *name;
    int status = 0;
    *(void **)&demangle = next_symbol("__cxa_demangle");
    if (demangle == NULL || (name = demangle(uncaught.type, NULL, NULL, &status)) == NULL)
        return;
    append_text(uncaught.type_name, sizeof uncaught.type_name, name);
    free(name);
}

/* by_name: also as it is in the source, which takes memory. */
static void keep_exception(bool by_name)
{
    const void *(*current_type)(void);
    void **(*get_globals)(void);
    *(void **)&current_type = next_symbol("__cxa_current_exception_type");
    *(void **)&get_globals = next_symbol("__cxa_get_globals");
    const void *type = current_type == NULL ? NULL : current_type();
    if (type == NULL || is_uncaught++)
        return;
    uncaught.thread = thread_number();
    /* A type_info: its name, which begins with * where it is compared by address. */
    const char *name = ((const char *const *)type)[1];
    append_text(uncaught.type, sizeof uncaught.type, *name == '*' ? name + 1 : name);
    if (by_name)
        keep_type_name();
    const uint64_t caught = get_globals == NULL ? 0 : (uint64_t)*get_globals();
    const uint64_t object = object_of(caught, (uint64_t)type);
    if (object == 0)
        return;
    uncaught.object = object;
    uncaught.type_info = (uint64_t)type;
    append_text(uncaught.words, sizeof uncaught.words, words_of_exception(type, object));
    uncaught.caller = thrown_from(object, (uint64_t)type);
}

static void fill_exception(struct mpidbg_death *death, const struct call *call)
{
    (void)call;
    if (uncaught.thread != thread_number())
        return;
    death->thrown = uncaught.caller;
    death->exception = uncaught.object;
    death->exception_type = uncaught.type_info;
    append_text(death->type, sizeof death->type, uncaught.type);
    append_text(death->type_name, sizeof death->type_name, uncaught.type_name);
    append_text(death->words, sizeof death->words, uncaught.words);
}

void fill_caught_exception(struct mpidbg_death *death)
{
    if (death->kind != DEATH_MPI_ABORT && death->kind != DEATH_EXIT && death->kind != DEATH_ABORT)
        return;
    keep_exception(false);
    if (!is_uncaught || uncaught.thread != thread_number())
        return;
    death->flags |= DEATH_IN_CATCH;
    death->words[0] = '\0';
    fill_exception(death, NULL);
}

static void note_throw(struct call *call, uint64_t caller)
{
    const unsigned at = throw_count++ % THROWS;
    throws[at].object = 0;
    throws[at].type = call->arguments[1];
    throws[at].caller = caller;
    throws[at].object = call->arguments[0];
}

static void seen_throw(struct call *call)
{
    note_throw(call, call->pc);
}

/* std::make_exception_ptr: an exception that nothing has thrown, though there may have been another one at its address. */
static void seen_made(struct call *call)
{
    if (owner_of((const void *)call->pc) != OWNER_CXX)
        note_throw(call, 0);
}

static void seen_terminate(struct call *call)
{
    if (standing_note(call->sp) == NULL)
        keep_exception(true);
    note_cause(DEATH_TERMINATE, fill_exception, call);
}

/*
 * libstdc++ ends exceptions that may not leave a function without a call of std::terminate that could be seen. It also calls abort for its
 * assertions (GCC 13 and later), which have nothing to do with an exception that is being handled.
 */
static bool is_terminate_handler(uint64_t pc)
{
    Dl_info of;
    const bool is_assertion = dladdr((const void *)pc, &of) != 0 && of.dli_sname != NULL && strstr(of.dli_sname, "assert_fail") != NULL;
    return owner_of((const void *)pc) == OWNER_CXX && !is_assertion;
}

static void seen_abort(struct call *call)
{
    const bool is_terminate = standing_note(call->sp) == NULL && is_terminate_handler(call->pc);
    if (is_terminate)
        keep_exception(true);
    if (is_terminate && is_uncaught)
        note_cause(DEATH_TERMINATE, fill_exception, call);
    else
        note_cause(DEATH_ABORT, NULL, call);
}

static void seen_pure_virtual(struct call *call)
{
    note_cause(DEATH_PURE_VIRTUAL, NULL, call);
}

HOOK(__cxa_throw, seen_throw)
HOOK(__cxa_init_primary_exception, seen_made)
HOOK(_ZSt9terminatev, seen_terminate)
HOOK(__cxa_pure_virtual, seen_pure_virtual)
HOOK(abort, seen_abort)
