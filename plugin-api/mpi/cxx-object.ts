/**
 * Objects of the C++ bindings of MPI 2 (`MPI::Intracomm`), which were removed from MPI 3 and are in Open MPI until 4.1
 * and in MPICH. If such a class is compiled in the library, a program's debug information lacks its members, so the
 * layout must be known: in both libraries every class has virtual functions and one data member, the handle or the
 * status, after the pointer to its virtual table.
 */
import type { ProcessImage } from '../image';
import { readI32, readPointer } from '../memory';
import { CorruptError } from '../result';
import type { HandleKind } from './records';

/** The classes by the kind of what they hold. */
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

const tableOfFunctions = 8n;

/**
 * The C handle in the object at this address, `handleSize` bytes long; of an MPI::Status where its MPI_Status lies.
 * Throws FaultError, and CorruptError where no object was constructed.
 */
export async function handleInCxxObject(
  image: ProcessImage,
  kind: HandleKind,
  object: bigint,
  handleSize: number,
): Promise<bigint> {
  const functions = await readPointer(image, object);
  const isTable = (await image.modules()).some(({ segments }) =>
    segments.some(({ address, size }) => functions >= address && functions < address + BigInt(size)),
  );
  if (!isTable)
    throw new CorruptError(`there is no object at 0x${object.toString(16)}: it has no table of virtual functions`);
  const content = object + tableOfFunctions;
  if (kind === 'status') return content;
  return handleSize === 4 ? BigInt.asUintN(32, BigInt(await readI32(image, content))) : readPointer(image, content);
}
