/** Lets a session whose client is lost be found by the next one, for some time. */
import { rmSync } from 'node:fs';
import type { HostProcess } from '../../hosts/host-process';
import { logDefect } from './log';
import { writeRecord, type KeptSession, type SessionPlace } from './session-folder';

/** Milliseconds between two looks whether the editor lives. */
const look = 500;

export class SessionKeeper {
  private timers: NodeJS.Timeout[] = [];

  private constructor(
    private readonly place: SessionPlace,
    private readonly editor: HostProcess,
    private readonly editorStart: string | undefined,
  ) {}

  /** `editor`: the process without which no client comes back, since it was shut down and not lost. */
  static async of(place: SessionPlace, editor: HostProcess): Promise<SessionKeeper> {
    return new SessionKeeper(place, editor, await startOf(editor));
  }

  /** It is found, but need not be: it has a client. */
  hasClient(session: KeptSession): void {
    this.stopTimers();
    try {
      writeRecord(this.place, session);
    } catch (error) {
      // The disk is full: the session goes on, and cannot be found.
      logDefect('the record of a session', error);
    }
  }

  /** `over` is called after these minutes, and when the editor has ended. */
  keep(session: KeptSession, minutes: number, over: () => void): void {
    this.hasClient(session);
    const lookAgain = async (): Promise<void> => {
      const start = await startOf(this.editor);
      if (start === undefined || start !== this.editorStart) over();
    };
    this.timers = [setTimeout(over, minutes * 60_000), setInterval(() => void lookAgain(), look)];
  }

  /** It ends. */
  clear(): void {
    this.stopTimers();
    rmSync(this.place.record, { force: true });
  }

  private stopTimers(): void {
    for (const timer of this.timers) clearTimeout(timer);
    this.timers = [];
  }
}

/** Undefined when it has ended. */
async function startOf(editor: HostProcess): Promise<string | undefined> {
  const life = await editor.life().catch(() => undefined);
  return life === undefined || life.endStatus !== undefined ? undefined : life.startTime;
}
