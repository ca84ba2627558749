/** GDB/MI Breakpoint Commands. */
import type { MiCommands } from './context';
import { quote, tuple, type MiTuple } from './mi-values';

/**
 * Inserts a breakpoint in all inferiors of this gdb, pending (-f) where its place is not known yet.
 * Answers the `bkpt` tuple.
 */
export async function breakInsert(
  gdb: MiCommands,
  at: ({ file: string; line: number } | { function: string }) & { condition?: string },
): Promise<MiTuple> {
  const condition = at.condition === undefined ? '' : ` -c ${quote(at.condition)}`;
  const place = 'function' in at ? `--function ${quote(at.function)}` : `--source ${quote(at.file)} --line ${at.line}`;
  return tuple(await gdb.command(`-break-insert -f${condition} ${place}`), 'bkpt');
}

/** A breakpoint in one inferior that deletes itself when it is hit. Answers gdb's number. */
export async function breakDelete(gdb: MiCommands, number: string): Promise<void> {
  await gdb.command(`-break-delete ${number}`);
}
