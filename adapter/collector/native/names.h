/* names.h - functions that stand before those of other libraries. */
#ifndef MPIDBG_NAMES_H
#define MPIDBG_NAMES_H

#include <string.h>

/* Such a function is BEFORE(name). Its name is hidden, in a version of ours (names.map), until presence.c shows it. */
#define STANDS_BEFORE(name) __asm__(".symver before_" #name ", " #name "@MPIDBG");
#define BEFORE(name) __attribute__((visibility("default"))) before_##name

/* A variable that keeps the next definition of such a name: as long as the library that has it. */
#define NEXT_DEFINITION __attribute__((section("next_definitions")))
extern char __start_next_definitions[] __attribute__((visibility("hidden")));
extern char __stop_next_definitions[] __attribute__((visibility("hidden")));

static inline void forget_next_definitions(void)
{
    memset(__start_next_definitions, 0, (size_t)(__stop_next_definitions - __start_next_definitions));
}

#endif
