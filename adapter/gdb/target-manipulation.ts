/** GDB/MI Target Manipulation, and inferiors, which the manual has among the miscellaneous commands. */
import { select, type GdbThreadGroup, type MiCommands } from './context';
import { text } from './mi-values';

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
 * A core file in the place of a process; its threads are told by events before this resolves. gdb takes the rest of the
 * line for its name, blanks and quotes included.
 */
export async function targetSelectCore(group: GdbThreadGroup, core: string): Promise<void> {
  await group.gdb.command(`-target-select ${select(group)} core ${core}`);
}
