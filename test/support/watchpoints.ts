/** Whether this machine's processor reports watched memory, told by a plain gdb: in some virtual machines it never does. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { openWorkshop, type Workshop } from './compile';

const writer = 'volatile int written; int main(void) { written = 1; written = 2; return 0; }';

let areReported: boolean | undefined;

export function watchpointsAreReported(): boolean {
  return (areReported ??= tried());
}

function tried(): boolean {
  const workshop = openWorkshop();
  try {
    const program = workshop.compile('writer', writer, 'gcc', ['-g']);
    const commands = ['break main', 'run', 'watch written', 'continue', 'printf "it is %d\\n", written'];
    const options = ['-nx', '-q', '-batch', ...commands.flatMap((command) => ['-ex', command]), program];
    const printed = execFileSync('gdb', options, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
    // A program that has ended has the value of its file.
    const value = /^it is (\d)$/m.exec(printed)?.[1];
    assert.ok(value === '0' || value === '1', printed);
    return value === '1';
  } finally {
    workshop.close();
  }
}

/** Asserts what a user is told here: answers whether the breakpoints are set, or all refused because none would be hit. */
export function areWatched(breakpoints: readonly DebugProtocol.Breakpoint[]): boolean {
  const isReported = watchpointsAreReported();
  for (const { verified, message } of breakpoints)
    if (isReported) assert.equal(verified, true, message);
    else assertRefused({ verified, message });
  return isReported;
}

export function assertRefused({ verified, message }: DebugProtocol.Breakpoint): void {
  assert.equal(verified, false);
  assert.match(message ?? '', /^the processor of \S+ takes data breakpoints and reports none/);
}

/** A gdb as on a machine that reports none. */
export function gdbWithoutWatchpoints(workshop: Workshop): string {
  const source = join(__dirname, 'unreported-watchpoints.c');
  const library = join(workshop.directory, 'unreported-watchpoints.so');
  execFileSync('gcc', ['-shared', '-fPIC', '-o', library, source, '-ldl']);
  const gdb = join(workshop.directory, 'gdb-without-watchpoints');
  writeFileSync(gdb, `#!/bin/sh\nLD_PRELOAD='${library}' exec gdb "$@"\n`, { mode: 0o755 });
  return gdb;
}
