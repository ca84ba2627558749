/**
 * The client of a session, whichever it is now. While there is none, what a client cannot ask for later is kept for the
 * next one: what the job prints, and its end.
 */
import { consoleLine, type Client, type DapConnection, type EventBodies } from './connection';
import { logDefect } from './log';

/** Characters of output. Of more, the latest are kept. */
export const maxMissed = 1 << 20;

const kept = ['output', 'exited', 'terminated'] as const;
type Kept = (typeof kept)[number];

export class ReturningClient implements Client {
  private connection: DapConnection | undefined;
  /** Undefined while nothing is missed. */
  private missed: { tell: () => void; length: number }[] | undefined;
  private length = 0;
  private isCut = false;

  connect(connection: DapConnection): void {
    this.connection = connection;
  }

  /** From now on, it is missed. */
  leave(): void {
    this.connection = undefined;
    this.missed ??= [];
  }

  /** The client that has come is told what was missed. */
  catchUp(): void {
    const { missed = [], isCut } = this;
    this.missed = undefined;
    this.length = 0;
    this.isCut = false;
    if (isCut) this.say('what the job printed first while there was no client is not kept');
    for (const { tell } of missed) tell();
  }

  know(client: Parameters<DapConnection['know']>[0]): void {
    this.connection?.know(client);
  }

  send<Name extends keyof EventBodies>(name: Name, body: EventBodies[Name]): void {
    if (this.missed === undefined) this.connection?.send(name, body);
    else if (kept.includes(name as Kept)) this.keep(() => this.connection?.send(name, body), lengthOf(body));
  }

  say(line: string): void {
    this.send('output', consoleLine(line));
  }

  catchingUp(): Promise<void> | undefined {
    return this.missed === undefined ? this.connection?.catchingUp() : undefined;
  }

  defect(during: string, error: unknown): void {
    if (this.missed === undefined) this.connection?.defect(during, error);
    else logDefect(during, error);
  }

  private keep(tell: () => void, length: number): void {
    this.missed?.push({ tell, length });
    this.length += length;
    while (this.length > maxMissed) {
      this.length -= this.missed?.shift()?.length ?? this.length;
      this.isCut = true;
    }
  }
}

function lengthOf(body: EventBodies[keyof EventBodies]): number {
  return body !== undefined && 'output' in body ? body.output.length : 0;
}
