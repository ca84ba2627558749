/** How a process has ended. */
import { constants } from 'node:os';

/** A status as wait(2) gives it. */
export function endOf(status: number): { exitCode: number } | { signal: string } {
  const number = status & 127;
  return number === 0 ? { exitCode: status >> 8 } : { signal: signalName(number) };
}

/** "SIGSEGV" */
export function signalName(number: number): string {
  const found = Object.entries(constants.signals).find(([, value]) => value === number);
  return found?.[0] ?? `signal ${number}`;
}

/** The end of a sentence about the process; of a status as wait(2) gives it. */
export function howEndedBy(status: number): string {
  const end = endOf(status);
  return 'signal' in end ? howEnded(null, end.signal) : howEnded(end.exitCode, null);
}

/** The same, as Node tells it. */
export function howEnded(exitCode: number | null, signal: string | null): string {
  if (signal !== null) return `was killed by ${signal}`;
  return exitCode === null ? 'has ended' : `ended with status ${exitCode}`;
}
