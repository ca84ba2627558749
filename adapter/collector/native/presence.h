/*
 * presence.h - what the libraries of this process define, also those that are loaded for others alone, and what a library with functions
 * that stand before theirs (names.h) tells of them. Each such library has presence.c in it.
 */
#ifndef MPIDBG_PRESENCE_H
#define MPIDBG_PRESENCE_H

#include <stdbool.h>

/* The first definition of this name behind this library. */
void *next_symbol(const char *name);
/* The first one behind the library that has this address. */
void *symbol_behind(const char *name, const void *behind);
/* As the program sees it: the first of all. */
void *first_symbol(const char *name);

/* The library has these three. Whether its functions are to stand before others at all; asked when the process starts. */
bool presence_is_wanted(void);
/* Whether it may have a function of this name: asked for every name that is referred to. */
bool presence_covers(const char *name);
/* Something has been unloaded: definitions that were found before may be gone. */
void presence_has_lost(void);

#endif
