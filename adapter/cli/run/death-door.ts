/**
 * Where ranks that are about to die announce themselves: a socket in a folder that only the user can enter. Whoever connects sends one
 * record and waits for a byte. How many may wait, how much they may send, and for how long, is bounded.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Death } from '../../../plugin-api/deaths/death';
import { maxSocketPath } from '../../hosts/private-folders';
import {
  beginsCarried,
  carriedRecordSize,
  readCarried,
  type CarriedRecord,
} from '../../../plugin-api/deaths/carried-record';
import { deathRecordLength, readBeginning, readDeath } from '../../../plugin-api/deaths/death-record';

/** Ranks of one host; those beyond die without a look. */
const maxWaiting = 4096;

/** Milliseconds; a record is one write. */
const maxSending = 2000;

/** A process that waits with its end for us. */
export interface Announced {
  death: Death;
  /** It goes on dying. */
  letGo: () => void;
}

export class DeathDoor {
  /** Called for each record. */
  onAnnounced: (by: Announced) => void = ({ letGo }) => letGo();
  /** Called when a rank begins. */
  onBegun: (begun: { pid: number; rank: number }) => void = () => undefined;
  /** Called when a rank reports that MPI carries a NaN or an infinity; the rank waits until `letGo` is called. */
  onCarried: (record: CarriedRecord, letGo: () => void) => void = (_, letGo) => letGo();
  private waiting = 0;

  private constructor(
    private readonly folder: string,
    private readonly server: Server,
  ) {}

  /** Rejects with an error that has a `code`. */
  static async open(): Promise<DeathDoor> {
    const folder = privateFolder();
    const server = createServer();
    const door = new DeathDoor(folder, server);
    server.on('connection', (socket) => door.receive(socket));
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

  private receive(socket: Socket): void {
    if (this.waiting >= maxWaiting) return void socket.destroy();
    this.waiting++;
    socket.once('close', () => this.waiting--);
    // It may have died of something else meanwhile.
    socket.on('error', () => socket.destroy());
    let received = Buffer.alloc(0);
    let isWhole = false;
    socket.setTimeout(maxSending, () => {
      const { length } = received;
      // On a busy machine it is we who are late: what has come meanwhile is read before this.
      setImmediate(() => {
        if (!isWhole && received.length === length) socket.destroy();
      });
    });
    const read = (bytes: Buffer): void => {
      received = Buffer.concat([received, bytes]);
      try {
        const length = beginsCarried(received) ? carriedRecordSize : deathRecordLength(received);
        if (length === undefined || received.length < length) return;
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        return void socket.destroy();
      }
      const letGo = (): void => void socket.end('\n');
      const wait = (): void => {
        isWhole = true;
        socket.setTimeout(0);
        socket.off('data', read).resume();
      };
      if (beginsCarried(received)) {
        wait();
        return this.onCarried(readCarried(received), letGo);
      }
      const begun = readBeginning(received);
      if (begun !== undefined) {
        this.onBegun(begun);
        return void socket.destroy();
      }
      wait();
      this.onAnnounced({ death: readDeath(received), letGo });
    };
    socket.on('data', read);
  }
}

const socketName = 'deaths';

/** Its name cannot be foreseen, and nobody else can enter it. */
function privateFolder(): string {
  const begin = join(tmpdir(), 'mpidbg-deaths-');
  const isShort = Buffer.byteLength(begin) + 'XXXXXX/'.length + socketName.length <= maxSocketPath;
  return mkdtempSync(isShort ? begin : '/tmp/mpidbg-deaths-');
}
