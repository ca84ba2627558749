/** One process at one stop, as a plugin decodes it: the part that is common to all MPI implementations. */
import { guard, QueryError, type Result } from '../result';
import type { FailedReceive } from './failed-receive';
import type { AgreedContext, SpanningMembers, MessageQueues } from './message-queues';
import type { HandleIdentity } from './identity';
import type { EpochGroups, ErrhandlerPlaces, InfoOf, MpiConstant, MpiProcess } from './plugin';
import type { FileInfo, HandleKind, Implementation, Unavailable } from './records';
import type { ThreadLevel } from './thread-levels';

/** Each decodes a live object of its kind; throws QueryError if the handle has none. */
export type Readers<Decoder> = {
  readonly [K in HandleKind]: (decoder: Decoder, handle: bigint) => Promise<InfoOf[K]>;
};

type ObjectKind = Exclude<HandleKind, 'status'>;

/** What a plugin provides. `Decoder`: the state that its readers share. All but the first two may throw QueryError. */
export interface Decoding<Decoder> {
  readonly implementation: Implementation;
  handleSize(kind: HandleKind): number;
  constants(): Promise<ReadonlyMap<string, MpiConstant>>;
  /** Unavailable: no layout fits. */
  readonly decoder: Decoder | Unavailable;
  readonly readers: Readers<Decoder>;
  /**
   * Answers for null handles, which need no live object and are available in every state of the process; undefined for
   * all other handles.
   */
  withoutDecoder(kind: HandleKind, handle: bigint): Promise<object | undefined>;
  liveHandles(decoder: Decoder, kind: HandleKind): Promise<bigint[]>;
  /** See MpiProcess. */
  unlisted?(decoder: Decoder, kind: HandleKind): Promise<readonly string[]>;
  /** See MpiProcess. */
  messageQueues?(decoder: Decoder): Promise<MessageQueues>;
  /** See MpiProcess. */
  agreedContexts?(decoder: Decoder): Promise<AgreedContext[]>;
  spanningMembers?(decoder: Decoder): Promise<SpanningMembers>;
  epochGroups?(decoder: Decoder, win: bigint): Promise<EpochGroups>;
  closingFile?(decoder: Decoder, file: bigint): Promise<FileInfo>;
  carriesOut?(name: string, call: string): boolean;
  threadLevel?(decoder: Decoder): Promise<ThreadLevel>;
  identity?(decoder: Decoder, kind: HandleKind, handle: bigint): Promise<HandleIdentity | undefined>;
  errorClass?(code: number): number;
  handleOf?(decoder: Decoder, kind: HandleKind, object: bigint): Promise<bigint>;
  failedReceives?(decoder: Decoder): Promise<FailedReceive[]>;
  errhandlerPlaces?(decoder: Decoder): Promise<ErrhandlerPlaces>;
  /** The C handle for a Fortran handle that needs no live object; undefined: it needs one. */
  fortranConstant(kind: ObjectKind, fortran: number): Promise<bigint | undefined>;
  fortranHandle(decoder: Decoder, kind: ObjectKind, fortran: number): Promise<bigint>;
}

