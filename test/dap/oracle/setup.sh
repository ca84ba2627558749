#!/bin/bash
# Installs cdt-gdb-adapter, which test/dap/oracle.test.ts compares with, below this folder. What it would compile is for
# its terminals and is not needed. A second run does nothing unless the lock file changed.
set -euo pipefail
cd "$(dirname "$0")"

stamp=node_modules/.installed
if cmp --silent package-lock.json "$stamp"; then exit 0; fi

npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
cp package-lock.json "$stamp"
