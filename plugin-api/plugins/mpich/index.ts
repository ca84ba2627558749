/** MPICH, from 4.0 on. */
import type { ProcessImage } from '../../image';
import { decodedProcess, firstThatFits, type Readers } from '../../mpi/decoded-process';
import type { MpiPlugin, MpiProcess } from '../../mpi/plugin';
import type { HandleKind, Implementation, Unavailable } from '../../mpi/records';
import { hasPredefined, predefinedInfo } from '../../mpi/predefined-info';
import { guard, unavailable } from '../../result';
import { capabilities } from './capabilities';
import { readComm } from './comm';
import { constants, predefinedName } from './constants';
import { readData } from './containers';
import { readDatatype, withoutObject } from './datatype';
import { errhandlerPlaces, errorClass, readErrhandler } from './errhandler';
import { facts } from './facts';
import { failedReceives } from './failed-receives';
import { fileOfFortran, readFile } from './file';
import { readGroup } from './group';
import { checkBits, fortranHandle, handleOf, hex, isNull, nullInfo, type Decoder } from './handles';
import { identity } from './identity';
import { readInfo } from './info';
import { findLibrary, type Library } from './library';
import { liveHandles, unlistedHandles } from './live-handles';
import { readMessage } from './message';
import { messageQueues } from './message-queues';
import { readOp } from './op';
import { openFiles } from './open-files';
import { emptyRequest, readRequest } from './request';
import { readSession } from './session';
import { inStandardAbi } from './standard-abi';
import { readStatus, statusSize } from './status';
import { layoutCandidates } from './tables';
import { failed, verify, type Verified } from './verify';
import { threadLevel } from './thread-level';
import { epochGroups, readWin } from './win';

export const mpich: MpiPlugin = {
  ...facts,
  constants,
  async open(image: ProcessImage): Promise<MpiProcess | undefined> {
    const library = await findLibrary(image);
    if (library === undefined) return undefined;
    const verified = await findLayout(image, library);
    if (!library.isCertain && verified.objects === undefined) return undefined;
    const process = await decode(image, library, verified);
    return library.isStandardAbi ? inStandardAbi(process, decoderOf(image, library, verified)) : process;
  },
};

async function findLayout(image: ProcessImage, library: Library): Promise<Verified> {
  if (library.vendor !== undefined)
    return failed('MPIDBG_ERR_NOT_SUPPORTED', `the structs of ${library.vendor} are not known`);
  const { sources, reason } = layoutCandidates(image, library);
  if (sources.length === 0) return failed('MPIDBG_ERR_NOT_SUPPORTED', reason);
  const data = await guard(() => readData(image, library.module));
  if (!data.ok) return failed(data.code, data.reason);
  const found = await firstThatFits(
    sources,
    (source) => verify(image, library.module, data.value, source),
    ({ objects }) => objects !== undefined,
  );
  return found!;
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

const onlyBits = 'only the bits of handles are decoded: their kind, and the names of null and predefined ones';

function whyNoLayout({ vendor }: Library, { code, sentence }: Verified): Unavailable {
  return unavailable(code, `no layout fits this ${vendor ?? 'MPICH'}: ${sentence}`);
}

function decoderOf(image: ProcessImage, library: Library, verified: Verified): Decoder | Unavailable {
  const { objects } = verified;
  return objects === undefined ? whyNoLayout(library, verified) : { image, library, objects };
}

async function decode(image: ProcessImage, library: Library, verified: Verified): Promise<MpiProcess> {
  const { objects, checks, sentence } = verified;
  const implementation: Implementation = {
    name: mpich.name,
    version: library.version ?? 'unknown',
    ...(library.vendor === undefined ? {} : { product: library.vendor }),
    layout: objects === undefined ? `${sentence}; ${onlyBits}` : sentence,
    checks,
    capabilities: await capabilities(objects?.reader),
    state: objects?.state ?? 'unknown',
    ...(library.device === undefined ? {} : { messageLayer: library.device }),
  };
  const nothing = whyNoLayout(library, verified);
  return decodedProcess<Decoder>({
    implementation,
    handleSize: (kind) => (kind === 'status' ? statusSize(library) : kind === 'file' ? 8 : 4),
    constants: async () => constants,
    decoder: decoderOf(image, library, verified),
    readers,
    async withoutDecoder(kind, handle) {
      if (kind === 'status') return readStatus({ image, library }, handle);
      if (isNull(kind, handle)) return nullInfo(kind, handle);
      return objects === undefined ? withoutLayout(kind, handle, nothing) : undefined;
    },
    liveHandles: async (decoder, kind) =>
      kind === 'file' ? (await openFiles(decoder)).files.map(({ file }) => file.address) : liveHandles(decoder, kind),
    messageQueues,
    epochGroups,
    threadLevel,
    failedReceives,
    identity,
    errorClass,
    handleOf,
    errhandlerPlaces,
    unlisted: unlistedHandles,
    // The same bits; but a file is a pointer.
    fortranConstant: async (kind, fortran) =>
      kind === 'file' && fortran !== 0 ? undefined : BigInt.asUintN(32, BigInt(fortran)),
    fortranHandle: (decoder, _kind, fortran) => fileOfFortran(decoder, fortran),
  });
}

/** The program may have given it another name. */
function renamed(constant: string, { code, reason }: Unavailable): Unavailable {
  return unavailable(code, `it is ${constant}; mpidbg cannot tell whether the program has renamed it: ${reason}`);
}

/**
 * What is known about a predefined handle without a layout: its bits are the same in every MPICH and in compatible
 * libraries (Intel MPI, MVAPICH, Cray MPICH), and so are the bits that distinguish kinds. undefined: nothing.
 */
function withoutLayout(kind: Exclude<HandleKind, 'status'>, handle: bigint, nothing: Unavailable): object | undefined {
  if (kind === 'file') return undefined;
  const { how } = checkBits(kind, handle);
  const name = predefinedName(kind, handle);
  if (kind === 'request' && how === 'builtin') return emptyRequest(handle);
  if (name === undefined) return undefined;
  if (kind === 'datatype') return { ...withoutObject(handle, renamed(name, nothing), nothing), constant: name };
  const object = {
    ...{ handle: hex(handle), fortranHandle: fortranHandle(handle) },
    ...(kind === 'comm' ? { name: renamed(name, nothing), constant: name } : { name }),
  };
  return hasPredefined(kind) ? predefinedInfo(kind, object, nothing) : undefined;
}
