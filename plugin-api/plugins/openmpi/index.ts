/** Open MPI, from 4.0 on. */
import type { ProcessImage } from '../../image';
import { decodedProcess, firstThatFits, type Readers } from '../../mpi/decoded-process';
import type { MpiPlugin, MpiProcess } from '../../mpi/plugin';
import type { HandleKind, Implementation } from '../../mpi/records';
import { inStandardAbi } from '../../mpi/standard-abi-process';
import { guard, unavailable } from '../../result';
import { capabilities } from './capabilities';
import { agreedContexts, readComm, spanningMembers } from './comm';
import { Classes, kinds } from './classes';
import { Constants, staticConstants } from './constants';
import { readDatatype } from './datatype';
import { readErrhandler } from './errhandler';
import { facts } from './facts';
import { failedReceives } from './failed-receives';
import { readClosingFile, readFile } from './file';
import { readGroup } from './group';
import { type Decoder, fortranHandle } from './handles';
import { identity } from './identity';
import { readInfo } from './info';
import { findLibrary, type Library } from './library';
import { liveHandles, unlistedHandles } from './live-handles';
import { messageLayer } from './live-requests';
import { readMessage } from './message';
import { messageQueues } from './message-queues';
import { readOp } from './op';
import { readRequest } from './request';
import { readSession } from './session';
import { readStatus } from './status';
import { layoutCandidates } from './tables';
import { verify, type Verified } from './verify';
import { threadLevel } from './thread-level';
import { epochGroups, readWin } from './win';

export const openmpi: MpiPlugin = {
  ...facts,
  constants: staticConstants,
  async open(image: ProcessImage): Promise<MpiProcess | undefined> {
    const library = await findLibrary(image);
    if (library === undefined) return undefined;
    const constants = new Constants(image, library.version);
    const process = await decode(image, library, constants, await findLayout(image, library, constants));
    return library.isStandardAbi ? inStandardAbi(process) : process;
  },
};

async function findLayout(image: ProcessImage, library: Library, constants: Constants): Promise<Verified> {
  const found = await firstThatFits(
    layoutCandidates(image, library),
    (candidate) => verify(image, library, constants, candidate),
    ({ reader }) => reader !== undefined,
  );
  return found ?? { reader: undefined, checks: [], sentence: whyNoLayout(library) };
}

function whyNoLayout({ fileName, version, whyNoVersion }: Library): string {
  if (whyNoVersion !== undefined) return `the version of ${fileName} cannot be read: ${whyNoVersion}`;
  return `no debug information in ${fileName}, and no table for Open MPI ${version ?? 'of unknown version'}`;
}

const readers: Readers<Decoder> = {
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

async function decode(
  image: ProcessImage,
  library: Library,
  constants: Constants,
  { reader, checks, sentence }: Verified,
): Promise<MpiProcess> {
  const decoder = reader && { image, library, reader, constants, classes: new Classes(image, reader) };
  const implementation: Implementation = {
    name: openmpi.name,
    version: library.version ?? 'unknown',
    layout: sentence,
    checks,
    capabilities: decoder === undefined ? {} : await capabilities(decoder),
    ...absentKinds(library.version),
    state: library.state,
    ...(await layerOf(decoder)),
  };
  return decodedProcess<Decoder>({
    implementation,
    handleSize: (kind) => (kind === 'status' ? 24 : 8),
    constants: () => constants.all(),
    decoder: decoder ?? unavailable('MPIDBG_ERR_NOT_SUPPORTED', `no layout fits this Open MPI: ${sentence}`),
    readers,
    withoutDecoder: (kind, handle) => nullInfo(constants, kind, handle),
    liveHandles,
    messageQueues,
    agreedContexts,
    spanningMembers,
    epochGroups,
    closingFile: readClosingFile,
    carriesOut,
    threadLevel,
    failedReceives,
    identity,
    // A library's own function has its code made one of MPI's, which is its class.
    errorClass: (code) => code,
    handleOf: async (_decoder, _kind, object) => object,
    unlisted: unlistedHandles,
    fortranConstant: async (kind, fortran) =>
      (await constants.ofKind(kind)).find((constant) => constant.fortran === fortran)?.handle,
    fortranHandle,
  });
}

/** All components of `coll` have the interface of mca_coll_base_module_t, and most of them hand its arguments on. */
function carriesOut(name: string, call: string): boolean {
  const [, operation] =
    /^(?:ompi_coll|mca_coll)_\w*?_(reduce|bcast)(?:_(?:intra|generic|lin|log)\w*)?$/.exec(name) ?? [];
  return operation !== undefined && call === `MPI_${operation[0]!.toUpperCase()}${operation.slice(1)}`;
}

/** MPI_Session came with 5.0.0. */
function absentKinds(version = ''): Pick<Implementation, 'absentKinds'> {
  return /^[1-4]\./.test(version) ? { absentKinds: ['session'] } : {};
}

/** Before MPI_Init none is selected. */
async function layerOf(decoder: Decoder | undefined): Promise<Pick<Implementation, 'messageLayer'>> {
  const layer = decoder && (await guard(() => messageLayer(decoder)));
  return layer?.ok === true && layer.value !== '' ? { messageLayer: layer.value } : {};
}

/** The answer for a null handle; undefined for any other. */
async function nullInfo(constants: Constants, kind: HandleKind, handle: bigint): Promise<object | undefined> {
  if (kind === 'status') return undefined;
  const { nullName, nullFlag } = kinds[kind];
  const found = (await constants.ofKind(kind)).find((c) => c.name === nullName && c.handle === handle);
  if (found === undefined) return undefined;
  return {
    handle: `0x${handle.toString(16)}`,
    fortranHandle: found.fortran,
    name: nullName,
    flags: ['predefined', nullFlag],
  };
}
