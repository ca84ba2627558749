/** Whether a process lives, from what the kernel writes in /proc/PID/stat. */

export interface ProcessLife {
  /** Tells the process from a later one with the same pid. */
  startTime: string;
  /** Of a process that has ended and that nobody has waited for: how, as wait(2) gives it. */
  endStatus: number | undefined;
}

export function parseLife(stat: string): ProcessLife {
  // The second field, the name, may hold blanks and parentheses; behind it the first is the state, the others are numbers.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ended = fields[0] === 'Z' || fields[0] === 'X';
  return { startTime: fields[19] ?? '', endStatus: ended ? Number(fields[49]) : undefined };
}
