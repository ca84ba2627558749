/**
 * The hub: where agents dial in. It listens on the loopback interface and trusts only peers that prove the job's token,
 * a random secret that the launcher hands to its ranks in their environment (proof.ts). What follows the proof is one
 * message that says who it is (messages.ts), and then messages, or for the kind "mi" the dialogue with gdb.
 */
import { EventEmitter } from 'node:events';
import type { KnownMpis } from '../../plugin-api/mpi/known-mpis';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { LineReader } from './line-reader';
import { formatMessage, parseMessage, type Message } from './messages';
import { newToken, proveToken } from './proof';

interface PeerEvents {
  message: [Message];
  closed: [];
}

/** An agent that has proved the token and said who it is. */
export class Peer extends EventEmitter<PeerEvents> {
  private hasClosed = false;

  constructor(
    /** Its first message. */
    readonly hello: Message,
    private readonly socket: Socket,
  ) {
    super();
    socket.on('close', () => {
      this.hasClosed = true;
      this.emit('closed');
    });
  }

  get isClosed(): boolean {
    return this.hasClosed;
  }

  /** The stream behind the hello, for a dialogue that is not made of messages. */
  get stream(): Socket {
    return this.socket;
  }

  /** No effect for an agent that is gone; 'closed' has reported it. */
  send(kind: string, fields?: Readonly<Record<string, string | number>>): void {
    if (this.socket.writable) this.socket.write(`${formatMessage(kind, fields)}\n`);
  }

  close(): void {
    this.socket.destroy();
  }
}

interface HubEvents {
  peer: [Peer];
  /** A connection that did not prove the token or broke the protocol, and why. It has been closed. */
  refused: [why: string];
}

export interface HubOptions {
  /** Milliseconds that a connection has for proving the token and saying who it is. */
  deadline?: number;
}

/** Connections that have not proved anything yet; more are closed at once. The agents of a big job all come together. */
const maxStrangers = 2048;
/** Bytes; a proof is 129, a hello has a host name. */
const maxLineLength = 4096;

export class Hub extends EventEmitter<HubEvents> {
  private readonly token = newToken();
  private readonly sockets = new Set<Socket>();
  private strangers = 0;

  private constructor(
    private readonly server: Server,
    readonly mpis: KnownMpis,
    private readonly deadline: number,
  ) {
    super();
    // Every gdb that starts listens for its guardian.
    this.setMaxListeners(0);
    server.on('connection', (socket) => void this.welcome(socket));
  }

  /** Its agents know their ranks by what the launchers of these MPIs tell them. */
  static listen(mpis: KnownMpis, { deadline = 10_000 }: HubOptions = {}): Promise<Hub> {
    return new Promise((resolve, reject) => {
      const server = createServer({ noDelay: true });
      const hub = new Hub(server, mpis, deadline);
      const listen = (host: string): Server => server.listen({ port: 0, host, backlog: maxStrangers });
      server.once('listening', () => resolve(hub));
      server.once('error', () => {
        // A loopback interface may have no IPv4.
        server.once('error', reject);
        listen('::1');
      });
      listen('127.0.0.1');
    });
  }

  /** What an agent needs in its environment. */
  get environment(): Record<'MPIDBG_HUB' | 'MPIDBG_TOKEN' | 'MPIDBG_NAMES', string> {
    const { address, port } = this.server.address() as AddressInfo;
    const { mpis } = this;
    return {
      MPIDBG_HUB: `${address}:${port}`,
      MPIDBG_TOKEN: this.token.toString('hex'),
      // What has the rank's number, and what the number of ranks.
      MPIDBG_NAMES: `${mpis.variables('rank').join()}:${mpis.variables('size').join()}`,
    };
  }

  /** Stops listening and ends every connection. */
  close(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private async welcome(socket: Socket): Promise<void> {
    this.sockets.add(socket);
    socket.on('close', () => this.sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    if (this.strangers >= maxStrangers) {
      this.refuse(socket, 'too many connections at once');
      return;
    }
    this.strangers += 1;
    const late = setTimeout(() => this.refuse(socket, 'it took too long to prove the token'), this.deadline);
    try {
      const lines = new LineReader(socket, maxLineLength);
      await proveToken(socket, lines, this.token);
      const hello = parseMessage(await lines.next());
      if (hello === undefined) throw new Error('its first message is not valid');
      const peer = new Peer(hello, socket);
      this.emit('peer', peer);
      if (hello.kind === 'mi') lines.release();
      else void deliver(peer, lines);
    } catch (error) {
      this.refuse(socket, (error as Error).message);
    } finally {
      clearTimeout(late);
      this.strangers -= 1;
    }
  }

  private refuse(socket: Socket, why: string): void {
    if (socket.destroyed) return;
    socket.destroy();
    this.emit('refused', why);
  }
}

async function deliver(peer: Peer, lines: LineReader): Promise<void> {
  try {
    for (;;) {
      const message = parseMessage(await lines.next());
      if (message === undefined) break;
      peer.emit('message', message);
    }
  } catch {
    // The connection has ended; Peer tells that.
  }
  peer.close();
}