/** `isInFinalize`: see MpiProcess.inFinalize. */
export function decodedProcess<Decoder extends object>(decoding: Decoding<Decoder>, isInFinalize = false): MpiProcess {
  const { readers } = decoding;
  // The library's flag is set when MPI_Finalize begins: what it says then is not yet so.
  const implementation: Implementation = isInFinalize
    ? { ...decoding.implementation, state: 'initialized' }
    : decoding.implementation;

  /** A status remains readable after MPI_Finalize: it is the program's memory. */
  const decoderFor = (kind: HandleKind): Decoder => {
    const { decoder } = decoding;
    if ('reason' in decoder) throw new QueryError(decoder.code, decoder.reason);
    if (implementation.state === 'notInitialized')
      throw new QueryError('MPIDBG_ERR_UNAVAILABLE', 'MPI is not initialised yet: only null handles exist');
    if (implementation.state === 'finalized' && kind !== 'status')
      throw new QueryError('MPIDBG_ERR_UNAVAILABLE', 'MPI is finalised: only null handles exist');
    return decoder;
  };

  return {
    implementation,
    handleSize: (kind) => decoding.handleSize(kind),
    constants: () => decoding.constants(),
    query: <K extends HandleKind>(kind: K, handle: bigint): Promise<Result<InfoOf[K]>> =>
      guard(async () => {
        // A Fortran variable gives the handle's bits as a signed number.
        const value = handle < 0n ? BigInt.asUintN(8 * decoding.handleSize(kind), handle) : handle;
        const known = (await decoding.withoutDecoder(kind, value)) as InfoOf[K] | undefined;
        return known ?? readers[kind](decoderFor(kind), value);
      }),
    handles: (kind) => guard(() => decoding.liveHandles(decoderFor(kind), kind)),
    unlisted: async (kind) => {
      const reasons = await guard(async () => (await decoding.unlisted?.(decoderFor(kind), kind)) ?? []);
      return reasons.ok ? reasons.value : []; // handles() itself gives the reason why there is no list
    },
    ...(decoding.messageQueues && { messageQueues: () => guard(() => decoding.messageQueues!(decoderFor('request'))) }),
    ...(decoding.spanningMembers && {
      spanningMembers: () => guard(() => decoding.spanningMembers!(decoderFor('comm'))),
    }),
    ...(decoding.agreedContexts && { agreedContexts: () => guard(() => decoding.agreedContexts!(decoderFor('comm'))) }),
    ...(decoding.epochGroups && {
      epochGroups: (win: bigint) => guard(() => decoding.epochGroups!(decoderFor('win'), win)),
    }),
    ...(decoding.closingFile && {
      closingFile: (file: bigint) => guard(() => decoding.closingFile!(decoderFor('file'), file)),
    }),
    ...(decoding.carriesOut && { carriesOut: (name: string, call: string) => decoding.carriesOut!(name, call) }),
    ...(decoding.identity && {
      identity: (kind: HandleKind, handle: bigint) =>
        guard(async () => {
          const value = BigInt.asUintN(8 * decoding.handleSize(kind), handle);
          const isNull = (await decoding.withoutDecoder(kind, value)) !== undefined;
          return isNull ? undefined : decoding.identity!(decoderFor(kind), kind, value);
        }),
    }),
    ...(decoding.errorClass && { errorClass: (code: number) => decoding.errorClass!(code) }),
    ...(decoding.handleOf && {
      handleOf: (kind: HandleKind, object: bigint) => guard(() => decoding.handleOf!(decoderFor(kind), kind, object)),
    }),
    ...(decoding.failedReceives && {
      failedReceives: () => guard(() => decoding.failedReceives!(decoderFor('request'))),
    }),
    ...(decoding.errhandlerPlaces && {
      errhandlerPlaces: () => guard(() => decoding.errhandlerPlaces!(decoderFor('comm'))),
    }),
    ...(decoding.threadLevel && { threadLevel: () => guard(() => decoding.threadLevel!(decoderFor('comm'))) }),
    inFinalize: () => decodedProcess(decoding, true),
    fortranToC: (kind, fortran) =>
      guard(async () => {
        if (kind === 'status')
          throw new QueryError('MPIDBG_ERR_NOT_SUPPORTED', 'a status is not a handle: it has no Fortran number');
        const constant = await decoding.fortranConstant(kind, fortran);
        return constant ?? decoding.fortranHandle(decoderFor(kind), kind, fortran);
      }),
  };
}

/** The verdict on the first candidate that fits, else on the first candidate; undefined: there are no candidates. */
export async function firstThatFits<Candidate, Verdict>(
  candidates: readonly Candidate[],
  verify: (candidate: Candidate) => Promise<Verdict>,
  fits: (verdict: Verdict) => boolean,
): Promise<Verdict | undefined> {
  let best: Verdict | undefined;
  for (const candidate of candidates) {
    const verdict = await verify(candidate);
    if (fits(verdict)) return verdict;
    best ??= verdict;
  }
  return best;
}
