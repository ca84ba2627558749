/** A note for answers in which lines are missing. */
import { whyUnusable } from '../query/history/code-places';

/** One where the gdb of `--gdb`, or of PATH, was asked for lines and cannot be used; else none. */
export function linesNote(gdb: string | undefined): readonly string[] {
  const why = whyUnusable(gdb ?? 'gdb');
  return why === undefined ? [] : [`the program's lines are not known: ${why}`];
}
