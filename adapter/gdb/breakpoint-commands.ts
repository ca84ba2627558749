/** GDB/MI Breakpoint Commands and Catchpoint Commands. */
import type { MiCommands } from './context';
import { optionalText, quote, text, tuple, tuples, type MiTuple } from './mi-values';

export type BreakpointPlace = ({ file: string; line: number } | { function: string }) & { condition?: string };

/**
 * Inserts a breakpoint in all inferiors of this gdb. One whose place is not known yet waits for a library to bring it
 * ('pending'), or is refused with GdbError ('now'). Answers the `bkpt` tuple.
 */
export async function breakInsert(
  gdb: MiCommands,
  at: BreakpointPlace,
  unknownPlace: 'pending' | 'now' = 'pending',
): Promise<MiTuple> {
  const pending = unknownPlace === 'pending' ? ' -f' : '';
  const condition = at.condition === undefined ? '' : ` -c ${quote(at.condition)}`;
  const place = 'function' in at ? `--function ${quote(at.function)}` : `--source ${quote(at.file)} --line ${at.line}`;
  return tuple(await gdb.command(`-break-insert${pending}${condition} ${place}`), 'bkpt');
}

/** The function that has this line, as gdb names it; undefined where there is no code yet. Rejects with GdbError. */
export async function functionAt(gdb: MiCommands, file: string, line: number): Promise<string | undefined> {
  // A breakpoint is what gdb tells it of. This one is disabled: nothing can hit it.
  const answer = await gdb.command(`-break-insert -f -d --source ${quote(file)} --line ${line}`);
  const bkpt = tuple(answer, 'bkpt');
  await breakDelete(gdb, text(bkpt, 'number'));
  return [bkpt, ...tuples(bkpt, 'locations')].map((at) => optionalText(at, 'func')).find((name) => name !== undefined);
}

export async function breakDelete(gdb: MiCommands, number: string): Promise<void> {
  await gdb.command(`-break-delete ${number}`);
}

/** Stops every process of this gdb that execs. MI has no command for it. Answers gdb's number. */
export async function catchExec(gdb: MiCommands): Promise<string> {
  const printed = await gdb.console('catch exec');
  return /Catchpoint (\d+)/.exec(printed)?.[1] ?? '';
}
