/**
 * Objects of the C++ bindings of MPI 2 (`MPI::Intracomm`). MPI 3 removed them, but MPICH still has them, and Open MPI
 * had them until 4.1. The program's debug information lacks the members of classes compiled into the library, so their
 * layout is fixed here: in both libraries an object is a vtable pointer followed by one data member, the handle or the
 * status.
 */
import type { ProcessImage } from '../image';
import { readI32, readPointer } from '../memory';
import { CorruptError } from '../result';
import type { HandleKind } from './records';

/** Class name → kind of the handle (or status) that its objects hold. */
export const cxxClasses: ReadonlyMap<string, HandleKind> = new Map(
  Object.entries<HandleKind>({
    'MPI::Comm_Null': 'comm',
    'MPI::Nullcomm': 'comm',
    'MPI::Comm': 'comm',
    'MPI::Intracomm': 'comm',
    'MPI::Intercomm': 'comm',
    'MPI::Cartcomm': 'comm',
    'MPI::Graphcomm': 'comm',
    'MPI::Datatype': 'datatype',
    'MPI::Errhandler': 'errhandler',
    'MPI::File': 'file',
    'MPI::Group': 'group',
    'MPI::Info': 'info',
    'MPI::Op': 'op',
    'MPI::Request': 'request',
    'MPI::Prequest': 'request',
    'MPI::Grequest': 'request',
    'MPI::Status': 'status',
    'MPI::Win': 'win',
  }),
);

const vtablePointerSize = 8n;

/**
 * The C handle, `handleSize` bytes long, in the object at this address; for an MPI::Status the address of its
 * MPI_Status. Throws FaultError, and CorruptError if no object has been constructed there.
 */
export async function handleInCxxObject(
  image: ProcessImage,
  kind: HandleKind,
  object: bigint,
  handleSize: number,
): Promise<bigint> {
  const vtable = await readPointer(image, object);
  const isVtable = (await image.modules()).some(({ segments }) =>
    segments.some(({ address, size }) => vtable >= address && vtable < address + BigInt(size)),
  );
  if (!isVtable) throw new CorruptError(`no C++ object at 0x${object.toString(16)}: it has no virtual function table`);
  const content = object + vtablePointerSize;
  if (kind === 'status') return content;
  return handleSize === 4 ? BigInt.asUintN(32, BigInt(await readI32(image, content))) : readPointer(image, content);
}
