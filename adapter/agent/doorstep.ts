/**
 * Connections that have not proved the token yet. There is room for only so many. When it is full, the oldest connection from the address
 * with the most of them has to go: a host that floods us loses its own places, and the agent of another host keeps its place.
 */
import type { Socket } from 'node:net';

export class Doorstep {
  /** Their addresses, the oldest first. */
  private readonly addresses = new Map<Socket, string>();

  constructor(private readonly room: number) {}

  /** Returns the connection that has to go for it; undefined: none. */
  admit(socket: Socket): Socket | undefined {
    // One that is closed already has no address.
    this.addresses.set(socket, socket.remoteAddress ?? '');
    socket.once('close', () => this.leave(socket));
    return this.addresses.size > this.room ? this.oldestOfMost() : undefined;
  }

  has(socket: Socket): boolean {
    return this.addresses.has(socket);
  }

  /** It has proved the token, or is closed. */
  leave(socket: Socket): void {
    this.addresses.delete(socket);
  }

  get all(): readonly Socket[] {
    return [...this.addresses.keys()];
  }

  private oldestOfMost(): Socket | undefined {
    const counts = new Map<string, number>();
    for (const address of this.addresses.values()) counts.set(address, (counts.get(address) ?? 0) + 1);
    const most = Math.max(...counts.values());
    return this.all.find((socket) => counts.get(this.addresses.get(socket) ?? '') === most);
  }
}
