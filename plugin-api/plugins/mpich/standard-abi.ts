/**
 * Programs built for MPI 5's standard ABI, on MPICH's library for it. Inside, the library is MPICH, and every object
 * has MPICH's 32-bit handle in its first word; a handle of the program is the object's address, or one of the
 * standard's constants. The decoders work with the former; this file translates between them.
 */
import type { MessageQueues } from '../../mpi/message-queues';
import type { InfoOf, MpiConstant, MpiProcess } from '../../mpi/plugin';
import type { HandleKind, Implementation, Unavailable } from '../../mpi/records';
import { isStandardConstant, standardConstants, standardIntegers, standardName } from '../../mpi/standard-abi';
import type { ThreadLevel } from '../../mpi/thread-levels';
import { readI32 } from '../../memory';
import { CorruptError, failure, QueryError, guard, isUnavailable, type Result } from '../../result';
import { constants } from './constants';
import { hex, liveObject, type Decoder, type PoolKind } from './handles';

type ObjectKind = Exclude<HandleKind, 'status'>;

const pointerSize = 8;

/** The standard's handle, by "kind handle" of MPICH's own interface. */
const standardHandles = new Map(
  [...constants].flatMap(([name, own]) => {
    const standard = standardConstants.get(name);
    return own.kind === 'handle' && standard?.kind === 'handle'
      ? [[`${own.handleKind} ${own.handle}`, standard.handle] as const]
      : [];
  }),
);

/** `inner`: the process by MPICH's own handles. `decoder`: or why there is none. */
export function inStandardAbi(inner: MpiProcess, decoder: Decoder | Unavailable): MpiProcess {
  return new StandardAbiProcess(inner, decoder);
}

class StandardAbiProcess implements MpiProcess {
  readonly implementation: Implementation;

  constructor(
    private readonly inner: MpiProcess,
    private readonly decoder: Decoder | Unavailable,
  ) {
    this.implementation = { ...inner.implementation, abi: 'standard ABI of MPI 5' };
  }

  handleSize(kind: HandleKind): number {
    return kind === 'status' ? this.inner.handleSize(kind) : pointerSize;
  }

  constants(): Promise<ReadonlyMap<string, MpiConstant>> {
    return Promise.resolve(standardConstants);
  }

  async query<K extends HandleKind>(kind: K, handle: bigint): Promise<Result<InfoOf[K]>> {
    if (kind === 'status') return this.inner.query(kind, handle);
    return guard(async () => (await this.object(kind, handle)) as InfoOf[K]);
  }

  handles(kind: HandleKind): Promise<Result<bigint[]>> {
    return guard(async () => {
      const found = valueOf(await this.inner.handles(kind));
      const listed = await Promise.all(found.map((handle) => guard(() => this.outward(kind as ObjectKind, handle))));
      return listed.flatMap((each) => (each.ok ? [each.value] : []));
    });
  }

  messageQueues(): Promise<Result<MessageQueues>> {
    return guard(async () => {
      const queues = await this.inner.messageQueues?.();
      if (queues === undefined) throw new QueryError('MPIDBG_ERR_NOT_SUPPORTED', 'the message queues are not decoded');
      return (await this.translated(valueOf(queues), undefined)) as MessageQueues;
    });
  }

  async threadLevel(): Promise<Result<ThreadLevel>> {
    return (await this.inner.threadLevel?.()) ?? failure('MPIDBG_ERR_NOT_SUPPORTED', 'the thread level is not decoded');
  }

  async unlisted(kind: HandleKind): Promise<readonly string[]> {
    return (await this.inner.unlisted?.(kind)) ?? [];
  }

  fortranToC(kind: HandleKind, fortran: number): Promise<Result<bigint>> {
    return guard(async () => {
      if (kind !== 'status' && standardName(kind, BigInt(fortran)) !== undefined) return BigInt(fortran);
      return this.addressOf(kind as ObjectKind, valueOf(await this.inner.fortranToC(kind, fortran)));
    });
  }

  private async object(kind: ObjectKind, handle: bigint): Promise<unknown> {
    const own = await this.inward(kind, handle);
    const answer = valueOf(await this.inner.query(kind, own));
    if (!isStandardConstant(handle) && (await this.addressOf(kind, own)) !== handle)
      throw new CorruptError(`${hex(handle)} is not the address of the ${kind} whose handle lies there`);
    return this.translated(answer, kind);
  }

  private async addressOf(kind: ObjectKind, handle: bigint): Promise<bigint> {
    if (kind === 'file') return handle;
    return liveObject(this.known(), kind satisfies PoolKind, handle);
  }

  /** Throws QueryError without a layout, by which alone an object has an address. */
  private known(): Decoder {
    if ('reason' in this.decoder) throw new QueryError(this.decoder.code, this.decoder.reason);
    return this.decoder;
  }

  /** The program's handle for one of MPICH's own. */
  private async outward(kind: ObjectKind, handle: bigint): Promise<bigint> {
    return standardHandles.get(`${kind} ${handle}`) ?? this.addressOf(kind, handle);
  }

  /** MPICH's own handle of the object that the program's leads to. Throws CorruptError where there is none. */
  private async inward(kind: ObjectKind, handle: bigint): Promise<bigint> {
    if (handle === 0n)
      throw new CorruptError(`0 is not a handle of the standard ABI: the ${kind} may never have been set`);
    if (isStandardConstant(handle)) return ownConstant(kind, handle);
    if (kind === 'file') return handle;
    const { image } = this.known();
    const word = await guard(() => readI32(image, handle));
    if (!word.ok) throw new CorruptError(`${hex(handle)} is not a handle of the standard ABI: nothing lies there`);
    return BigInt.asUintN(32, BigInt(word.value));
  }

  /** A record, and all records and references in it, with the program's handles. */
  private async translated(value: unknown, kind: HandleKind | undefined): Promise<unknown> {
    if (Array.isArray(value)) return Promise.all(value.map((each) => this.translated(each, kind)));
    if (typeof value !== 'object' || value === null || isUnavailable(value)) return value;
    const fields: Record<string, unknown> = {};
    for (const [name, field] of Object.entries(value))
      fields[name] = await this.translated(field, name === 'datatypes' ? 'datatype' : undefined);
    const ofKind = kind ?? (fields['kind'] as HandleKind | undefined);
    const { handle, name } = fields;
    if (typeof handle === 'string' && ofKind !== undefined && ofKind !== 'status') {
      const found = await guard(() => this.outward(ofKind, BigInt(handle)));
      // An object that is gone has no address: its record keeps MPICH's own handle.
      if (!found.ok) return fields;
      fields['handle'] = hex(found.value);
      if (isStandardConstant(found.value) && 'fortranHandle' in fields) fields['fortranHandle'] = Number(found.value);
    }
    if ('keyval' in fields && typeof name === 'string') fields['keyval'] = standardIntegers[name] ?? fields['keyval'];
    return fields;
  }
}

/** MPICH's own handle of one of the standard's constants. Throws CorruptError where it is none of this kind. */
function ownConstant(kind: ObjectKind, handle: bigint): bigint {
  const name = standardName(kind, handle);
  const own = name === undefined ? undefined : constants.get(name);
  if (own?.kind !== 'handle')
    throw new CorruptError(`${hex(handle)} is not a predefined ${kind} of the standard ABI, nor an address`);
  return own.handle;
}

/** Throws QueryError where there is none. */
function valueOf<T>(result: Result<T>): T {
  if (!result.ok) throw new QueryError(result.code, result.reason);
  return result.value;
}
