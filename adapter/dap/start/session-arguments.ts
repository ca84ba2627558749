/** The attributes of launch.json about the session itself, which a launch and an attach share. */
import { Attributes } from './launch-arguments';

/** Minutes that a session is kept when its client is lost: as long as VS Code itself waits for a window to come back. */
export const defaultKeepSession = 180;

/** A week: timers cannot be longer than 24 days. */
const maxKeepSession = 7 * 24 * 60;

export interface SessionArguments {
  /** What the user calls the configuration. */
  name: string;
  /** Minutes; 0: the session ends with its client. */
  keepSession: number;
}

/** Throws RequestError. */
export function parseSessionArguments(raw: unknown): SessionArguments {
  const given = new Attributes(raw);
  return {
    name: given.text('name') ?? '',
    keepSession: Math.min(given.amount('keepSession') ?? defaultKeepSession, maxKeepSession),
  };
}

/** The client does not want another job: it takes up a session that was kept. */
export function isReturn(raw: unknown): boolean {
  return new Attributes(raw).has('keptSession');
}
