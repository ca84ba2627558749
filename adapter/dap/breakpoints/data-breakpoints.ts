/** Data breakpoints: on the memory behind a variable, an expression or an address, of one rank. */
import { counted } from '../../../plugin-api/counted';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { evaluated } from '../../expressions/containers';
import { languageOf } from '../../expressions/frames';
import { addressOf } from '../../gdb/mi/data-manipulation';
import { bitFieldOf, type BitField } from '../../gdb/python/bit-fields';
import { sizeOfValue } from '../../gdb/python/wide-sizes';
import { GdbError } from '../../gdb/mi/mi-connection';
import { typeOfBytes, typeOfWatched } from '../../gdb/value-type';
import type { BreakpointRequest, WatchedBits } from '../../job/breakpoint-request';
import type { Job } from '../../job/job';
import type { Rank } from '../../job/rank';
import type { UserBreakpoints } from './breakpoints';
import { RuleError } from './breakpoint-rules';
import { readOnlyFrame, type Evaluation } from '../variables/evaluate';
import type { FrameRef } from '../references/stack-frames';
import { memoryReference, type MemoryReferences } from '../references/memory-references';
import type { Variables } from '../variables/variables';

type Info = DebugProtocol.DataBreakpointInfoResponse['body'];

/** How many places the processor can watch at once in each process. */
const maxWatched = 4;
const maxBytes = 8;

export class DataBreakpoints {
  constructor(
    private readonly parts: {
      job: Job;
      variables: Variables;
      evaluation: Evaluation;
      references: MemoryReferences;
      breakpoints: UserBreakpoints;
    },
  ) {}

  /** The memory is watched, not the name: the breakpoint outlives the scope of a local variable. */
  async info(args: DebugProtocol.DataBreakpointInfoArguments): Promise<Info> {
    const { variables, evaluation, references } = this.parts;
    if (args.asAddress === true) {
      const { rank, address } = await references.locate('dataBreakpointInfo', args.name);
      const { frame } = await evaluation.frameIn(rank, args.frameId);
      const size = args.bytes ?? maxBytes;
      return offer(rank, address, `${typeOfBytes(size)}${codeOf(frame)}`, size, args.name);
    }
    if (args.variablesReference === undefined)
      return this.ofExpression(await evaluation.frame(args.frameId, args.name), args.name);
    const { ref, variable } = await variables.find(args.variablesReference, args.name);
    if (ref === undefined || variable.evaluateName === undefined)
      return { dataId: null, description: `${args.name} is not a variable of the program` };
    return this.ofExpression(ref, variable.evaluateName);
  }

  async set(
    args: DebugProtocol.SetDataBreakpointsArguments,
  ): Promise<DebugProtocol.SetDataBreakpointsResponse['body']> {
    const { job, breakpoints } = this.parts;
    return breakpoints.inTurn(async () => {
      const requests = withinLimit(await Promise.all(args.breakpoints.map((each) => this.request(each))));
      const possible = await Promise.all(requests.map((each) => this.possible(each)));
      return breakpoints.set(possible, (placed) => job.breakpoints.replaceWatched(placed));
    });
  }

  private async ofExpression(ref: FrameRef, expression: string): Promise<Info> {
    const { evaluation } = this.parts;
    const { thread, frame } = readOnlyFrame(ref);
    try {
      const forGdb = await evaluation.placeForGdb(ref, expression);
      return await evaluated({ gdb: thread.gdb, language: languageOf(frame) }, forGdb, async (source) => {
        const bits = await bitFieldOf(thread, frame.level, source);
        if (bits !== undefined) return offerBits(thread.rank, bits, expression);
        const address = await addressOf(thread, frame.level, `&(${source})`);
        const size = await sizeOfValue(thread, frame.level, source);
        if (address === undefined || address === 0n)
          return { dataId: null, description: `${expression} has no address` };
        const type = typeOfWatched(await evaluation.typeOf(ref, source), size);
        return offer(thread.rank, address, `${type}${codeOf(frame)}`, size, expression);
      });
    } catch (error) {
      if (!(error instanceof GdbError)) throw error;
      return { dataId: null, description: error.message };
    }
  }

