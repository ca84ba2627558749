/**
 * Whether the processor of a host reports that watched memory was written. On some virtual machines gdb sets hardware
 * watchpoints without an error, and none is ever hit: only a trial shows that.
 */
import type { GdbHost } from '../hosts/host';
import { Gdb } from './gdb';
import { UnusableGdbError } from './unusable-gdb';
import { inSomeEnvironment } from './gdb-environment';
import { GdbError, GdbLostError } from './mi/mi-connection';
import { gdbSet } from './mi/support-commands';
import type { GdbStop } from './stop-record';

/** A program that is on every host; as it ends at once, nothing is lost when nothing stops it. */
const program = { file: '/bin/sh', arguments: '-c :' };

/** The word that x86-64's first call or push writes; a program has made one of them after so many instructions. */
const word = '*(long *) ($sp - 8)';
const firstInstructions = 4;

/**
 * Lets a gdb of its own, on that host, watch a word that a program is about to write. undefined: it cannot be told. Takes a
 * fraction of a second. Rejects as GdbHost.startGdb does.
 */
export async function tryWatchpoint(host: GdbHost, gdbPath: string): Promise<boolean | undefined> {
  return inSomeEnvironment((without) => tryIn(host, gdbPath, without));
}

async function tryIn(host: GdbHost, gdbPath: string, without: readonly string[]): Promise<boolean | undefined> {
  const started = await host.startGdb(gdbPath, without);
  let gdb: Gdb | undefined;
  try {
    gdb = await Gdb.connect(gdbPath, started.mi);
    return await isReported(gdb);
  } catch (error) {
    if (gdb === undefined && error instanceof GdbLostError) throw new UnusableGdbError(error.message, true);
    if (error instanceof GdbError) return undefined;
    throw error;
  } finally {
    gdb?.end();
    await started.end();
  }
}

async function isReported(gdb: Gdb): Promise<boolean | undefined> {
  await gdbSet(gdb, 'startup-with-shell', 'off');
  await gdb.console(`file ${program.file}`);
  await gdb.console(`set args ${program.arguments}`);
  if (!(await isWrittenAtOnce(gdb))) return undefined;
  await nextStop(gdb, 'starti');
  await gdb.console(`watch -l ${word}`);
  const stop = await nextStop(gdb, 'continue');
  if (stop.cause?.kind === 'watch') return true;
  return stop.cause?.kind === 'end' ? false : undefined;
}

/** Checks, without a watchpoint, that the program does write the word. */
async function isWrittenAtOnce(gdb: Gdb): Promise<boolean> {
  await nextStop(gdb, 'starti');
  await gdb.console('set $watched = (long *) ($sp - 8)');
  await gdb.console('set $before = *$watched');
  await nextStop(gdb, `stepi ${firstInstructions}`);
  const isWritten = (await gdb.console('output *$watched != $before')) === '1';
  await gdb.console('kill');
  return isWritten;
}

function nextStop(gdb: Gdb, command: string): Promise<GdbStop> {
  return new Promise((resolve, reject) => {
    gdb.once('stopped', resolve);
    gdb.once('closed', (how) => reject(new GdbError(`gdb ${how}`, command)));
    gdb.console(command).catch(reject);
  });
}
