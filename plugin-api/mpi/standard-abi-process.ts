/**
 * A process whose program is built for MPI 5's standard ABI. Wraps the plugin of its MPI library and translates C
 * handles, Fortran handles, keyvals and error codes between the library's values and the program's. The ABI does not
 * change the library's objects, so the plugin decodes them; it also decodes statuses, and returns those in the
 * program's values.
 */
import { CorruptError, failure, guard, isUnavailable, QueryError, success, type Result } from '../result';
import type { HandleIdentity } from './identity';
import type { AgreedContext, MessageQueues } from './message-queues';
import type { InfoOf, MpiConstant, MpiProcess } from './plugin';
import type { CommInfo, HandleKind, Implementation, Unavailable } from './records';
import { isErrorClass, isStandardConstant, standardConstants, standardIntegers, standardName } from './standard-abi';
import type { ThreadLevel } from './thread-levels';

type ObjectKind = Exclude<HandleKind, 'status'>;

/** MPI_Status: three public integers and five reserved for the library. */
const statusSize = 32;

/**
 * Added to the library's number of a Fortran handle, keyval or error code that is not one of the standard's constants.
 */
const firstOwnNumber = 16385;

/** `inner`: the process with the library's own values; its constants are those of the library's mpi.h. */
export async function inStandardAbi(inner: MpiProcess): Promise<MpiProcess> {
  return new StandardAbiProcess(inner, await inner.constants());
}

class StandardAbiProcess implements MpiProcess {
  readonly implementation: Implementation;
  /** Library's handle (hexadecimal) → the standard's, for each predefined object. */
  private readonly outwardHandles = new Map<string, bigint>();
  private readonly keyvals = new Map<number, number>();
  private readonly errors = new Map<number, number>();

  constructor(
    private readonly inner: MpiProcess,
    private readonly own: ReadonlyMap<string, MpiConstant>,
  ) {
    this.implementation = { ...inner.implementation, abi: 'standard ABI of MPI 5' };
    for (const [name, constant] of standardConstants) {
      const ours = own.get(name);
      if (ours === undefined) continue;
      if (constant.kind === 'integer') {
        if (ours.kind === 'integer') this.addInteger(name, ours.value, constant.value);
      } else if (constant.kind === 'handle' && ours.kind === 'handle' && !this.outwardHandles.has(hex(ours.handle))) {
        this.outwardHandles.set(hex(ours.handle), constant.handle);
      }
    }
  }

  handleSize(kind: HandleKind): number {
    return kind === 'status' ? statusSize : 8;
  }

  constants(): Promise<ReadonlyMap<string, MpiConstant>> {
    return Promise.resolve(standardConstants);
  }

  async query<K extends HandleKind>(kind: K, handle: bigint): Promise<Result<InfoOf[K]>> {
    if (kind === 'status') return this.inner.query(kind, handle);
    const translated = await guard(() => Promise.resolve(this.inward(kind, handle)));
    if (!translated.ok) return translated;
    const answer = await this.inner.query(kind, translated.value);
    return answer.ok ? success(this.outward(answer.value) as InfoOf[K]) : answer;
  }

  async identity(kind: HandleKind, handle: bigint): Promise<Result<HandleIdentity | undefined>> {
    if (kind === 'status') return success(undefined);
    const translated = await guard(() => Promise.resolve(this.inward(kind, handle)));
    if (!translated.ok) return translated;
    const found = (await this.inner.identity?.(kind, translated.value)) ?? success(undefined);
    return found.ok && found.value !== undefined ? success({ ...found.value, handle }) : found;
  }

  async handles(kind: HandleKind): Promise<Result<bigint[]>> {
    const found = await this.inner.handles(kind);
    return found.ok ? success(found.value.map((handle) => this.outwardHandle(handle))) : found;
  }

  async messageQueues(): Promise<Result<MessageQueues>> {
    const queues = await this.inner.messageQueues?.();
    if (queues === undefined) return failure('MPIDBG_ERR_NOT_SUPPORTED', 'the message queues are not decoded');
    return queues.ok ? success(this.outward(queues.value) as MessageQueues) : queues;
  }

  async agreedContexts(): Promise<Result<AgreedContext[]>> {
    const contexts = await this.inner.agreedContexts?.();
    if (contexts === undefined) return success([]);
    return contexts.ok ? success(this.outward(contexts.value) as AgreedContext[]) : contexts;
  }

  async threadLevel(): Promise<Result<ThreadLevel>> {
    return (await this.inner.threadLevel?.()) ?? failure('MPIDBG_ERR_NOT_SUPPORTED', 'the thread level is not decoded');
  }

