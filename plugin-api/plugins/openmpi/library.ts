/** Open MPI's library in a process: found by its symbols, so that it may be linked, static in the executable, or dlopened. */
import type { Module, ProcessImage } from '../../image';
import { readI32, readText } from '../../memory';
import type { Implementation } from '../../mpi/records';
import { FaultError, guard } from '../../result';
import { commSpec } from './specs';

export interface Library {
  /** Holds the objects and tables: libmpi.so.40, libopen_mpi.so.40 since 6.0, or the executable. */
  module: Module;
  /** The module's file name, without folders. */
  fileName: string;
  /** "4.1.4"; undefined when it cannot be read. */
  version: string | undefined;
  /** Why not, if its memory is missing: from a core file that is cut off. */
  whyNoVersion: string | undefined;
  state: Implementation['state'];
  /**
   * The program was built for the standard ABI of MPI 5: its predefined handles and constants are those of the standard,
   * its other handles are the library's own.
   */
  isStandardAbi: boolean;
  /** Whether there is debug information of its structs. */
  hasStructs: boolean;
}

/** undefined: no Open MPI in this process, or a static one in an executable without symbols. */
export async function findLibrary(image: ProcessImage): Promise<Library | undefined> {
  const commClass = await image.findSymbol('ompi_communicator_t_class');
  if (commClass === undefined) return undefined;
  const { module } = commClass;
  // On another host each of these takes as long as the way there and back.
  const [version, state, isStandardAbi, hasStructs] = await Promise.all([
    readVersion(image, module),
    readState(image, module),
    callsStandardAbi(image, module),
    knowsStructs(image),
  ]);
  return { module, fileName: fileName(module), ...version, state, isStandardAbi, hasStructs };
}

async function knowsStructs(image: ProcessImage): Promise<boolean> {
  return (await image.findType(commSpec.struct, [commSpec.fields.rank.path])) !== undefined;
}

/** The standard ABI's library is not the one that holds the objects. Its SONAME is that of MPICH's too. */
async function callsStandardAbi(image: ProcessImage, module: Module): Promise<boolean> {
  const called = await image.findSymbol('MPI_Init');
  if (called === undefined || called.module.path === module.path) return false;
  const converter = await image.findSymbol('ompi_convert_abi_obj_handle_intern_obj_handle', called.module);
  return converter !== undefined || fileName(called.module).startsWith('libmpi_abi');
}

function fileName({ path }: Module): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

const maxVersionLength = 32;

/** Every library and component has the same SONAME in 4.x and 5.x: the text in the library is the only sure source. */
async function readVersion(image: ProcessImage, module: Module): Promise<Pick<Library, 'version' | 'whyNoVersion'>> {
  const symbol = await image.findSymbol('ompi_version_string', module);
  const text = symbol && (await guard(() => readText(image, symbol.address, maxVersionLength)));
  if (text?.ok === false) return { version: undefined, whyNoVersion: text.reason };
  const isVersion = text !== undefined && /^\d+(\.\d+)+\w*$/.test(text.value);
  return { version: isVersion ? text.value : undefined, whyNoVersion: undefined };
}

/**
 * ompi_mpi_state as MPI_Initialized and MPI_Finalized see it: 0 and 1 before the end of MPI_Init; 3 while
 * MPI_Finalize runs the callbacks of MPI_COMM_SELF's attributes, in which MPI is still alive; 4 and 5 after that.
 */
const states: readonly Implementation['state'][] = [
  'notInitialized',
  'notInitialized',
  'initialized',
  'initialized',
  'finalized',
  'finalized',
];

async function readState(image: ProcessImage, module: Module): Promise<Implementation['state']> {
  const symbol = await image.findSymbol('ompi_mpi_state', module);
  if (symbol === undefined) return 'unknown';
  try {
    return states[await readI32(image, symbol.address)] ?? 'unknown';
  } catch (error) {
    if (error instanceof FaultError) return 'unknown';
    throw error;
  }
}
