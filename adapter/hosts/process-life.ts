/** Whether a process lives, from what the kernel writes in /proc/PID/stat. */

export interface ProcessLife {
  /** Tells the process from a later one with the same pid. */
  startTime: string;
  /** How a process ended that nobody has waited for, as wait(2) gives it. */
  endStatus: number | undefined;
  stopped: 'bySignal' | 'byDebugger' | undefined;
}

/** `state`: as in proc(5). */
export function lifeOf(state: string, startTime: string, endStatus: number): ProcessLife {
  const ended = state === 'Z' || state === 'X';
  return { startTime, endStatus: ended ? endStatus : undefined, stopped: stopOf(state) };
}

/** `state`: as in proc(5). */
export function stopOf(state: string): ProcessLife['stopped'] {
  return state.startsWith('T') ? 'bySignal' : state.startsWith('t') ? 'byDebugger' : undefined;
}

export function parseLife(stat: string): ProcessLife {
  // The second field, the name, may hold blanks and parentheses; behind it the first is the state, the others are numbers.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return lifeOf(fields[0] ?? '', fields[19] ?? '', Number(fields[49]));
}
