/** Answers about requests and windows, with the variables that their buffers are and what is wrong with them, of one rank at a stop. */
import type { MpiProcess } from '../../../plugin-api/mpi/plugin';
import type {
  Answer,
  BufferFault,
  BufferPlace,
  DatatypeInfo,
  HandleKind,
  Known,
  RequestInfo,
  WinInfo,
} from '../../../plugin-api/mpi/records';
import { isUnavailable, QueryError } from '../../../plugin-api/result';
import { ProcessAccessError } from '../../hosts/process-access-error';
import { moduleOf, type ProcessCode } from '../../expressions/code-modules';
import { isSystemLibrary, isUserCode } from '../../expressions/frames';
import { ThreadStacks } from '../../expressions/thread-stack';
import { GdbError } from '../../gdb/mi/mi-connection';
import { variablesOfFiles, variablesOfFrames } from '../../gdb/python/variable-places';
import type { EpochImage } from '../../images/epoch-image';
import type { Rank } from '../../job/rank';
import { heapState } from './heap-blocks';
import { areaAt, isMapped, mappedBy, type Mapped } from './mapped-areas';
import { findVariable, type FoundVariable, type ToldVariables } from './variable-index';

/** The innermost frames of the program, of each thread. */
const maxFrames = 32;
const maxThreads = 64;
/** Pending operations that are held against each other. */
const maxPending = 2000;

/** What the buffers of a rank are looked for in. */
export interface BufferSources {
  rank: Rank;
  image: EpochImage;
  process: MpiProcess;
  /** What this handle is. */
  ask: (kind: HandleKind, handle: bigint) => Promise<Answer>;
  code: () => Promise<ProcessCode>;
}

type Success = Extract<Answer, { code: 'MPIDBG_SUCCESS' }>;

/** The bytes of an operation; `isDense`: they lie one after the other from `address` on. */
interface Bytes {
  address: bigint;
  bytes: bigint;
  isDense: boolean;
}

interface Program {
  told: readonly ToldVariables[];
  /** The stack pointers of the threads in code that is not the C library's or MPI's, the first thread's first. */
  stacks: readonly { isFirst: boolean; pointer: bigint }[];
  isPartial: boolean;
}

export class BufferPlaces {
  private program: Promise<Program> | undefined;
  private mapped: Promise<Mapped | undefined> | undefined;
  private pending: Promise<readonly { info: RequestInfo; range: Bytes }[]> | undefined;

  constructor(private readonly sources: BufferSources) {}

  /** Adds to the answer what is known of the buffer in it. Rejects with QueryError, GdbLostError. */
  async complete(answer: Answer): Promise<Answer> {
    if (answer.code !== 'MPIDBG_SUCCESS') return answer;
    if (answer.kind === 'request') return this.ofRequest(answer);
    if (answer.kind === 'win') return this.ofWindow(answer);
    return answer;
  }

  private async ofRequest(answer: Success): Promise<Answer> {
    const info = answer.info as RequestInfo;
    const range = await this.rangeOf(info);
    if (range === undefined) return answer;
    const bufferPlace = await this.placeOf(range, isPending(info) ? info : undefined);
    return { ...answer, info: { ...info, bufferPlace } };
  }

  private async ofWindow(answer: Success): Promise<Answer> {
    const info = answer.info as WinInfo;
    const [base, bytes] = [addressOf(info.base), known(info.bytes)];
    if (base === undefined || bytes === undefined || BigInt(bytes) <= 0n) return answer;
    const basePlace = await this.placeOf({ address: base, bytes: BigInt(bytes), isDense: true });
    return { ...answer, info: { ...info, basePlace } };
  }

  private async rangeOf(info: RequestInfo): Promise<Bytes | undefined> {
    if (info.flags.includes('internal')) return undefined;
    const [address, bytes] = [addressOf(info.buffer), known(info.bytes)];
    if (address === undefined || bytes === undefined || BigInt(bytes) <= 0n) return undefined;
    return { address, bytes: BigInt(bytes), isDense: await this.isDense(info.datatype) };
  }

  /**
   * Whether elements of this type are their bytes, one after the other, from the address on. A library that keeps the number of
   * bytes and no datatype has found that they are.
   */
  private async isDense(datatype: RequestInfo['datatype']): Promise<boolean> {
    if (datatype === undefined) return false;
    if (isUnavailable(datatype)) return true;
    const answer = await this.sources.ask('datatype', BigInt(datatype.handle));
    if (answer.code !== 'MPIDBG_SUCCESS') return false;
    const { size, extent, lb, trueLb, trueExtent } = answer.info as DatatypeInfo;
    const isWhole = known(size) !== undefined && size === extent && size === trueExtent;
    return isWhole && lb === 0 && trueLb === 0;
  }