  inFinalize(): MpiProcess {
    return new StandardAbiProcess(this.inner.inFinalize?.() ?? this.inner, this.own);
  }

  async unlisted(kind: HandleKind): Promise<readonly string[]> {
    return (await this.inner.unlisted?.(kind)) ?? [];
  }

  async fortranToC(kind: HandleKind, fortran: number): Promise<Result<bigint>> {
    if (kind === 'status') return this.inner.fortranToC(kind, fortran);
    if (standardName(kind, BigInt(fortran)) !== undefined) return success(BigInt(fortran));
    if (fortran < firstOwnNumber)
      return failure('MPIDBG_ERR_OUT_OF_RANGE', `${fortran} is not a Fortran handle of the standard ABI`);
    const found = await this.inner.fortranToC(kind, fortran - firstOwnNumber);
    return found.ok ? success(this.outwardHandle(found.value)) : found;
  }

  private addInteger(name: string, ours: number, standard: number): void {
    if (isKeyval(name)) this.keyvals.set(ours, standard);
    if (isErrorClass(name)) this.errors.set(ours, standard);
  }

  /** The library's handle. Throws for a number below 4096 that is no predefined handle of this kind. */
  private inward(kind: ObjectKind, handle: bigint): bigint {
    if (!isStandardConstant(handle)) return handle;
    const name = standardName(kind, handle);
    if (name === undefined)
      throw new CorruptError(`${hex(handle)} is not a predefined ${kind} of the standard ABI, nor an address`);
    const constant = this.own.get(name);
    if (constant?.kind !== 'handle') throw new QueryError('MPIDBG_ERR_NOT_SUPPORTED', `this library has no ${name}`);
    return constant.handle;
  }

  private outwardHandle(handle: bigint): bigint {
    return this.outwardHandles.get(hex(handle)) ?? handle;
  }

  /** Translates a record, and all records and references in it, to the program's values. */
  private outward(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((element) => this.outward(element));
    if (typeof value !== 'object' || value === null || isUnavailable(value)) return value;
    const fields = Object.fromEntries(Object.entries(value).map(([name, field]) => [name, this.outward(field)]));
    const own = { ...fields, ...this.ownHandles(fields), ...this.ownError(fields) };
    const { attributes } = fields;
    return Array.isArray(attributes) ? { ...own, attributes: this.ownAttributes(attributes as Attribute[], own) } : own;
  }

  private ownHandles({ handle, fortranHandle }: Record<string, unknown>): object {
    if (typeof handle !== 'string') return {};
    const standard = this.outwardHandles.get(handle);
    const shown = standard === undefined ? handle : hex(standard);
    if (typeof fortranHandle !== 'number') return { handle: shown };
    const number = standard === undefined ? fortranHandle + firstOwnNumber : Number(standard);
    return { handle: shown, fortranHandle: number };
  }

  /** Translates the error of a status. */
  private ownError({ error, source }: Record<string, unknown>): object {
    if (typeof error !== 'number' || source === undefined) return {};
    return { error: this.errors.get(error) ?? error + firstOwnNumber };
  }

  /** Leaves out a library's own predefined attributes, which have no keyval in the program. */
  private ownAttributes(attributes: readonly Attribute[], comm: { handle?: unknown }): Attribute[] {
    const isWorld = comm.handle === hex(worldHandle);
    return attributes
      .filter(({ name }) => name === undefined || name in standardIntegers)
      .map((attribute) => ({
        ...attribute,
        keyval: this.keyvals.get(attribute.keyval) ?? attribute.keyval + firstOwnNumber,
        // Open MPI 6.0.0rc2 translates the values of MPI_COMM_WORLD but not those of its duplicates.
        value: isWorld ? this.ownValue(attribute) : attribute.value,
      }));
  }

  private ownValue({ name, value }: Attribute): Attribute['value'] {
    const constant = name === 'MPI_HOST' ? 'MPI_PROC_NULL' : name === 'MPI_LASTUSEDCODE' ? 'MPI_ERR_LASTCODE' : '';
    const own = this.own.get(constant);
    const translated = own?.kind === 'integer' && own.value === value ? standardIntegers[constant] : undefined;
    return translated ?? value;
  }
}

type Attribute = Exclude<CommInfo['attributes'], Unavailable>[number];

const worldHandle = 0x101n;

const hex = (handle: bigint): string => `0x${handle.toString(16)}`;

function isKeyval(name: string): boolean {
  const keyvals = ['TAG_UB', 'IO', 'HOST', 'WTIME_IS_GLOBAL', 'APPNUM', 'LASTUSEDCODE', 'UNIVERSE_SIZE'];
  return keyvals.some((keyval) => name === `MPI_${keyval}`);
}
