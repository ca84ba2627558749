#!/bin/sh
# A gdb that somebody interrupts while it starts.
echo KeyboardInterrupt >&2
kill -INT $$
