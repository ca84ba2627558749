/** MPICH, from 4.0 on. */
import type { ProcessImage } from '../../image';
import type { InfoOf, MpiConstant, MpiPlugin, MpiProcess } from '../../mpi/plugin';
import type { HandleKind, Implementation, Unavailable } from '../../mpi/records';
import { hasPredefined, predefinedInfo } from '../../mpi/predefined-info';
import { QueryError, guard, unavailable, type Result } from '../../result';
import { capabilities } from './capabilities';
import { readComm } from './comm';
import { constants, predefinedName } from './constants';
import { readData } from './containers';
import { readDatatype, withoutObject } from './datatype';
import { readErrhandler } from './errhandler';
import { fileOfFortran, readFile } from './file';
import { readGroup } from './group';
import { checkBits, fortranHandle, hex, isNull, nullInfo, type Decoder } from './handles';
import { readInfo } from './info';
import { findLibrary, type Library } from './library';
import { liveHandles } from './live-handles';
import { readMessage } from './message';
import { readOp } from './op';
import { emptyRequest, readRequest } from './request';
import { readSession } from './session';
import { readStatus, statusSize } from './status';
import { layoutCandidates } from './tables';
import { failed, verify, type Verified } from './verify';
import { readWin } from './win';

export const mpich: MpiPlugin = {
  name: 'mpich',
  async open(image: ProcessImage): Promise<MpiProcess | undefined> {
    const library = await findLibrary(image);
    if (library === undefined) return undefined;
    const verified = await findLayout(image, library);
    if (!library.isCertain && verified.objects === undefined) return undefined;
    const known = await capabilities(library, verified.objects?.reader);
    return new MpichProcess(image, library, verified, known);
  },
};

/** The first layout that fits; without one the reasons against the best. */
async function findLayout(image: ProcessImage, library: Library): Promise<Verified> {
  const { sources, reason } = await layoutCandidates(image, library);
  if (sources.length === 0) return failed('MPIDBG_ERR_NOT_SUPPORTED', reason);
  const data = await guard(() => readData(image, library.module));
  if (!data.ok) return failed(data.code, data.reason);
  let best: Verified | undefined;
  for (const source of sources) {
    const verified = await verify(image, data.value, source);
    if (verified.objects !== undefined) return verified;
    best ??= verified;
  }
  return best!;
}

type Readers = { readonly [K in HandleKind]: (decoder: Decoder, handle: bigint) => Promise<InfoOf[K]> };

const readers: Readers = {
  comm: readComm,
  datatype: readDatatype,
  errhandler: readErrhandler,
  file: readFile,
  group: readGroup,
  info: readInfo,
  message: readMessage,
  op: readOp,
  request: readRequest,
  session: readSession,
  status: (decoder, address) => readStatus(decoder.image, address),
  win: readWin,
};

const withoutLayout = 'of handles only the bits are decoded: their kind, and the names of null and predefined ones';

class MpichProcess implements MpiProcess {
  readonly implementation: Implementation;
  private readonly decoder: Decoder | undefined;
  /** What queries answer without a layout. */
  private readonly nothing: Unavailable;

  constructor(
    private readonly image: ProcessImage,
    private readonly library: Library,
    { objects, checks, sentence, code }: Verified,
    known: Implementation['capabilities'],
  ) {
    this.nothing = unavailable(code, `no layout fits this MPICH: ${sentence}`);
    if (objects !== undefined) this.decoder = { image, library, objects };
    this.implementation = {
      name: mpich.name,
      version: library.version ?? 'unknown',
      layout: objects === undefined && !library.isStandardAbi ? `${sentence}; ${withoutLayout}` : sentence,
      checks,
      capabilities: known,
      state: objects?.state ?? 'unknown',
    };
  }

  handleSize(kind: HandleKind): number {
    if (kind === 'status') return statusSize;
    return kind === 'file' || this.library.isStandardAbi ? 8 : 4;
  }

  async constants(): Promise<ReadonlyMap<string, MpiConstant>> {
    return this.library.isStandardAbi ? new Map<string, MpiConstant>() : constants;
  }

  query<K extends HandleKind>(kind: K, handle: bigint): Promise<Result<InfoOf[K]>> {
    return guard(async () => {
      if (this.library.isStandardAbi) throw new QueryError('MPIDBG_ERR_NOT_SUPPORTED', this.implementation.layout);
      const bits = kind === 'file' || kind === 'status' ? handle : unsigned(handle);
      if (isNull(kind, bits)) return nullInfo(kind, bits) as InfoOf[K];
      if (kind === 'status') return (await readStatus(this.image, handle)) as InfoOf[K];
      const read = (readers as { [X in K]: (decoder: Decoder, handle: bigint) => Promise<InfoOf[X]> })[kind];
      if (this.decoder === undefined) return this.withoutLayout(kind, bits) as InfoOf[K];
      return read(this.livingDecoder(this.decoder), bits);
    });
  }

  handles(kind: HandleKind): Promise<Result<bigint[]>> {
    return guard(() => {
      if (this.decoder === undefined) throw new QueryError(this.nothing.code, this.nothing.reason);
      return liveHandles(this.livingDecoder(this.decoder), kind);
    });
  }

  async fortranToC(kind: HandleKind, fortran: number): Promise<Result<bigint>> {
    return guard(async () => {
      if (kind === 'status')
        throw new QueryError('MPIDBG_ERR_NOT_SUPPORTED', 'a status is no handle: it has no Fortran number');
      if (kind === 'file' && fortran !== 0) {
        if (this.decoder === undefined) throw new QueryError(this.nothing.code, this.nothing.reason);
        return fileOfFortran(this.livingDecoder(this.decoder), fortran);
      }
      return BigInt.asUintN(32, BigInt(fortran));
    });
  }

  /**
   * Fails, but for a predefined handle: its bits are the same in every MPICH and in the libraries that are compatible
   * with it (Intel MPI, MVAPICH, Cray MPICH), and so are those that tell a handle of another kind.
   */
  private withoutLayout(kind: Exclude<HandleKind, 'status'>, handle: bigint): object {
    if (kind !== 'file') {
      const { how } = checkBits(kind, handle);
      const name = predefinedName(kind, handle);
      if (kind === 'request' && how === 'builtin') return emptyRequest(handle);
      if (kind === 'datatype' && name !== undefined) return withoutObject(handle, name, this.nothing);
      const object = { handle: hex(handle), fortranHandle: fortranHandle(handle), name: name ?? '' };
      if (hasPredefined(kind) && name !== undefined) return predefinedInfo(kind, object, this.nothing);
    }
    throw new QueryError(this.nothing.code, this.nothing.reason);
  }

  private livingDecoder(decoder: Decoder): Decoder {
    if (decoder.objects.state === 'notInitialized')
      throw new QueryError('MPIDBG_ERR_UNAVAILABLE', 'MPI is not initialised yet: only null handles exist');
    if (decoder.objects.state === 'finalized')
      throw new QueryError('MPIDBG_ERR_UNAVAILABLE', 'MPI is finalised: only null handles exist');
    return decoder;
  }
}

/** A variable's 32 bits may arrive as the signed number that Fortran makes of them. */
function unsigned(handle: bigint): bigint {
  return handle < 0n ? BigInt.asUintN(32, handle) : handle;
}
