/** Open MPI, from 4.0 on. */
import type { ProcessImage } from '../../image';
import type { InfoOf, MpiConstant, MpiPlugin, MpiProcess } from '../../mpi/plugin';
import type { HandleKind, Implementation } from '../../mpi/records';
import { inStandardAbi } from '../../mpi/standard-abi-process';
import { guard, QueryError, type Result } from '../../result';
import { capabilities } from './capabilities';
import { readComm } from './comm';
import { Constants } from './constants';
import { readDatatype } from './datatype';
import { readErrhandler } from './errhandler';
import { readFile } from './file';
import { readGroup } from './group';
import { Classes, type Decoder, fortranHandle, kinds } from './handles';
import { readInfo } from './info';
import { findLibrary, type Library } from './library';
import { liveHandles } from './live-handles';
import { readMessage } from './message';
import { readOp } from './op';
import { readRequest } from './request';
import { readSession } from './session';
import { readStatus } from './status';
import { layoutCandidates } from './tables';
import { verify, type Verified } from './verify';
import { readWin } from './win';

export const openmpi: MpiPlugin = {
  name: 'openmpi',
  async open(image: ProcessImage): Promise<MpiProcess | undefined> {
    const library = await findLibrary(image);
    if (library === undefined) return undefined;
    const constants = new Constants(image, library.version);
    const verified = await findLayout(image, library, constants);
    const decoded = verified.reader === undefined ? {} : await capabilities(verified.reader);
    const process = new OpenmpiProcess(image, library, constants, verified, decoded);
    return library.isStandardAbi ? inStandardAbi(process) : process;
  },
};

/** The first layout that fits; without one the reasons against the best. */
async function findLayout(image: ProcessImage, library: Library, constants: Constants): Promise<Verified> {
  let best: Verified | undefined;
  for (const candidate of await layoutCandidates(image, library)) {
    const verified = await verify(image, library, constants, candidate);
    if (verified.reader !== undefined) return verified;
    best ??= verified;
  }
  const version = library.version ?? 'of unknown version';
  const nothing = `no debug information in ${library.fileName}, and no table for Open MPI ${version}`;
  return best ?? { reader: undefined, checks: [], sentence: nothing };
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
  status: readStatus,
  win: readWin,
};

class OpenmpiProcess implements MpiProcess {
  readonly implementation: Implementation;
  private readonly decoder: Decoder | undefined;

  constructor(
    image: ProcessImage,
    private readonly library: Library,
    private readonly mpiConstants: Constants,
    { reader, checks, sentence }: Verified,
    decoded: Implementation['capabilities'],
  ) {
    if (reader !== undefined)
      this.decoder = { image, library, reader, constants: mpiConstants, classes: new Classes(image, reader) };
    this.implementation = {
      name: openmpi.name,
      version: library.version ?? 'unknown',
      layout: sentence,
      checks,
      capabilities: decoded,
      state: library.state,
    };
  }

  handleSize(kind: HandleKind): number {
    return kind === 'status' ? 24 : 8;
  }

  async constants(): Promise<ReadonlyMap<string, MpiConstant>> {
    return this.mpiConstants.all();
  }

  query<K extends HandleKind>(kind: K, handle: bigint): Promise<Result<InfoOf[K]>> {
    return guard(async () => {
      const nothing = await this.nullInfo(kind, handle);
      if (nothing !== undefined) return nothing as InfoOf[K];
      return readers[kind](this.decoderOf(kind), handle);
    });
  }

  handles(kind: HandleKind): Promise<Result<bigint[]>> {
    return guard(() => liveHandles(this.decoderOf(kind), kind));
  }

  fortranToC(kind: HandleKind, fortran: number): Promise<Result<bigint>> {
    return guard(async () => {
      if (kind === 'status')
        throw new QueryError('MPIDBG_ERR_NOT_SUPPORTED', 'a status is no handle: it has no Fortran number');
      const predefined = (await this.mpiConstants.ofKind(kind)).find((c) => c.fortran === fortran);
      return predefined?.handle ?? fortranHandle(this.decoderOf(kind), kind, fortran);
    });
  }

  /** What a null handle answers, in every state of the process: it needs no layout. */
  private async nullInfo(kind: HandleKind, handle: bigint): Promise<object | undefined> {
    if (kind === 'status') return undefined;
    const { nullName, nullFlag } = kinds[kind];
    const found = (await this.mpiConstants.ofKind(kind)).find((c) => c.name === nullName && c.handle === handle);
    if (found === undefined) return undefined;
    return {
      handle: `0x${handle.toString(16)}`,
      fortranHandle: found.fortran,
      name: nullName,
      flags: ['predefined', nullFlag],
    };
  }

  /** A status outlives MPI: it is memory of the program. */
  private decoderOf(kind: HandleKind): Decoder {
    if (this.decoder === undefined)
      throw new QueryError('MPIDBG_ERR_NOT_SUPPORTED', `no layout fits this Open MPI: ${this.implementation.layout}`);
    if (this.library.state === 'notInitialized')
      throw new QueryError('MPIDBG_ERR_UNAVAILABLE', 'MPI is not initialised yet: only null handles can be told');
    if (this.library.state === 'finalized' && kind !== 'status')
      throw new QueryError('MPIDBG_ERR_UNAVAILABLE', 'MPI is finalised: only null handles can be told');
    return this.decoder;
  }
}
