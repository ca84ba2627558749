/** The answers of a session on core files to requests that need a process. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import { isAssignment } from '../../gdb/mi/look';
import { coreCannotRun } from '../client/errors';

/** gdb commands (and the abbreviations that it accepts) that would start a process or drop the core file. */
const runningCommands =
  /^(r|run|start|starti|c|cont|continue|fg|s|step|si|stepi|n|next|ni|nexti|u|until|advance|fin|finish|j|jump|call|k|kill|signal|attach|detach|disconnect|target|tar|core|core-file|file|exec-file|checkpoint|restart|record|rc|reverse-\w+)\b/;

/** The answer to a request that sets so many breakpoints. */
export function nothingStopsHere(breakpoints: readonly unknown[]): { breakpoints: DebugProtocol.Breakpoint[] } {
  const message = 'cannot stop here: this is a core file';
  return { breakpoints: breakpoints.map(() => ({ verified: false, message, reason: 'failed' })) };
}

/**
 * Throws RequestError for what would run or change the process. gdb itself would only say that it cannot access the
 * memory.
 */
export function checkLooksOnly(expression: string): void {
  const ofGdb = /^\s*-exec\s+(.*)$/s.exec(expression)?.[1];
  if (ofGdb !== undefined && runningCommands.test(ofGdb)) throw coreCannotRun('run');
  const changing = ofGdb === undefined ? expression : /^(?:set\s+var\w*|p|print|output)\b(.*)$/s.exec(ofGdb)?.[1];
  // gdb's own variables, as in "$i = 3", are in no process.
  if (changing !== undefined && !/^\s*\$/.test(changing) && isAssignment(changing, 'unknown'))
    throw coreCannotRun('be changed');
}
