/** MPICH's library in a process: a shared library, linked or dlopened, or part of a static executable. */
import type { Module, ProcessImage } from '../../image';
import { readText } from '../../memory';
import { guard } from '../../result';
import { vendorOf } from '../../mpi/vendors';
import { codeAt, references } from './code';
import { poolSpec } from './specs';

export interface Library {
  /** Holds the objects: libmpich.so.12, a derivative's libmpi.so.12, or the executable. */
  module: Module;
  /** The module's file name, without folders. */
  fileName: string;
  /** Whose library it is, if not MPICH's own: "Intel MPI". What it says of its version is its ancestor's. */
  vendor: string | undefined;
  /** "4.0.2"; undefined in a vendor's library, in a static executable, into which the linker does not take it, and before 3.4. */
  version: string | undefined;
  /** Why the version, which exists, cannot be read: from a core file that is cut off. */
  whyNoVersion: string | undefined;
  /** "ch4:ucx"; undefined likewise. */
  device: string | undefined;
  /** Found by the names of its symbols; otherwise the module may hold an MPICH, to be found by content. */
  isCertain: boolean;
  /**
   * The program was built for MPI 5's common binary interface: its handles are as large as pointers, and the predefined ones
   * the standard's constants.
   */
  isStandardAbi: boolean;
  /** Whether there is debug information of its structs. */
  hasStructs: boolean;
}

/** MPICH's own mpi.h names MPIR_Dup_fn, so every library that is compatible with its binary interface has it. */
const dupFunction = 'MPIR_Dup_fn';
/** MPICH's Fortran library calls the last, also that of the standard's binary interface. */
const marks = ['MPII_Version_string', dupFunction, 'MPIR_Process', 'MPII_Comm_get_attr'];
/** Exported until 4.1 or so; 3.3 changed the prefix, and MVAPICH2 still has the older one. */
const versionSymbols = ['MPII_Version_string', 'MPIR_Version_string'];
const deviceSymbols = ['MPII_Version_device', 'MPIR_Version_device'];
const versionPattern = /^\d+(\.\d+)+\w*$/;
const devicePattern = /^ch\d(:\w+)*$/;

/** undefined: no MPICH in this process. */
export async function findLibrary(image: ProcessImage): Promise<Library | undefined> {
  for (const mark of marks) {
    const symbol = await image.findSymbol(mark);
    if (symbol !== undefined) return describe(image, symbol.module, true);
  }
  // Another MPI, or a stripped executable that contains MPICH.
  if ((await image.findSymbol('MPI_Init')) !== undefined) return undefined;
  const executable = (await image.modules()).find((m) => m.isExecutable);
  return executable && describe(image, executable, false);
}

async function describe(image: ProcessImage, module: Module, isCertain: boolean): Promise<Library> {
  const fileName = module.path.slice(module.path.lastIndexOf('/') + 1);
  // On another host each of these takes as long as the way there and back.
  const [vendor, called, version, device, pool] = await Promise.all([
    vendorOf(image, module),
    image.findSymbol('PMPI_Init'),
    readString(image, module, versionSymbols, versionPattern),
    readString(image, module, deviceSymbols, devicePattern),
    image.findType(poolSpec.struct, [poolSpec.fields.kind.path]),
  ]);
  const isStandardAbi =
    isCertain &&
    !module.isExecutable &&
    (/\/libmpi_abi\.so[^/]*$/.test(called?.module.path ?? module.path) ||
      (await image.findSymbol(dupFunction, module)) === undefined);
  const common = { module, fileName, vendor, isCertain, isStandardAbi, hasStructs: pool !== undefined };
  if (vendor !== undefined) return { ...common, version: undefined, whyNoVersion: undefined, device: undefined };
  const inCode = version === undefined || device === undefined ? await textsInCode(image, module) : [];
  return {
    ...common,
    version: version ?? inCode.find((text) => versionPattern.test(text)),
    whyNoVersion: version === undefined ? await whyUnread(image, module, versionSymbols) : undefined,
    device: device ?? inCode.find((text) => devicePattern.test(text)),
  };
}

const maxStringLength = 64;

async function readString(
  image: ProcessImage,
  module: Module,
  names: readonly string[],
  pattern: RegExp,
): Promise<string | undefined> {
  for (const name of names) {
    const symbol = await image.findSymbol(name, module);
    const text = symbol && (await textAt(image, symbol.address));
    if (text !== undefined && pattern.test(text)) return text;
  }
  return undefined;
}

/** undefined: there is no such symbol, or it can be read. */
async function whyUnread(image: ProcessImage, module: Module, names: readonly string[]): Promise<string | undefined> {
  for (const name of names) {
    const symbol = await image.findSymbol(name, module);
    const read = symbol && (await guard(() => image.readMemory(symbol.address, 1)));
    if (read?.ok === false) return read.reason;
  }
  return undefined;
}

/** undefined: nothing is readable. */
async function textAt(image: ProcessImage, address: bigint): Promise<string | undefined> {
  const text = await guard(() => readText(image, address, maxStringLength));
  return text.ok ? text.value : undefined;
}

/** How much of a function is searched: more than any known build has before what is searched for. */
const functionBytes = 1024;
const maxCalls = 16;

/**
 * The texts that MPI_Get_library_version prints, by its code: later releases hide the symbols of version and device.
 * The function, or one that it calls, takes a text's address. What is no text there matches no pattern.
 */
async function textsInCode(image: ProcessImage, module: Module): Promise<string[]> {
  const symbol = await image.findSymbol('PMPI_Get_library_version', module);
  if (symbol === undefined) return [];
  const code = await codeAt(image, module, symbol.address, functionBytes);
  if (code === undefined) return [];
  const constants = references.constantsIn(code, module);
  for (const callee of references.callsIn(code, module).slice(0, maxCalls)) {
    const called = await codeAt(image, module, callee, functionBytes);
    if (called !== undefined) constants.push(...references.constantsIn(called, module));
  }
  const texts = await Promise.all([...new Set(constants)].map((address) => textAt(image, address)));
  return texts.filter((text) => text !== undefined);
}
