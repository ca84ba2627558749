/** One process as a plugin sees it at one stop: what all MPI implementations share. */
import { guard, QueryError, type Result } from '../result';
import type { AgreedContext, MessageQueues } from './message-queues';
import type { InfoOf, MpiConstant, MpiProcess } from './plugin';
import type { HandleKind, Implementation, Unavailable } from './records';

/** Each decodes a live object of its kind, and throws QueryError where there is none. */
export type Readers<Decoder> = {
  readonly [K in HandleKind]: (decoder: Decoder, handle: bigint) => Promise<InfoOf[K]>;
};

type ObjectKind = Exclude<HandleKind, 'status'>;

/** What a plugin provides. `Decoder`: what its decoders work with. All but the first two may throw QueryError. */
export interface Decoding<Decoder> {
  readonly implementation: Implementation;
  handleSize(kind: HandleKind): number;
  constants(): Promise<ReadonlyMap<string, MpiConstant>>;
  /** The reason: no layout fits. */
  readonly decoder: Decoder | Unavailable;
  readonly readers: Readers<Decoder>;
  /**
   * Answers that need no live object and are available in every state of the process: null handles. undefined: anything
   * else.
   */
  withoutDecoder(kind: HandleKind, handle: bigint): Promise<object | undefined>;
  liveHandles(decoder: Decoder, kind: HandleKind): Promise<bigint[]>;
  /** See MpiProcess. */
  unlisted?(decoder: Decoder, kind: HandleKind): Promise<readonly string[]>;
  /** See MpiProcess. */
  messageQueues?(decoder: Decoder): Promise<MessageQueues>;
  /** See MpiProcess. */
  agreedContexts?(decoder: Decoder): Promise<AgreedContext[]>;
  /** The same of a Fortran handle: the C handle of what needs no live object. */
  fortranConstant(kind: ObjectKind, fortran: number): Promise<bigint | undefined>;
  fortranHandle(decoder: Decoder, kind: ObjectKind, fortran: number): Promise<bigint>;
}

/** `isInFinalize`: see MpiProcess.inFinalize. */
export function decodedProcess<Decoder extends object>(decoding: Decoding<Decoder>, isInFinalize = false): MpiProcess {
  const { implementation, readers } = decoding;

  /** A status outlives MPI: it is memory of the program. */
  const decoderFor = (kind: HandleKind): Decoder => {
    const { decoder } = decoding;
    if ('reason' in decoder) throw new QueryError(decoder.code, decoder.reason);
    if (implementation.state === 'notInitialized')
      throw new QueryError('MPIDBG_ERR_UNAVAILABLE', 'MPI is not initialised yet: only null handles exist');
    if (implementation.state === 'finalized' && kind !== 'status' && !isInFinalize)
      throw new QueryError('MPIDBG_ERR_UNAVAILABLE', 'MPI is finalised: only null handles exist');
    return decoder;
  };

  return {
    implementation,
    handleSize: (kind) => decoding.handleSize(kind),
    constants: () => decoding.constants(),
    query: <K extends HandleKind>(kind: K, handle: bigint): Promise<Result<InfoOf[K]>> =>
      guard(async () => {
        // A variable's bits may arrive as the signed number that Fortran makes of them.
        const value = handle < 0n ? BigInt.asUintN(8 * decoding.handleSize(kind), handle) : handle;
        const told = (await decoding.withoutDecoder(kind, value)) as InfoOf[K] | undefined;
        return told ?? readers[kind](decoderFor(kind), value);
      }),
    handles: (kind) => guard(() => decoding.liveHandles(decoderFor(kind), kind)),
    unlisted: async (kind) => {
      const reasons = await guard(async () => (await decoding.unlisted?.(decoderFor(kind), kind)) ?? []);
      return reasons.ok ? reasons.value : []; // handles() itself says why there is no list
    },
    ...(decoding.messageQueues && { messageQueues: () => guard(() => decoding.messageQueues!(decoderFor('request'))) }),
    ...(decoding.agreedContexts && { agreedContexts: () => guard(() => decoding.agreedContexts!(decoderFor('comm'))) }),
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

/** What the first candidate that fits is verified to be; without one the verdict on the first; undefined: there is none. */
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
