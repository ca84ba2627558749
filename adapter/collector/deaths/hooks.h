/*
 * hooks.h - functions of other libraries that a rank passes on its way to its end.
 *
 * A hook looks at the call and lets it go on: the function that was meant is entered by a jump, with registers and stack as they were, so that
 * it and whoever prints a backtrace see the same frames as without us. presence.c shows hooks only where there is such a function.
 */
#ifndef MPIDBG_DEATHS_HOOKS_H
#define MPIDBG_DEATHS_HOOKS_H

#ifndef __x86_64__
#error "hooks are written for x86-64"
#endif

#include <stdint.h>
#include "../native/names.h"

/* A call as its function is entered. hooks.c lays it out in assembly. */
struct call {
    uint64_t arguments[6], rax;
    uint64_t rbx, rbp, r12, r13, r14, r15;
    const struct hook *hook;
    uint64_t sp; /* the caller's, when the call has returned */
    uint64_t pc; /* where it returns to */
};

struct hook {
    const char *name;
    void (*seen)(struct call *); /* NULL: the function is written in C, and calls next_of() itself */
    void *_Atomic next;          /* the function that was meant; NULL: not looked up yet */
    void *instead;               /* is entered in its place, and calls it; NULL: none */
};

#define HOOKS __attribute__((section("hooks"), used, aligned(8)))
extern struct hook __start_hooks[] __attribute__((visibility("hidden")));
extern struct hook __stop_hooks[] __attribute__((visibility("hidden")));

#define HOOK(symbol, function)                                                                       \
    STANDS_BEFORE(symbol)                                                                            \
    HOOKS struct hook hook_##symbol = {#symbol, function, NULL, NULL};                                     \
    __asm__(".text\n.globl before_" #symbol "\n.type before_" #symbol ", @function\nbefore_" #symbol \
            ":\n.cfi_startproc\nlea hook_" #symbol "(%rip), %r11\njmp deaths_hook\n.cfi_endproc\n"   \
            ".size before_" #symbol ", . - before_" #symbol "\n");

/* The definition of the function follows. */
#define HOOK_IN_C(symbol)                                    \
    STANDS_BEFORE(symbol)                                    \
    HOOKS struct hook hook_##symbol = {#symbol, NULL, NULL, NULL};

/* Looked up when it is asked for the first time: hooks_find() does so for all that there are. */
void *next_of(struct hook *hook);
/* So that signal handlers need not look up: what is there already. */
void hooks_find(void);

#endif
