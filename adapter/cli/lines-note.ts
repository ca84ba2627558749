/** A note for answers in which lines are missing. */
import { whyUnusable } from '../query/history/code-places';

/** One note where gdb (of `--gdb`, or in PATH) was asked for lines and cannot be used; otherwise none. */
export function linesNote(gdb: string | undefined): readonly string[] {
  const why = whyUnusable(gdb ?? 'gdb');
  return why === undefined ? [] : [`the program's lines are not known: ${why}`];
}
