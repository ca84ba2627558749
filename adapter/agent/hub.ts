/**
 * The hub: where agents dial in. It listens on the loopback interface and trusts only peers that prove the job's token,
 * a random secret (proof.ts) that the ranks' agents read from a file on this host, and on others have from the launcher in their
 * environment. After the proof, a peer introduces itself by one message (messages.ts). Further messages follow, except from two kinds of peers: "mi"
 * carries the dialogue with gdb, "helper" the standard input and output of a process on another host.
 *
 * For a job with ranks on other hosts it has a door to the network too (door.ts). There the agents of those hosts dial in,
 * one for each host, and behind each of them are the same connections as on this machine (link.ts).
 */
import { EventEmitter } from 'node:events';
import type { KnownMpis } from '../../plugin-api/mpi/known-mpis';
import { createServer, type AddressInfo, type Server } from 'node:net';
import type { Duplex } from 'node:stream';
import { wordsForAgent } from '../hosts/own-environment';
import { VariablesFile } from '../hosts/variables-file';
import { agentAnywhere, agentHere, agentTexts, type AgentTexts } from './agent-text';
import { Door, type DoorPlace } from './door';
import { LineReader } from './line-reader';
import type { Link } from './link';
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
    private readonly socket: Duplex,
    /** Through which it came from another host; undefined: it runs on this machine. */
    readonly link?: Link,
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
  get stream(): Duplex {
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
  /** The agent of another host. */
  link: [Link];
}

export interface HubOptions {
  /** For the agents of other hosts; default: there are none. */
  door?: DoorPlace;
  /** Milliseconds that a connection has for proving the token and saying who it is. */
  deadline?: number;
}

type AgentEnvironment = Record<'MPIDBG_HUB' | 'MPIDBG_TOKEN' | 'MPIDBG_NAMES', string> &
  Partial<Record<'MPIDBG_DOOR' | keyof AgentTexts, string>>;

/** Connections that have not proved anything yet; more are closed at once. The agents of a big job all come together. */
const maxStrangers = 2048;
/** Bytes; a proof is 129, a hello has a host name. */
const maxLineLength = 4096;

export class Hub extends EventEmitter<HubEvents> {
  private readonly token = newToken();
  private readonly sockets = new Set<Duplex>();
  private strangers = 0;
  private door: Door | undefined;
  private texts: AgentTexts | undefined;
  private file: VariablesFile | undefined;

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
  static async listen(mpis: KnownMpis, { deadline = 10_000, door }: HubOptions = {}): Promise<Hub> {
    const server = createServer({ noDelay: true });
    const hub = new Hub(server, mpis, deadline);
    await new Promise<void>((resolve, reject) => {
      const listen = (host: string): Server => server.listen({ port: 0, host, backlog: maxStrangers });
      server.once('listening', () => resolve());
      server.once('error', () => {
        // A loopback interface may have no IPv4.
        server.once('error', reject);
        listen('::1');
      });
      listen('127.0.0.1');
    });
    if (door !== undefined && door.addresses.length > 0) await hub.openDoor(door);
    return hub;
  }

  /** What an agent needs in its environment; where ranks may be on other hosts, the agent itself, too. */
  get environment(): AgentEnvironment {
    const { address, port } = this.server.address() as AddressInfo;
    const { mpis } = this;
    return {
      MPIDBG_HUB: `${address}:${port}`,
      MPIDBG_TOKEN: this.token.toString('hex'),
      // What has the rank's number, and what the number of ranks.
      MPIDBG_NAMES: `${mpis.variables('rank').join()}:${mpis.variables('size').join()}`,
      ...(this.door === undefined ? {} : { MPIDBG_DOOR: this.door.endpoints.join(), ...this.texts }),
    };
  }

  /** The names of variables that a launcher has to hand to its ranks. */
  get forwarded(): string[] {
    return this.hasDoor ? Object.keys(this.environment) : [];
  }

  /** All agents that a launcher starts have come: nobody else gets in. */
  shutDoor(): void {
    this.door?.shut();
    this.file?.remove();
  }

  /** What a launcher with this environment starts; the words for the agent follow. @throws {Error} of node:fs, see VariablesFile. */
  agentCommand(env: NodeJS.ProcessEnv): readonly string[] {
    if (this.hasDoor) return [...wordsForAgent(env), ...agentAnywhere];
    this.file ??= new VariablesFile(this.environment);
    return [...wordsForAgent(env), ...agentHere, 'at', this.file.path];
  }

  /** Ranks may be on other hosts. */
  get hasDoor(): boolean {
    return this.door !== undefined;
  }

  /** Stops listening and ends every connection. */
  close(): void {
    this.server.close();
    this.door?.close();
    this.file?.remove();
    for (const socket of this.sockets) socket.destroy();
  }

  private async openDoor(place: DoorPlace): Promise<void> {
    try {
      this.texts = await agentTexts();
      this.door = await Door.open(place, this.token, this.deadline, {
        link: (link) => {
          link.on('channel', (channel) => void this.welcome(channel, link));
          this.emit('link', link);
        },
        refused: (why) => this.emit('refused', why),
      });
    } catch (error) {
      this.close();
      throw error;
    }
  }

  private async welcome(socket: Duplex, link?: Link): Promise<void> {
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
      const peer = new Peer(hello, socket, link);
      this.emit('peer', peer);
      if (hello.kind === 'mi' || hello.kind === 'helper') lines.release();
      else void deliver(peer, lines);
    } catch (error) {
      this.refuse(socket, (error as Error).message);
    } finally {
      clearTimeout(late);
      this.strangers -= 1;
    }
  }

  private refuse(socket: Duplex, why: string): void {
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
