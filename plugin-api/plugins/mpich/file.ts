/** MPI_File: the address of a struct of ROMIO, MPICH's MPI-IO, that begins with a cookie. */
import { readText } from '../../memory';
import { integer } from '../../mpi/integer';
import type { FileInfo, Integer } from '../../mpi/records';
import { CorruptError, QueryError, guard, known, unavailable } from '../../result';
import type { StructValues } from '../../struct';
import { integerConstants } from './constants';
import { hex, liveObject, namedRefOf, refOf, type Decoder } from './handles';
import { pendingOnFiles } from './request';
import { commSpec, datatypeSpec, fileSpec } from './specs';

type File = StructValues<typeof fileSpec>;

const fileCookie = 2487376;
const longestName = 4096;
const errorsReturn = 0x54000001;

/** Throws CorruptError for an address without an open file, MissingTypeError where no layout of ROMIO is known. */
export async function readFile(decoder: Decoder, handle: bigint): Promise<FileInfo> {
  const { reader } = decoder.objects;
  const file = await openFile(decoder, handle);
  return {
    handle: hex(handle),
    fortranHandle:
      file.fortranHandle > 0
        ? file.fortranHandle
        : unavailable('MPIDBG_ERR_UNAVAILABLE', 'ROMIO numbers a file when MPI_File_c2f first asks for it: not yet'),
    name: '',
    flags: file.isAtomic === 0 ? [] : ['atomic'],
    unknownFlags: ['freedHandle'],
    filename: await known(() => readText(decoder.image, file.fileName, longestName)),
    amode: accessModes(file.accessMode),
    comm: await namedRefOf(decoder, 'comm', BigInt(file.comm)),
    size: await known(async () => {
      const comm = await liveObject(decoder, 'comm', BigInt(file.comm));
      return (await reader.read(commSpec, comm)).localSize;
    }),
    info: refOf('info', BigInt(file.info)),
    errhandler: refOf('errhandler', BigInt(file.errhandler === 0 ? errorsReturn : file.errhandler)),
    view: await known(async () => ({
      disp: integer(file.disp),
      etype: await namedRefOf(decoder, 'datatype', BigInt(file.etype)),
      filetype: await namedRefOf(decoder, 'datatype', BigInt(file.filetype)),
      position: await positionOf(decoder, file),
    })),
    pendingRequests: await known(() => pendingOnFiles(decoder)),
  };
}

async function openFile({ objects }: Decoder, handle: bigint): Promise<File> {
  const file = await guard(() => objects.reader.read(fileSpec, handle));
  if (!file.ok && file.code === 'MPIDBG_ERR_NOT_SUPPORTED')
    throw new QueryError(file.code, `the layout of ROMIO's files is not known: ${file.reason}`);
  if (!file.ok || file.value.cookie !== fileCookie)
    throw new CorruptError(`there is no open file at ${hex(handle)}: it was closed, or the variable never set`);
  return file.value;
}

const modes = integerConstants.filter(([name]) =>
  /^MPI_MODE_(RDONLY|RDWR|WRONLY|CREATE|EXCL|DELETE_ON_CLOSE|UNIQUE_OPEN|APPEND|SEQUENTIAL)$/.test(name),
);

function accessModes(amode: number): string[] {
  return modes.flatMap(([name, bit]) => ((amode & bit) === 0 ? [] : [name]));
}

/** In etypes, as MPI_File_get_position tells it; ROMIO counts bytes of the file, and skips the holes of the filetype. */
async function positionOf(decoder: Decoder, file: File): Promise<Integer> {
  const filetype = await decoder.objects.reader.read(
    datatypeSpec,
    await liveObject(decoder, 'datatype', BigInt(file.filetype)),
  );
  if (filetype.isContiguous === 0)
    throw new QueryError('MPIDBG_ERR_NOT_SUPPORTED', "the position in a filetype with holes is ROMIO's arithmetic");
  if (file.etypeSize <= 0n) throw new CorruptError(`the etype has ${file.etypeSize} bytes`);
  return integer((file.position - file.disp) / file.etypeSize);
}
