#!/bin/sh
# A gdb that says it is 11.2, and answers everything else with success.
while read -r line; do
    token=${line%%-*}
    case $line in
    *"show version"*) printf '%s\n' '~"GNU gdb (GDB) 11.2\n"' ;;
    esac
    printf '%s\n' "$token^done"
done