  private async placeOf(range: Bytes, info?: RequestInfo): Promise<BufferPlace> {
    const { told, stacks, isPartial } = await (this.program ??= this.variables());
    const mapped = await (this.mapped ??= this.mappings());
    const found = findVariable(told, range.address, range.isDense ? range.bytes : 1n);
    const area = mapped && areaAt(mapped, range.address);
    const faults: BufferFault[] = [];
    const isOwnVariable = found !== undefined && found.place.isPointer !== true;
    const memory = found === undefined ? memoryOf(area, stacks) : undefined;
    if (info !== undefined && mapped !== undefined) {
      const state = area === undefined ? undefined : await this.stateOf(area, range.address);
      if (mapped.isAll && range.isDense && !isMapped(mapped, range.address, range.bytes))
        faults.push({ kind: 'unmapped' });
      else if (state === 'freed') faults.push({ kind: 'freed' });
      else if (!isOwnVariable && area !== undefined && isBelow(mapped, area, range.address, stacks))
        faults.push({ kind: 'returned' });
      else if (range.isDense && found?.end !== undefined && range.address + range.bytes > found.end)
        faults.push(tooShort(found, range.address + range.bytes - found.end));
      if (writes(info) && area !== undefined && !area.writable) faults.push({ kind: 'readOnly' });
    }
    if (info !== undefined) faults.push(...(await this.sharedBy(info, range)));
    return {
      ...found?.place,
      ...(memory === undefined ? {} : { memory }),
      ...(found === undefined && isPartial ? { isPartial: true as const } : {}),
      faults,
    };
  }

  private async stateOf(area: { start: bigint; end: bigint; path?: string; isAnonymous: boolean }, address: bigint) {
    const mayBeHeap = area.path === undefined ? area.isAnonymous : area.path === '[heap]';
    return mayBeHeap ? heapState(this.sources.image, area, address) : undefined;
  }

  /** Other pending operations that use some of the bytes, where one of the two writes. */
  private async sharedBy(info: RequestInfo, range: Bytes): Promise<BufferFault[]> {
    if (!touches(info)) return [];
    const others = await (this.pending ??= this.pendingOnes());
    const shared = others.filter(
      (other) =>
        other.info.handle !== info.handle && (writes(info) || writes(other.info)) && isShared(info, range, other),
    );
    return shared.map(({ info: { handle, operation, peer, tag } }) => ({
      ...{ kind: 'shared', request: { kind: 'request', handle }, operation },
      ...(peer === undefined ? {} : { peer }),
      ...(tag === undefined ? {} : { tag }),
    }));
  }

  private async pendingOnes(): Promise<{ info: RequestInfo; range: Bytes }[]> {
    const { process, ask } = this.sources;
    const listed = await process.handles('request');
    if (!listed.ok) return [];
    const pending = [];
    for (const handle of listed.value.slice(0, maxPending)) {
      const answer = await ask('request', handle);
      if (answer.code !== 'MPIDBG_SUCCESS') continue;
      const info = answer.info as RequestInfo;
      if (!isPending(info) || !touches(info)) continue;
      const range = await this.rangeOf(info);
      if (range !== undefined) pending.push({ info, range });
    }
    return pending;
  }

  /** Of a rank whose maps cannot be read, nothing is said of them. */
  private async mappings(): Promise<Mapped | undefined> {
    try {
      return await mappedBy(this.sources.rank);
    } catch (error) {
      if (error instanceof ProcessAccessError) return undefined;
      throw error;
    }
  }

