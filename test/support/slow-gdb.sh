#!/bin/sh
# A gdb that takes its time to start: for tests of what happens when the user has none.
sleep 5
exec gdb "$@"
