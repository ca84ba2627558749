/** GDB/MI Target Manipulation, and inferiors, which the manual has among the miscellaneous commands. */
import { select, type GdbThreadGroup, type MiCommands, type QuietMiCommands } from './context';
import { integer, text, tuples } from './mi-values';

/** A new inferior without a process. Answers its thread group, "i2". */
export async function addInferior(gdb: MiCommands): Promise<string> {
  return text(await gdb.command('-add-inferior --no-connection'), 'inferior');
}

/** One without a process. */
export async function removeInferior({ gdb, threadGroup }: GdbThreadGroup): Promise<void> {
  await gdb.command(`-remove-inferior ${threadGroup}`);
}

/** Resolves before the process has stopped: a *stopped per thread tells that. */
export async function targetAttach(group: GdbThreadGroup, pid: number): Promise<void> {
  await group.gdb.command(`-target-attach ${select(group)} ${pid}`);
}

/** Takes the breakpoints out and lets the process run on. */
export async function targetDetach(group: GdbThreadGroup): Promise<void> {
  await group.gdb.command(`-target-detach ${select(group)}`);
}

/**
 * A core file in the place of a process. Answers gdb's numbers of its threads, of which no event tells. gdb takes the rest
 * of the line for the file's name, blanks and quotes included.
 */
export async function targetSelectCore(
  { gdb, threadGroup }: GdbThreadGroup & { gdb: QuietMiCommands },
  core: string,
): Promise<number[]> {
  const select = `-target-select --thread-group ${threadGroup} core ${core}`;
  await gdb.quietly(select);
  const threads = await threadsOf({ gdb, threadGroup });
  if (threads.length > 0) return threads;
  // gdb has already given the reason; ask again for it, or for the threads this time.
  await gdb.command(select);
  return threadsOf({ gdb, threadGroup });
}

/** gdb's numbers of the threads of an inferior. */
async function threadsOf({ gdb, threadGroup }: GdbThreadGroup): Promise<number[]> {
  const answer = await gdb.command(`-list-thread-groups ${threadGroup}`);
  return tuples(answer, 'threads').map((thread) => integer(thread, 'id'));
}
