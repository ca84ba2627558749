/** A note for answers in which lines are missing. */
import { whyUnusable } from '../query/history/code-places';

/** A note that no lines are known because gdb (`--gdb`, or the one in PATH) cannot be used; empty where it can, or was not needed. */
export function linesNote(gdb: string | undefined): readonly string[] {
  const why = whyUnusable(gdb ?? 'gdb');
  return why === undefined ? [] : [`the program's lines are not known: ${why}`];
}
