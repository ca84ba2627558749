/** What made and freed the objects of a process's handles, as its collector has told: see history.c. */
import { groupedBy } from '../grouped-by';
import type { EarlierObject, HandleCall, History } from '../mpi/history';
import type { HandleKind, HandleRef, Hex } from '../mpi/records';
import { CorruptError } from '../result';
import { readCallsNow } from './calls';
import { functionAt, readFunctions, type CalledFunction } from './functions';
import type { ToldCall } from './records';
import type { Region, Texts } from './region';
import { secondsSince } from './values';

/** In the order of enum handle_kind in region.h. */
const lifeKinds: readonly HandleKind[] = [
  ...(['comm', 'datatype', 'errhandler', 'file', 'group', 'info', 'message', 'op', 'request', 'session'] as const),
  'win',
];

/** What a handle stood for, from one call to another. */
interface Life {
  kind: HandleKind;
  handle: bigint;
  /** The INTEGER, where Fortran has made or freed it; else 0. */
  fortran: number;
  serial: bigint;
  name: string;
  created: HandleCall | undefined;
  freed: HandleCall | undefined;
}

export interface MadeHandle {
  handle: bigint;
  /** That made it. */
  call: string;
}

/** For a request: what it is for. */
export type Message = Pick<ToldCall, 'peer' | 'tag'> & { comm?: HandleRef };

/** An entry is read so often again while it is being written. */
const maxLooks = 20;
const maxEarlier = 8;

export class HandleLives {
  private readonly byHandle: ReadonlyMap<string, readonly Life[]>;
  private readonly byInteger: ReadonlyMap<string, readonly Life[]>;

  private constructor(
    lives: readonly Life[],
    private readonly callsNow: readonly ToldCall[],
  ) {
    const newestFirst = [...lives].sort((a, b) => (a.serial < b.serial ? 1 : -1));
    this.byHandle = groupedBy(newestFirst, ({ kind, handle }) => `${kind} ${handle}`);
    const ofFortran = newestFirst.filter(({ fortran }) => fortran !== 0);
    this.byInteger = groupedBy(ofFortran, ({ kind, fortran }) => `${kind} ${fortran}`);
  }

  /** Throws FaultError and CorruptError. */
  static async of(region: Region, texts: Texts): Promise<HandleLives> {
    const functions = await readFunctions(region, texts);
    const table = await region.table('lives');
    const lives: Life[] = [];
    for (let i = 0; i < table.count; i++) {
      let bytes = table.at(i);
      for (let look = 0; isBeingWritten(bytes) && look < maxLooks; look++) bytes = await region.entries('lives', i, 1);
      if (!isBeingWritten(bytes)) lives.push(lifeOf(bytes, functions, texts, region.header.start));
    }
    return new HandleLives(lives, await readCallsNow(region, texts));
  }

  /** The places of all calls. */
  addresses(): Hex[] {
    const calls = [...this.byHandle.values()].flat().flatMap(({ created, freed }) => [created, freed]);
    return [...new Set(calls.flatMap((call) => call?.code?.address ?? []))];
  }

  /**
   * The history of a handle whose object is there; undefined: nothing is known. `isInternal`: it is one that the library has
   * made of itself, which no call of the program has told. `message`: for a request, as a blocking call has one of its own,
   * which may have the handle of one that was freed.
   */
  historyOf(kind: HandleKind, handle: bigint, isInternal: boolean, message?: Message): History | undefined {
    const lives = this.byHandle.get(`${kind} ${handle}`) ?? [];
    const [last] = lives;
    if (last === undefined) return undefined;
    // Only MPI_Request_free leaves an operation that goes on: any other call has ended it.
    const isEnded = kind === 'request' && last.freed !== undefined && last.freed.call !== 'MPI_Request_free';
    const { freed: since } = isEnded ? {} : last;
    if (message !== undefined && since !== undefined && this.mayBeOfCall(message, since.time)) return undefined;
    const isOther = isEnded || (isInternal && last.freed !== undefined);
    const { created, freed } = isOther ? {} : last;
    const earlier = lives
      .slice(isOther ? 0 : 1)
      .flatMap(earlierOf)
      .slice(0, maxEarlier);
    return {
      ...(created === undefined ? {} : { created }),
      ...(freed === undefined ? {} : { freed }),
      ...(earlier.length === 0 ? {} : { earlier }),
    };
  }

  /** Whether a thread is in a blocking call for this message, which it has entered later. */
  private mayBeOfCall({ peer, tag, comm }: Message, since: number): boolean {
    return this.callsNow.some(
      (call) =>
        call.begin >= since &&
        /^MPI_([bsr]?send|recv|sendrecv(_replace)?)(_c)?$/i.test(call.name) &&
        call.comm?.handle === comm?.handle &&
        // The receive of MPI_Sendrecv is not told.
        (/sendrecv/i.test(call.name) || (call.peer === peer && call.tag === tag)),
    );
  }

  /** What the program has made and not freed, by which calls. */
  handles(kind: HandleKind): MadeHandle[] {
    const last = [...this.byHandle.values()].flatMap((lives) => lives[0] ?? []);
    return last.flatMap(({ kind: itsKind, handle, created, freed }) =>
      itsKind === kind && created !== undefined && freed === undefined ? [{ handle, call: created.call }] : [],
    );
  }

  /** The call that freed the last object that this handle stood for. */
  freedBy(kind: HandleKind, handle: bigint): HandleCall | undefined {
    return this.byHandle.get(`${kind} ${handle}`)?.[0]?.freed;
  }

  /** The same for an INTEGER of Fortran. */
  integerFreedBy(kind: HandleKind, integer: number): HandleCall | undefined {
    return this.byInteger.get(`${kind} ${integer}`)?.[0]?.freed;
  }
}

function isBeingWritten(bytes: DataView): boolean {
  return bytes.getUint32(0, true) % 2 !== 0;
}

function lifeOf(bytes: DataView, functions: readonly CalledFunction[], texts: Texts, start: bigint): Life {
  const kind = lifeKinds[bytes.getUint32(4, true)];
  if (kind === undefined)
    throw new CorruptError('the region of the collector is damaged: a handle has an unknown kind');
  const callAt = (at: number): HandleCall | undefined => {
    const number = bytes.getUint32(at + 16, true);
    if (number === 0) return undefined;
    const caller = bytes.getBigUint64(at + 8, true);
    return {
      call: functionAt(functions, number - 1).name,
      time: secondsSince(start, bytes.getBigUint64(at, true)),
      thread: bytes.getUint32(at + 20, true),
      ...(caller === 0n ? {} : { code: { address: `0x${caller.toString(16)}` } }),
    };
  };
  return {
    kind,
    handle: bytes.getBigUint64(8, true),
    serial: bytes.getBigUint64(16, true),
    fortran: bytes.getInt32(24, true),
    name: texts.at(bytes.getUint32(28, true)),
    created: callAt(32),
    freed: callAt(56),
  };
}

function earlierOf({ created, freed, name }: Life): EarlierObject[] {
  if (freed === undefined) return [];
  return [{ ...(created === undefined ? {} : { created }), freed, ...(name === '' ? {} : { name }) }];
}
