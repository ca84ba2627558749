/** MPICH's library in a process: a shared library, linked or dlopened, or part of a static executable. */
import type { Module, ProcessImage } from '../../image';
import { readText } from '../../memory';
import { FaultError } from '../../result';

export interface Library {
  /** Holds the objects: libmpich.so.12, a derivative's libmpi.so.12, or the executable. */
  module: Module;
  /** The module's file name, without folders. */
  fileName: string;
  /** "4.0.2"; undefined in a static executable, into which the linker does not take it, and before 3.4. */
  version: string | undefined;
  /** "ch4:ucx"; undefined likewise. */
  device: string | undefined;
  /** Found by the names of its symbols; else the module only may hold an MPICH, to be found by content. */
  isCertain: boolean;
  /** The library of MPI 5's common binary interface, whose handles are pointers. */
  isStandardAbi: boolean;
}

/** mpi.h itself names MPIR_Dup_fn, so every library that is compatible with MPICH's has it. */
const marks = ['MPII_Version_string', 'MPIR_Dup_fn', 'MPIR_Process'];
/** 3.3 changed the prefix; MVAPICH2 still has the older one. */
const versionSymbols = ['MPII_Version_string', 'MPIR_Version_string'];
const deviceSymbols = ['MPII_Version_device', 'MPIR_Version_device'];

/** undefined: no MPICH in this process. */
export async function findLibrary(image: ProcessImage): Promise<Library | undefined> {
  for (const mark of marks) {
    const symbol = await image.findSymbol(mark);
    if (symbol !== undefined) return describe(image, symbol.module, true);
  }
  // Another MPI, or a stripped executable with MPICH in it.
  if ((await image.findSymbol('MPI_Init')) !== undefined) return undefined;
  const executable = (await image.modules()).find((m) => m.isExecutable);
  return executable && describe(image, executable, false);
}

async function describe(image: ProcessImage, module: Module, isCertain: boolean): Promise<Library> {
  const fileName = module.path.slice(module.path.lastIndexOf('/') + 1);
  return {
    module,
    fileName,
    version: await readString(image, module, versionSymbols, /^\d+(\.\d+)+\w*$/),
    device: await readString(image, module, deviceSymbols, /^[\w:]+$/),
    isCertain,
    isStandardAbi: fileName.startsWith('libmpi_abi'),
  };
}

const longestString = 64;

async function readString(
  image: ProcessImage,
  module: Module,
  names: readonly string[],
  pattern: RegExp,
): Promise<string | undefined> {
  for (const name of names) {
    const symbol = await image.findSymbol(name, module);
    if (symbol === undefined) continue;
    try {
      const text = await readText(image, symbol.address, longestString);
      return pattern.test(text) ? text : undefined;
    } catch (error) {
      if (!(error instanceof FaultError)) throw error;
    }
  }
  return undefined;
}
