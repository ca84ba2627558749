/** The terminal that we run in. */
import { readFileSync } from 'node:fs';

/** Whether the terminal sends its signals to us, and to all others of our process group. */
export function isInForeground(): boolean {
  const stat = readFileSync('/proc/self/stat', 'latin1');
  // Behind the name: state, parent, process group, session, terminal, and the process group in its foreground.
  const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return group === foreground;
}

/** Does to this process what the signal does where nobody listens: it stops, unless nobody could let it go on. */
export function takeSignal(name: NodeJS.Signals): void {
  process.kill(process.pid, name);
}
