/**
 * The connections of a server. One that has not sent initialize may be anybody's, for example a browser's. It has ten
 * seconds, and a newer one replaces it when there are too many, so that silent connections keep no client out.
 */
import type { Socket } from 'node:net';

export interface ConnectionLimits {
  readonly maxConnections: number;
  /** From the connection to the last byte of initialize; and from the end of a session to the connection's. */
  readonly maxSilentMs: number;
}

export const connectionLimits: ConnectionLimits = { maxConnections: 64, maxSilentMs: 10_000 };

/** Calls back after this time; returns a function that cancels it. */
export type StartTimer = (afterMs: number, callback: () => void) => () => void;

const startTimer: StartTimer = (afterMs, callback) => {
  const timer = setTimeout(callback, afterMs);
  return () => clearTimeout(timer);
};

/** A connection of the server. */
export interface Guest {
  readonly socket: Socket;
  /** It has sent initialize, and may stay. */
  readonly admit: () => void;
  /** Closes it once everything is sent. */
  readonly end: () => void;
}

export class ClientConnections {
  /** All that are open; those that have sent initialize have no timer. The oldest is the first. */
  private readonly open = new Map<Socket, { stopTimer: (() => void) | undefined }>();

  constructor(
    private readonly serve: (guest: Guest) => void,
    private readonly limits: ConnectionLimits = connectionLimits,
    private readonly timer: StartTimer = startTimer,
  ) {}

  enter(socket: Socket): void {
    socket.on('error', () => socket.destroy());
    if (this.open.size >= this.limits.maxConnections && !this.makeRoom()) {
      socket.destroy();
      return;
    }
    const entry = { stopTimer: this.destroyLater(socket) as (() => void) | undefined };
    this.open.set(socket, entry);
    socket.once('close', () => this.forget(socket));
    this.serve({
      socket,
      admit: () => {
        entry.stopTimer?.();
        entry.stopTimer = undefined;
      },
      end: () => {
        entry.stopTimer ??= this.destroyLater(socket);
        socket.end(() => socket.destroy());
      },
    });
  }

  private makeRoom(): boolean {
    const oldest = [...this.open].find(([, { stopTimer }]) => stopTimer !== undefined)?.[0];
    oldest?.destroy();
    if (oldest !== undefined) this.forget(oldest);
    return oldest !== undefined;
  }

  private destroyLater(socket: Socket): () => void {
    return this.timer(this.limits.maxSilentMs, () => socket.destroy());
  }

  private forget(socket: Socket): void {
    this.open.get(socket)?.stopTimer?.();
    this.open.delete(socket);
  }
}
