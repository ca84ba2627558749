/* layouts.h - the pieces of layouts, for the files that find out how a datatype was made. */
#ifndef MPIDBG_LAYOUTS_H
#define MPIDBG_LAYOUTS_H

#include "watch.h"

/* Each gives one to be given back, or NULL, and takes the layouts that it is given. */
struct layout *layout_new(enum layout_kind kind);
struct layout *layout_floats(enum format format, long count);
/* `count` of what `part` is, `stride` bytes apart. */
struct layout *layout_repeated(struct layout *part, long count, long stride);
/* With room for so many. */
struct layout *layout_parts(long count);
/* `part` alone, so many bytes behind the begin. */
struct layout *layout_moved(struct layout *part, long offset);
/* Instead of this one. */
struct layout *layout_unknown(struct layout *layout);
/* False: the part is not known. */
bool layout_add(struct layout *layout, struct layout *part, long offset);
/* Sets extent and lower bound as MPI tells them. */
void layout_measure(uint64_t type, struct layout *layout);

/* type-contents.c: as layout_of, of a type that the library has taken. */
struct layout *layout_by_contents(uint64_t type);
/* One of MPI's own types, which is there from the begin. */
bool is_named_float(uint64_t type);

/* distributed.c: a part of an array of `element`, `stride` bytes apart. `numbers`: as MPI_Type_get_contents has them. */
struct layout *layout_of_subarray(struct layout *element, long stride, const long *numbers, long count, bool is_large);
struct layout *layout_of_darray(struct layout *element, long stride, const long *numbers, long count, bool is_large);

#endif
