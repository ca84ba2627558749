/**
 * Where ranks that are about to die announce themselves: a socket in a folder that only the user can enter, and on other hosts one of their
 * agents. Whoever connects sends one record and waits for a byte. How many may wait, how much they may send, and for how long, is bounded.
 */
import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import type { Death } from '../../../plugin-api/deaths/death';
import type { Host } from '../../hosts/host';
import { localHost } from '../../hosts/local-host';
import { temporaryFolder } from '../../hosts/temporary-folder';
import {
  beginsCarried,
  carriedRecordSize,
  readCarried,
  type CarriedRecord,
} from '../../../plugin-api/deaths/carried-record';
import { beginsStop, readStop, stopRecordSize, type StopRecord } from '../../../plugin-api/deaths/stop-record';
import { deathRecordLength, readBeginning, readDeath } from '../../../plugin-api/deaths/death-record';

/** Ranks; those beyond die without a look. */
const maxWaiting = 4096;

/** Milliseconds. A record is one write, but on a busy machine a rank may be held up between connecting and writing. */
const maxSending = 30_000;

/** Where the ranks of one host find us. socket: what they have in their environment, which tells them from those of other jobs. */
export interface DoorOfHost {
  host: Host;
  socket: string;
}

/** A process that waits with its end for us. */
export interface Announced {
  host: Host;
  death: Death;
  /** It goes on dying. */
  letGo: () => void;
  /** It has gone on without us. */
  isGone: () => boolean;
}

/** A rank that is to wait for a debugger at some place, and has told. */
export interface Waiting {
  record: StopRecord;
  from: DoorOfHost;
  /** It goes on; with the text, if it has asked. */
  answer: (text: string) => void;
  /** Aborted when it does not wait any more. */
  over: AbortSignal;
}

export class DeathDoor {
  /** Called for each record. */
  onAnnounced: (by: Announced) => void = ({ letGo }) => letGo();
  /** Called when a rank begins, which waits until this has settled. */
  onBegun: (begun: { pid: number; rank: number }, from: DoorOfHost) => Promise<void> = () => Promise.resolve();
  /** Called when a rank reports that MPI carries a NaN or an infinity; the rank waits until `letGo` is called. */
  onCarried: (record: CarriedRecord, from: DoorOfHost, letGo: () => void) => void = (_, __, letGo) => letGo();
  /** Called when a rank asks where it is to wait for a debugger, or waits there. */
  onStop: (by: Waiting) => void = ({ answer }) => answer('');
  private waiting = 0;

  private constructor(
    private readonly folder: string,
    private readonly server: Server,
  ) {}

  /** `inContainers`: ranks may run in containers. Rejects with an error that has a `code`. */
  static async open({ inContainers }: { inContainers: boolean }): Promise<DeathDoor> {
    const folder = temporaryFolder('mpidbg-deaths-', { socket: socketName, inContainers });
    const server = createServer();
    const door = new DeathDoor(folder, server);
    server.on('connection', (socket) => door.receive(socket, { host: localHost, socket: door.path }));
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(door.path, resolve));
    chmodSync(door.path, 0o600);
    // A job that is over does not wait for connections.
    server.unref();
    process.once('exit', () => door.close());
    return door;
  }

  get path(): string {
    return join(this.folder, socketName);
  }

  close(): void {
    this.server.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** From whoever has connected on that host. */
  receive(socket: Duplex, from: DoorOfHost): void {
    if (this.waiting >= maxWaiting) return void socket.destroy();
    this.waiting++;
    const late = setTimeout(() => {
      // On a busy machine it is we who are late: what has come meanwhile is read before this.
      setImmediate(() => {
        if (!isWhole) socket.destroy();
      });
    }, maxSending);
    late.unref();
    socket.once('close', () => {
      this.waiting--;
      clearTimeout(late);
    });
    // It may have died of something else meanwhile.
    socket.on('error', () => socket.destroy());
    let received = Buffer.alloc(0);
    let isWhole = false;
    const read = (bytes: Buffer): void => {
      received = Buffer.concat([received, bytes]);
      try {
        const length = lengthOf(received);
        if (length === undefined || received.length < length) return;
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        return void socket.destroy();
      }
      const letGo = (): void => void socket.end('\n');
      const wait = (): void => {
        isWhole = true;
        clearTimeout(late);
        socket.off('data', read).resume();
      };
      if (beginsCarried(received)) {
        wait();
        return this.onCarried(readCarried(received), from, letGo);
      }
      if (beginsStop(received)) {
        wait();
        const over = new AbortController();
        socket.once('close', () => over.abort());
        const answer = (text: string): void => void socket.end(text);
        return this.onStop({ record: readStop(received), from, answer, over: over.signal });
      }
      wait();
      const begun = readBeginning(received);
      if (begun !== undefined) return void this.onBegun(begun, from).finally(letGo);
      const isGone = (): boolean => socket.destroyed;
      const told = readDeath(received);
      const death = from.host === localHost ? told : withOurTime(told);
      this.onAnnounced({ host: from.host, death, letGo, isGone });
    };
    socket.on('data', read);
  }
}

/** undefined: more is to come. Throws RangeError. */
function lengthOf(received: Buffer): number | undefined {
  if (beginsCarried(received)) return carriedRecordSize;
  return beginsStop(received) ? stopRecordSize : deathRecordLength(received);
}

/** The clock of another host starts elsewhere. */
function withOurTime(death: Death): Death {
  return { ...death, time: process.hrtime.bigint() };
}

const socketName = 'deaths';
