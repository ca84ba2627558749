/** MPI_File. */
import { readText } from '../../memory';
import { integer } from '../../mpi/integer';
import type { FileInfo, HandleRef, Unavailable } from '../../mpi/records';
import { CorruptError, known, QueryError, unavailable } from '../../result';
import type { StructValues } from '../../struct';
import { datatypeRef } from './datatype';
import { errhandlerRef } from './errhandler';
import { groupSize } from './group';
import { checkMade } from './half-made';
import { checkHandle, checkSlot, type Decoder, handleRef } from './handles';
import { commSpec, fileSpec, objectSpec, ompioFileSpec, ompioViewSpec } from './specs';
import { readConstruction } from './type-construction';
import { infoOf } from './win';

type View = Exclude<FileInfo['view'], Unavailable>;
type File = StructValues<typeof fileSpec>;

/** f_flags. */
const closed = 0x1;
const maxPathLength = 4096;

/** Throws CorruptError if there is no open file at this address. Not for MPI_FILE_NULL. */
export async function readFile(decoder: Decoder, handle: bigint): Promise<FileInfo> {
  await checkHandle(decoder, 'file', handle);
  const file = await decoder.reader.read(fileSpec, handle);
  await checkSlot(decoder, 'file', handle, file.fortranHandle);
  await checkMade(decoder, 'file', handle);
  // Closed files are not in the library's table: MPI_File_close is at work, or the word has been overwritten.
  const isInDoubt = (file.flags & closed) !== 0;
  return infoOfFile(decoder, handle, file, isInDoubt ? { unknownFlags: ['freedHandle'] } : {});
}

/**
 * MPI_File_close gives up the last reference, waits for the other processes, and gives back the communicator and the name after that:
 * throws CorruptError where the communicator is not there.
 */
export async function readClosingFile(decoder: Decoder, handle: bigint): Promise<FileInfo> {
  const { objClass, referenceCount } = await decoder.reader.read(objectSpec, handle);
  if ((await decoder.classes.kindOf(objClass)) !== 'file' || referenceCount !== 0)
    throw new CorruptError(`no file at 0x${handle.toString(16)} is being closed`);
  const file = await decoder.reader.read(fileSpec, handle);
  await checkHandle(decoder, 'comm', file.comm);
  return infoOfFile(decoder, handle, file, { flags: ['freedHandle'] });
}

async function infoOfFile(
  decoder: Decoder,
  handle: bigint,
  file: File,
  end: Partial<Pick<FileInfo, 'flags' | 'unknownFlags'>>,
): Promise<FileInfo> {
  const flags = [...(end.flags ?? [])];
  const unknownFlags = [...(end.unknownFlags ?? [])];
  const isAtomic = await known(async () => (await ompioOf(decoder, file)).atomicity !== 0);
  if (isAtomic === true) flags.push('atomic');
  if (typeof isAtomic !== 'boolean') unknownFlags.push('atomic');
  return {
    handle: `0x${handle.toString(16)}`,
    fortranHandle: file.fortranHandle,
    name: '',
    flags,
    ...(unknownFlags.length === 0 ? {} : { unknownFlags }),
    filename: await known(() => readText(decoder.image, file.filename, maxPathLength)),
    amode: modesOf(decoder, file.amode),
    comm: await known(() => handleRef(decoder, 'comm', file.comm)),
    size: await known(() => sizeOf(decoder, file.comm)),
    info: await known(() => infoOf(decoder, file.info)),
    errhandler: await known(() => errhandlerRef(decoder, file.errhandler)),
    view: await known(() => readView(decoder, file)),
    pendingRequests: unavailable('MPIDBG_ERR_NOT_SUPPORTED', "Open MPI's requests do not record their file"),
  };
}

async function sizeOf(decoder: Decoder, comm: bigint): Promise<number> {
  await checkHandle(decoder, 'comm', comm);
  return groupSize(decoder, (await decoder.reader.read(commSpec, comm)).localGroup);
}

const modes = [
  'MPI_MODE_CREATE',
  'MPI_MODE_RDONLY',
  'MPI_MODE_WRONLY',
  'MPI_MODE_RDWR',
  'MPI_MODE_DELETE_ON_CLOSE',
  'MPI_MODE_UNIQUE_OPEN',
  'MPI_MODE_EXCL',
  'MPI_MODE_APPEND',
  'MPI_MODE_SEQUENTIAL',
];

function modesOf({ constants }: Decoder, amode: number): string[] {
  return modes.filter((name) => (amode & (constants.integer(name) ?? 0)) !== 0);
}

/** Open MPI's own component; ROMIO keeps its files in another form. */
async function ompioOf({ reader }: Decoder, { component, component3, data }: File) {
  const name = component ?? component3 ?? '';
  if (name !== 'ompio') throw new QueryError('MPIDBG_ERR_NOT_SUPPORTED', `the component io/${name} is not decoded`);
  const file = await reader.read(ompioFileSpec, data);
  // Since 6.0 the view is a struct within.
  return file.offset === undefined ? { ...file, ...(await reader.read(ompioViewSpec, data)) } : file;
}

async function readView(decoder: Decoder, file: File): Promise<View> {
  const { disp, etype, filetype, ...view } = await ompioOf(decoder, file);
  return {
    disp: integer(needed(disp)),
    etype: await originalType(decoder, etype),
    filetype: await originalType(decoder, filetype),
    position: integer(positionOf({ disp, ...view })),
  };
}

function needed<T>(value: T | undefined): T {
  if (value === undefined) throw new QueryError('MPIDBG_ERR_NOT_SUPPORTED', 'the layout lacks a part of the view');
  return value;
}

/** As MPI_File_get_position gives it: in elements, counted within the view. */
function positionOf(
  view: Partial<Record<'disp' | 'offset' | 'etypeSize' | 'viewExtent' | 'viewSize' | 'totalBytes', bigint>>,
): bigint {
  const [etypeSize, viewExtent, viewSize] = [needed(view.etypeSize), needed(view.viewExtent), needed(view.viewSize)];
  if (etypeSize === 0n || viewExtent === 0n || viewSize === 0n) return 0n;
  const wholeViews = (needed(view.offset) - needed(view.disp)) / viewExtent;
  return wholeViews * (viewSize / etypeSize) + needed(view.totalBytes) / etypeSize;
}

/**
 * The library works with duplicates of the types that it was given; a duplicate without arguments is of a predefined
 * type.
 */
async function originalType(decoder: Decoder, address: bigint): Promise<HandleRef> {
  const { combiner, name, datatypes } = await readConstruction(decoder, address);
  const [original] = datatypes;
  if (combiner === 'MPI_COMBINER_DUP' && original !== undefined) return datatypeRef(decoder, original.address);
  const predefined = await decoder.constants.handle('datatype', name.replace(/^Dup /, ''));
  return datatypeRef(decoder, predefined ?? address);
}
