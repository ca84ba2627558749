/* signal-frame.h - where the kernel has put the frame of a handler. From signals only. `frame`: where the handler's return address is. */
#ifndef MPIDBG_DEATHS_SIGNAL_FRAME_H
#define MPIDBG_DEATHS_SIGNAL_FRAME_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

/* The thread was on another stack when the signal came. */
bool is_moved_to(const ucontext_t *context, const void *frame);
/* The bytes from the frame to its place on that other stack; 0: that one has no room left. */
int64_t way_to_own_stack(const ucontext_t *context, const void *frame);
/* The frame is at its place, too. */
void move_frame(const ucontext_t *context, const void *frame, int64_t way);

#endif
