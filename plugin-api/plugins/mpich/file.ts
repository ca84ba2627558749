/** MPI_File: the address of a struct of ROMIO, MPICH's MPI-IO, that begins with a cookie. */
import { readPointer, readText } from '../../memory';
import { integer } from '../../mpi/integer';
import type { FileInfo, Integer } from '../../mpi/records';
import { dataBefore } from '../../mpi/type-map';
import { CorruptError, QueryError, guard, known, unavailable } from '../../result';
import type { StructValues } from '../../struct';
import { integersOf, passedDatatype, type Integers } from './constants';
import type { DataSegment } from './containers';
import { constructionOf } from './type-construction';
import { hex, liveObject, namedRefOf, refOf, type Decoder } from './handles';
import { pendingOnFiles } from './live-requests';
import { fileCookie, isInternalFile, whyNoOpener } from './open-files';
import { commSpec, fileSpec, groupSpec } from './specs';

type File = StructValues<typeof fileSpec>;

const maxNameLength = 4096;
const errorsReturn = 0x54000001;

export const noNumberYet = 'ROMIO numbers a file only when MPI_File_c2f first asks for it, which has not happened yet';

/** Throws CorruptError for an address without an open file, MissingTypeError where no layout of ROMIO is known. */
export async function readFile(decoder: Decoder, handle: bigint): Promise<FileInfo> {
  const { reader } = decoder.objects;
  const file = await openFile(decoder, handle);
  return {
    handle: hex(handle),
    fortranHandle:
      file.fortranHandle > 0
        ? (await firstNumber(decoder)) + file.fortranHandle
        : unavailable('MPIDBG_ERR_UNAVAILABLE', noNumberYet),
    name: '',
    flags: [
      ...(file.isAtomic === 0 ? [] : (['atomic'] as const)),
      ...((await isInternalFile(decoder, handle)) ? (['internal'] as const) : []),
    ],
    unknownFlags: ['freedHandle'],
    filename: await known(() => readText(decoder.image, file.fileName, maxNameLength)),
    amode: accessModes(integersOf(decoder.library), file.accessMode),
    comm: await whyNoOpener(decoder, handle),
    size: await known(async () => {
      const comm = await liveObject(decoder, 'comm', BigInt(file.comm));
      return (await reader.read(commSpec, comm)).localSize;
    }),
    info: refOf('info', BigInt(file.info)),
    errhandler: refOf('errhandler', BigInt(file.errhandler === 0 ? errorsReturn : file.errhandler)),
    view: await known(async () => ({
      disp: integer(file.disp),
      etype: await namedRefOf(decoder, 'datatype', passedDatatype(BigInt(file.etype))),
      filetype: await namedRefOf(decoder, 'datatype', passedDatatype(BigInt(file.filetype))),
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
    throw new CorruptError(
      `there is no open file at ${hex(handle)}: it was closed or overwritten, or the variable never set`,
    );
  return file.value;
}

const modes = /^MPI_MODE_(RDONLY|RDWR|WRONLY|CREATE|EXCL|DELETE_ON_CLOSE|UNIQUE_OPEN|APPEND|SEQUENTIAL)$/;

function accessModes({ entries }: Integers, amode: number): string[] {
  return entries.flatMap(([name, bit]) => (!modes.test(name) || (amode & bit) === 0 ? [] : [name]));
}

const refusedView =
  'no position is known in a filetype whose displacements are negative, descend or overlap: ROMIO keeps such a one after ' +
  'MPI_File_set_view has refused it';

/** In etypes, as MPI_File_get_position tells it: ROMIO counts bytes of the file, with the holes of the filetype. */
async function positionOf(decoder: Decoder, { position, disp, etypeSize, ...file }: File): Promise<Integer> {
  if (etypeSize <= 0n) throw new CorruptError(`the etype has ${etypeSize} bytes`);
  const filetype = await constructionOf(decoder, passedDatatype(BigInt(file.filetype)));
  const data = dataBefore(filetype, position - disp, (name) => integersOf(decoder.library).of(name));
  if (data === undefined) throw new QueryError('MPIDBG_ERR_UNAVAILABLE', refusedView);
  return integer(data / etypeSize);
}

/**
 * ROMIO's table of the files that have a Fortran number: next to its address, in any order, are its length and the
 * last number.
 */
const tableStep = 1024;
const maxTableLength = 1 << 20;
const beside = [-4, -3, -2, -1, 1, 2, 3, 4, 5];

const constantsOfStandard = 4096;

/** Since 5.0 the numbers lie above those of the standard's constants. */
async function firstNumber({ objects }: Decoder): Promise<number> {
  const is50 = await guard(() => objects.reader.offsetOf(groupSpec, 'usesMap'));
  return is50.ok ? constantsOfStandard : 0;
}

/** The MPI_File of a Fortran number. Throws CorruptError for a number that no file has, QueryError where no layout is known. */
export async function fileOfFortran(decoder: Decoder, fortran: number): Promise<bigint> {
  const number = fortran - (await firstNumber(decoder));
  if (number > 0 && number < maxTableLength) {
    for (const table of tablesIn(decoder.objects.data, number)) {
      const file = await guard(async () =>
        openFile(decoder, await readPointer(decoder.image, table + 8n * BigInt(number))),
      );
      if (file.ok && file.value.fortranHandle === number) return file.value.address;
      if (!file.ok && file.code === 'MPIDBG_ERR_NOT_SUPPORTED') throw new QueryError(file.code, file.reason);
    }
  }
  throw new CorruptError(`no open file has the Fortran number ${fortran}`);
}

/** Possible places of the table; the file that it leads to decides. */
function* tablesIn(data: readonly DataSegment[], number: number): Generator<bigint> {
  for (const { words } of data) {
    for (let at = 4; at < words.length - 6; at++) {
      const length = words[at]!;
      if (length <= number || length % tableStep !== 0 || length > maxTableLength) continue;
      if (!beside.some((other) => words[at + other]! >= number && words[at + other]! <= length)) continue;
      for (const other of beside) {
        if ((at + other) % 2 !== 0) continue;
        const table = (BigInt(words[at + other + 1]! >>> 0) << 32n) | BigInt(words[at + other]! >>> 0);
        if (table !== 0n && table % 8n === 0n) yield table;
      }
    }
  }
}