  private async variables(): Promise<Program> {
    const { rank } = this.sources;
    const code = await this.sources.code();
    const stacks = new ThreadStacks();
    const program = {
      told: [] as ToldVariables[],
      stacks: [] as { isFirst: boolean; pointer: bigint }[],
      isPartial: false,
    };
    const own = rank.threads.filter(({ role }) => role?.helperOf === undefined);
    program.isPartial = own.length > maxThreads;
    for (const thread of own.slice(0, maxThreads)) {
      const number = rank.threads.indexOf(thread) + 1;
      await this.unlessRefused(program, async () => {
        const { frames } = await stacks.of(thread).frames();
        const ofUser = frames.filter((frame) => isUserCode(frame, code)).slice(0, maxFrames);
        const functions = new Map(ofUser.map(({ level, function: name }) => [level, name]));
        const inner = frames.find((frame) => {
          const module = moduleOf(frame, code);
          return module !== undefined && !isSystemLibrary(module.path, code.mpis);
        });
        if (ofUser.length === 0 || inner === undefined) return;
        const places = await variablesOfFrames(thread, [...functions.keys()], inner.level);
        const pointer = places.roots.find(({ stack }) => stack !== undefined)?.stack;
        if (pointer !== undefined) program.stacks.push({ isFirst: number === 1, pointer: BigInt(pointer) });
        if (places.isCut) program.isPartial = true;
        const functionOf = ({ frame }: { frame?: number }) => (frame === undefined ? undefined : functions.get(frame));
        program.told.push({ places, functionOf, ...(number > 1 ? { thread: number } : {}) });
      });
    }
    const [first] = rank.threads;
    if (first === undefined) return program;
    await this.unlessRefused(program, async () => {
      const files = code.modules
        .filter(({ isExecutable, path }) => isExecutable || !isSystemLibrary(path, code.mpis))
        .map(({ path }) => path);
      const places = await variablesOfFiles(first, files);
      if (places.isCut) program.isPartial = true;
      program.told.push({ places, functionOf: () => undefined });
    });
    return program;
  }

  /** What one thread or the global variables lack does not take the others with it. */
  private async unlessRefused(program: { isPartial: boolean }, ask: () => Promise<void>): Promise<void> {
    try {
      await ask();
    } catch (error) {
      if (!(error instanceof GdbError || error instanceof QueryError)) throw error;
      program.isPartial = true;
    }
  }
}

function known<T>(item: Known<T> | undefined): T | undefined {
  return item === undefined || isUnavailable(item) ? undefined : item;
}

/** Below and above these MPI_BOTTOM, MPI_IN_PLACE and other numbers lie that are no addresses of variables. */
const lowest = 0x10000n;
const highest = 1n << 56n;

function addressOf(item: Known<string> | undefined): bigint | undefined {
  const text = known(item);
  const address = text === undefined ? undefined : BigInt(text);
  return address === undefined || address < lowest || address >= highest ? undefined : address;
}

function isPending({ active, complete, sendMode }: RequestInfo): boolean {
  // The message of a buffered send has left its buffer.
  return active === true && complete === false && sendMode !== 'buffered';
}

function writes({ operation }: RequestInfo): boolean {
  return operation === 'receive';
}

/** Of others it is not known here which of their buffers it is. */
function touches({ operation }: RequestInfo): boolean {
  return operation === 'receive' || operation === 'send';
}

/** Bytes with holes between them are compared by their start and type: then at least the first is shared. */
function isShared(info: RequestInfo, range: Bytes, other: { info: RequestInfo; range: Bytes }): boolean {
  if (range.isDense && other.range.isDense)
    return range.address < other.range.address + other.range.bytes && other.range.address < range.address + range.bytes;
  const [type, othersType] = [known(info.datatype), known(other.info.datatype)];
  return range.address === other.range.address && type !== undefined && type.handle === othersType?.handle;
}

function memoryOf(
  area: { path?: string; start: bigint; end: bigint } | undefined,
  stacks: Program['stacks'],
): BufferPlace['memory'] {
  if (area === undefined) return undefined;
  if (area.path === '[heap]') return 'heap';
  const hasStack = stacks.some(({ pointer }) => area.start <= pointer && pointer < area.end);
  return area.path === '[stack]' || hasStack ? 'stack' : 'other';
}

/** What a function may use below its stack pointer (System V ABI). */
const redZone = 128n;

/** Of other threads' stacks only those with a guard page below: what lies there cannot be anything else. */
function isBelow(
  mapped: Mapped,
  area: { start: bigint; end: bigint },
  address: bigint,
  stacks: Program['stacks'],
): boolean {
  const inArea = stacks.filter(({ pointer }) => area.start <= pointer && pointer < area.end);
  const [stack] = inArea;
  if (stack === undefined || inArea.length > 1 || address >= stack.pointer - redZone) return false;
  return stack.isFirst || mapped.areas.some(({ end, writable }) => end === area.start && !writable);
}

function tooShort({ isBlock }: FoundVariable, beyond: bigint): BufferFault {
  return { kind: 'tooShort', beyond: numberOf(beyond), ...(isBlock === true ? { isAtLeast: true } : {}) };
}

function numberOf(value: bigint): number | string {
  return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : String(value);
}
