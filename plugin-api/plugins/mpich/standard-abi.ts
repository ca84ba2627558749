/**
 * Programs built for MPI 5's standard ABI, on MPICH's library for it. Inside, the library is MPICH, and every object
 * has MPICH's 32-bit handle in its first word; a handle of the program is the object's address, or one of the
 * standard's constants. The decoders work with the former; this file translates between them.
 */
import type { MessageQueues } from '../../mpi/message-queues';
import type { InfoOf, MpiProcess } from '../../mpi/plugin';
import type { HandleKind } from '../../mpi/records';
import { isStandardConstant, standardConstants, standardIntegers, standardName } from '../../mpi/standard-abi';
import { readI32 } from '../../memory';
import { CorruptError, QueryError, guard, isUnavailable } from '../../result';
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

/** `inner`: the same process by MPICH's own handles. `decoder`: undefined without a layout. */
export function inStandardAbi(inner: MpiProcess, decoder: Decoder | undefined): MpiProcess {
  const addressOf = async (kind: ObjectKind, handle: bigint): Promise<bigint> => {
    if (kind === 'file') return handle;
    if (decoder === undefined)
      throw new QueryError('MPIDBG_ERR_NOT_SUPPORTED', 'without a layout no object of MPICH has an address');
    return liveObject(decoder, kind satisfies PoolKind, handle);
  };

  /** The program's handle for one of MPICH's own. */
  const outward = async (kind: ObjectKind, handle: bigint): Promise<bigint> =>
    standardHandles.get(`${kind} ${handle}`) ?? addressOf(kind, handle);

  /** A record, and all records and references in it, with the program's handles. */
  const translated = async (value: unknown, kind: HandleKind | undefined): Promise<unknown> => {
    if (Array.isArray(value)) return Promise.all(value.map((each) => translated(each, kind)));
    if (typeof value !== 'object' || value === null || isUnavailable(value)) return value;
    const fields: Record<string, unknown> = {};
    for (const [name, field] of Object.entries(value))
      fields[name] = await translated(field, name === 'datatypes' ? 'datatype' : undefined);
    const ofKind = kind ?? (fields['kind'] as HandleKind | undefined);
    const { handle, name } = fields;
    if (typeof handle === 'string' && ofKind !== undefined && ofKind !== 'status') {
      const found = await guard(() => outward(ofKind, BigInt(handle)));
      // An object that is gone has no address: its record keeps MPICH's own handle.
      if (!found.ok) return fields;
      fields['handle'] = hex(found.value);
      if (isStandardConstant(found.value) && 'fortranHandle' in fields) fields['fortranHandle'] = Number(found.value);
    }
    if ('keyval' in fields && typeof name === 'string') fields['keyval'] = standardIntegers[name] ?? fields['keyval'];
    return fields;
  };

  /** MPICH's own handle of the object that the program's leads to. Throws CorruptError where there is none. */
  const inward = async (kind: ObjectKind, handle: bigint): Promise<bigint> => {
    if (handle === 0n)
      throw new CorruptError(`0 is not a handle of the standard ABI: the ${kind} may never have been set`);
    if (isStandardConstant(handle)) {
      const name = standardName(kind, handle);
      const own = name === undefined ? undefined : constants.get(name);
      if (own?.kind !== 'handle')
        throw new CorruptError(`${hex(handle)} is not a predefined ${kind} of the standard ABI, nor an address`);
      return own.handle;
    }
    if (kind === 'file') return handle;
    if (decoder === undefined) return handle;
    const word = await guard(() => readI32(decoder.image, handle));
    if (!word.ok) throw new CorruptError(`${hex(handle)} is not a handle of the standard ABI: nothing lies there`);
    return BigInt.asUintN(32, BigInt(word.value));
  };

  const query = async <K extends ObjectKind>(kind: K, handle: bigint): Promise<InfoOf[K]> => {
    const own = await inward(kind, handle);
    const answer = await inner.query(kind, own);
    if (!answer.ok) throw new QueryError(answer.code, answer.reason);
    if (!isStandardConstant(handle) && (await addressOf(kind, own)) !== handle)
      throw new CorruptError(`${hex(handle)} is not the address of the ${kind} whose handle lies there`);
    return (await translated(answer.value, kind)) as InfoOf[K];
  };

  return {
    implementation: { ...inner.implementation, abi: 'standard ABI of MPI 5' },
    handleSize: (kind) => (kind === 'status' ? inner.handleSize(kind) : pointerSize),
    constants: async () => standardConstants,
    query: <K extends HandleKind>(kind: K, handle: bigint) =>
      kind === 'status'
        ? inner.query(kind, handle)
        : (guard(() => query(kind, handle)) as ReturnType<typeof inner.query<K>>),
    handles: (kind) =>
      guard(async () => {
        const found = await inner.handles(kind);
        if (!found.ok) throw new QueryError(found.code, found.reason);
        const listed = await Promise.all(found.value.map((handle) => guard(() => outward(kind as ObjectKind, handle))));
        return listed.flatMap((each) => (each.ok ? [each.value] : []));
      }),
    messageQueues: () =>
      guard(async () => {
        const queues = await inner.messageQueues?.();
        if (queues === undefined || !queues.ok)
          throw new QueryError(
            queues?.code ?? 'MPIDBG_ERR_NOT_SUPPORTED',
            queues?.reason ?? 'the message queues are not decoded',
          );
        return (await translated(queues.value, undefined)) as MessageQueues;
      }),
    unlisted: async (kind) => (await inner.unlisted?.(kind)) ?? [],
    fortranToC: (kind, fortran) =>
      guard(async () => {
        if (kind !== 'status' && standardName(kind, BigInt(fortran)) !== undefined) return BigInt(fortran);
        const found = await inner.fortranToC(kind, fortran);
        if (!found.ok) throw new QueryError(found.code, found.reason);
        return addressOf(kind as ObjectKind, found.value);
      }),
  };
}
