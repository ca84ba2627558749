/**
 * Where the agents of other hosts dial in: at addresses that the network can reach, so anybody may come. Before the proof
 * (proof.ts) nothing is done for him but to read two short lines, and there is a limit to how many may try at once and for how
 * long; after it every frame is proved again (signed-messages.ts).
 */
import type { PortRange } from '../../plugin-api/batch/batch-system';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { Doorstep } from './doorstep';
import { LineReader } from './line-reader';
import { Link } from './link';
import { proveToken } from './proof';

/** Connections that have proved nothing yet; see Doorstep. */
const maxStrangers = 512;
/** Connections that the kernel has made and we have not looked at, which cost little; what is beyond them has to try again after a second. */
const maxWaiting = 4096;
/** Bytes of a line before the proof. */
const maxLineLength = 256;

/** Where agents of other hosts dial in. */
export interface DoorPlace {
  /** Addresses of this machine that the other hosts can reach; empty: there are no other hosts. */
  readonly addresses: readonly string[];
  /** The only ports that may be used; undefined: any free port. */
  readonly ports?: PortRange | undefined;
}

interface DoorEvents {
  /** The agent of a host, which has proved the token and said its name. */
  link(link: Link): void;
  refused(why: string): void;
}

export class Door {
  private readonly strangers = new Doorstep(maxStrangers);
  private readonly links = new Set<Link>();
  private servers: Server[] = [];
  /** "10.0.0.1:41234" */
  endpoints: readonly string[] = [];
  /** Agents whose link was lost: they may come back. */
  private missing = 0;
  private isShut = false;
  private hasClosed = false;

  private constructor(
    private readonly token: Buffer,
    private readonly deadline: number,
    private readonly events: DoorEvents,
  ) {}

  /** Rejects with Node's own error where it cannot listen. */
  static async open(
    { addresses, ports }: DoorPlace,
    token: Buffer,
    deadline: number,
    events: DoorEvents,
  ): Promise<Door> {
    const door = new Door(token, deadline, events);
    try {
      door.endpoints = await Promise.all(addresses.map((host) => door.listenAt(host, ports)));
      return door;
    } catch (error) {
      door.close();
      throw error;
    }
  }

  /** Nobody else is expected, until a link is lost: those who have proved the token stay. */
  shut(): void {
    this.isShut = true;
    for (const server of this.servers.splice(0)) server.close();
    for (const socket of this.strangers.all) socket.destroy();
  }

  close(): void {
    this.hasClosed = true;
    this.shut();
    for (const link of this.links) link.close();
  }

  private async welcome(socket: Socket): Promise<void> {
    socket.on('error', () => socket.destroy());
    const leaving = this.strangers.admit(socket);
    if (leaving !== undefined) this.refuse(leaving, 'too many came from its address');
    const late = setTimeout(() => this.refuse(socket, 'it took too long to prove the token'), this.deadline);
    try {
      const lines = new LineReader(socket, maxLineLength);
      const keys = await proveToken(socket, lines, this.token, 'node');
      lines.release();
      const link = new Link(socket, keys);
      this.links.add(link);
      link.once('node', () => {
        clearTimeout(late);
        this.strangers.leave(socket);
        if (this.missing > 0 && --this.missing === 0) this.shut();
        this.events.link(link);
      });
      link.once('closed', (why) => {
        clearTimeout(late);
        this.links.delete(link);
        if (this.strangers.has(socket)) this.events.refused(why);
        else this.waitForIt();
      });
    } catch (error) {
      clearTimeout(late);
      this.refuse(socket, (error as Error).message);
    }
  }

  /** Listens where its agent knows us. */
  private waitForIt(): void {
    if (this.hasClosed || !this.isShut) return;
    if (++this.missing > 1) return;
    for (const endpoint of this.endpoints) {
      const [, host = '', port] = /^(.*):(\d+)$/.exec(endpoint) ?? [];
      this.listen(host, Number(port)).catch((error: unknown) => this.events.refused((error as Error).message));
    }
  }

  private async listenAt(host: string, ports: PortRange | undefined): Promise<string> {
    for (const port of ports === undefined ? [0] : fromAnyOf(ports)) {
      try {
        return await this.listen(host, port);
      } catch (error) {
        if (ports === undefined || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
      }
    }
    throw new Error(`no port from ${ports!.first} to ${ports!.last}, which ${ports!.setting} allows, is free`);
  }

  private listen(host: string, port: number): Promise<string> {
    const server = createServer({ noDelay: true }, (socket) => void this.welcome(socket));
    this.servers.push(server);
    return listen(server, host, port);
  }

  private refuse(socket: Socket, why: string): void {
    if (socket.destroyed) return;
    socket.destroy();
    this.events.refused(why);
  }
}

/** From a random one on, as other programs look for a free port in the same range. */
function fromAnyOf({ first, last }: PortRange): number[] {
  const count = last - first + 1;
  const start = Math.floor(Math.random() * count);
  return Array.from({ length: count }, (_, index) => first + ((start + index) % count));
}

function listen(server: Server, host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, backlog: maxWaiting }, () => {
      const { address, port } = server.address() as AddressInfo;
      resolve(`${address}:${port}`);
    });
  });
}
