/** Answers about requests and windows, with the variables that their buffers are and what is wrong with them, of one rank at a stop. */
import type { MpiProcess } from '../../../plugin-api/mpi/plugin';
import type { Answer, BufferPlace, RequestInfo, WinInfo } from '../../../plugin-api/mpi/records';
import { QueryError } from '../../../plugin-api/result';
import { moduleOf, type ProcessCode } from '../../expressions/code-modules';
import { isSystemLibrary, isUserCode } from '../../expressions/frames';
import { ThreadStacks } from '../../expressions/thread-stack';
import { GdbError } from '../../gdb/mi/mi-connection';
import { variablesOfFiles, variablesOfFrames } from '../../gdb/python/variable-places';
import type { EpochImage } from '../../images/epoch-image';
import type { Rank } from '../../job/rank';
import { addressOf, isPending, known, pendingBytes, rangeOf, sharersOf } from './byte-ranges';
import type { AskHandle, Bytes, PendingBytes } from './byte-ranges';
import { areaAt, mappedBy, type Mapped } from './mapped-areas';
import { MemoryFaults, type UsedStack } from './memory-faults';
import { findVariable, type ToldVariables } from './variable-index';

/** The innermost frames of the program, of each thread. */
const maxFrames = 32;
const maxThreads = 64;

/** What the buffers of a rank are looked for in. */
export interface BufferSources {
  rank: Rank;
  image: EpochImage;
  process: MpiProcess;
  ask: AskHandle;
  code: () => Promise<ProcessCode>;
}

type Success = Extract<Answer, { code: 'MPIDBG_SUCCESS' }>;

interface Program {
  told: readonly ToldVariables[];
  stacks: readonly UsedStack[];
  isPartial: boolean;
}

export class BufferPlaces {
  private program: Promise<Program> | undefined;
  private memory: Promise<{ mapped?: Mapped; faults?: MemoryFaults }> | undefined;
  private pending: Promise<readonly PendingBytes[]> | undefined;

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
    const range = await rangeOf(info, this.sources.ask);
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

  private async placeOf(range: Bytes, info?: RequestInfo): Promise<BufferPlace> {
    const { told, stacks, isPartial } = await (this.program ??= this.variables());
    const { mapped, faults: memoryFaults } = await (this.memory ??= this.readMemory());
    const found = findVariable(told, range.address, range.isDense ? range.bytes : 1n);
    const area = mapped && areaAt(mapped, range.address);
    const memory = found === undefined ? memoryOf(area, stacks) : undefined;
    const variable = found && { isOwn: found.place.isPointer !== true, end: found.end, isBlock: found.isBlock };
    const faults = info === undefined ? [] : ((await memoryFaults?.of(info, range, variable)) ?? []);
    if (info !== undefined) faults.push(...sharersOf(info, range, await (this.pending ??= this.pendingOnes())));
    return {
      ...found?.place,
      ...(memory === undefined ? {} : { memory }),
      ...(found === undefined && isPartial ? { isPartial: true as const } : {}),
      faults,
    };
  }

  private async pendingOnes(): Promise<PendingBytes[]> {
    const { process, ask } = this.sources;
    const listed = await process.handles('request');
    const answers = [];
    for (const handle of listed.ok ? listed.value : []) answers.push(await ask('request', handle));
    const infos = answers.flatMap((answer) => (answer.code === 'MPIDBG_SUCCESS' ? [answer.info as RequestInfo] : []));
    return pendingBytes(infos, ask);
  }

  /** Nothing is said of a rank whose maps cannot be read. */
  private async readMemory(): Promise<{ mapped?: Mapped; faults?: MemoryFaults }> {
    const { rank, image } = this.sources;
    const mapped = await mappedBy(rank);
    const stacks = async (): Promise<Program['stacks']> => (await (this.program ??= this.variables())).stacks;
    return mapped === undefined ? {} : { mapped, faults: new MemoryFaults(image, mapped, stacks) };
  }

  private async variables(): Promise<Program> {
    const { rank } = this.sources;
    const code = await this.sources.code();
    const stacks = new ThreadStacks();
    const program = {
      told: [] as ToldVariables[],
      stacks: [] as UsedStack[],
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

function memoryOf(
  area: { path?: string; start: bigint; end: bigint } | undefined,
  stacks: Program['stacks'],
): BufferPlace['memory'] {
  if (area === undefined) return undefined;
  if (area.path === '[heap]') return 'heap';
  const hasStack = stacks.some(({ pointer }) => area.start <= pointer && pointer < area.end);
  return area.path === '[stack]' || hasStack ? 'stack' : 'other';
}
