/** The answers of a session on core files to requests that need a process. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import { assigns, effectOf } from '../../gdb/user-command';
import { coreCannotRun } from '../client/errors';

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
  const command = /^\s*-exec\s+(.*)$/s.exec(expression)?.[1];
  const effect = command === undefined ? (assigns(expression) ? 'assigns' : undefined) : effectOf(command);
  if (effect === 'runs') throw coreCannotRun('run');
  if (effect === 'assigns') throw coreCannotRun('be changed');
}
