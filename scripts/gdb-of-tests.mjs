// The gdb that most suites use: the one in PATH, ignoring installed packages of debug information.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { findOnPath } from './process.mjs';

/**
 * Debian's gdb recommends libc6-dbg, so some machines have it. There every gdb inflates and indexes it as soon as it has a
 * process: a sixth of the processor time of the suites cli, dap and conformance.
 * @returns {{ path: string, remove: () => void }} path: PATH with this gdb first; remove: its folder
 */
export function gdbOfTests() {
  const inherited = process.env.PATH ?? '';
  const gdb = findOnPath('gdb');
  if (gdb === undefined) return { path: inherited, remove: () => undefined };
  const folder = mkdtempSync(join(tmpdir(), 'mpidbg-gdb-'));
  // Some tests run as another user.
  chmodSync(folder, 0o755);
  const script = join(folder, 'gdb');
  writeFileSync(script, `#!/bin/bash\nexec -a gdb '${gdb}' -iex 'set debug-file-directory /nonexistent' "$@"\n`);
  chmodSync(script, 0o755);
  return {
    path: `${folder}${delimiter}${inherited}`,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
