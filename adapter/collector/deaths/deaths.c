/* deaths.c - what is loaded into ranks to see how they die. */
#include "record.h"

_Static_assert(sizeof(struct mpidbg_death) % 8 == 0, "no padding that differs");