  private async request({
    dataId,
    accessType,
    ...rules
  }: DebugProtocol.DataBreakpoint): Promise<BreakpointRequest | RuleError> {
    // Conditions are in the language of the frame whose variable it was, and have its names.
    const parts = /^(\S+) (.+?)( in fortran(?: (\S+))?)?$/.exec(dataId) ?? [];
    const [, reference = '', type = '', isFortran, inFunction] = parts;
    const { rank, address } = await this.parts.references.kept('setDataBreakpoints', reference);
    const bits = bitsOf(type);
    if (bits !== undefined && accessType !== undefined && accessType !== 'write')
      return new RuleError('of a bit field only changes can be watched: reads are of all that is in the same bytes');
    if (address === undefined)
      return new RuleError(`the memory of ${rank.label} that it watched is gone: set it again`);
    return this.parts.breakpoints.requestIn(
      { language: isFortran === undefined ? 'c' : 'fortran', function: inFunction },
      { kind: 'data', watched: { rank, address, type, access: accessType ?? 'write', ...(bits && { bits }) } },
      rules,
    );
  }

  /** What would be taken and never hit is refused. */
  private async possible(request: BreakpointRequest | RuleError): Promise<BreakpointRequest | RuleError> {
    if (request instanceof RuleError || request.kind !== 'data') return request;
    const { rank } = request.watched;
    if ((await this.parts.job.reportsWatchpoints(rank)) !== false) return request;
    return new RuleError(
      `the processor of ${rank.host} takes data breakpoints and reports none, as in some virtual machines: use a breakpoint with a condition`,
    );
  }
}

/** What conditions are written for, where it is not C. */
function codeOf(frame: FrameRef['frame']): string {
  return languageOf(frame) === 'fortran' ? ` in fortran ${frame.function ?? ''}`.trimEnd() : '';
}

/** `what`: the name that the user knows. */
function offer(rank: Rank, address: bigint, type: string, size: number, what: string): Info {
  if (!(size >= 1 && size <= maxBytes)) {
    return { dataId: null, description: `${what} has ${size} bytes: at most ${maxBytes} can be watched` };
  }
  return {
    dataId: `${memoryReference(rank, address)} ${type}`,
    description: `${what} of ${rank.label} (0x${address.toString(16)}, ${counted(size, 'byte')})`,
    accessTypes: ['read', 'write', 'readWrite'],
    canPersist: false,
  };
}

/** A change to another field in the same bytes does not count. */
function offerBits(rank: Rank, { address, bytes, first, count, isSigned }: BitField, what: string): Info {
  const type = `${isSigned ? 'signed' : 'unsigned'} bits ${bytes} ${first} ${count}`;
  return {
    dataId: `${memoryReference(rank, address)} ${type}`,
    description: `${what} of ${rank.label} (0x${address.toString(16)}, ${counted(count, 'bit')})`,
    accessTypes: ['write'],
    canPersist: false,
  };
}

function bitsOf(type: string): WatchedBits | undefined {
  const [, sign, bytes, first, count] = /^(un)?signed bits (\d) (\d+) (\d+)$/.exec(type) ?? [];
  if (bytes === undefined) return undefined;
  return { bytes: Number(bytes), first: Number(first), count: Number(count), isSigned: sign === undefined };
}

/** What the processor cannot watch is refused. */
function withinLimit(requests: readonly (BreakpointRequest | RuleError)[]): (BreakpointRequest | RuleError)[] {
  const watched = new Map<Rank, number>();
  return requests.map((request) => {
    if (request instanceof RuleError || request.kind !== 'data') return request;
    const { rank } = request.watched;
    watched.set(rank, (watched.get(rank) ?? 0) + 1);
    return watched.get(rank)! > maxWatched
      ? new RuleError(
          `the processor can watch at most ${maxWatched} places in one process: remove one of ${rank.label}`,
        )
      : request;
  });
}
