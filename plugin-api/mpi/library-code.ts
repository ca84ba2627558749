/**
 * Which code is not the program's though it may have source lines: headers of the system and of libraries that are made of headers, and
 * libraries that lie between the program and MPI. One list of globs over the paths of sources and of libraries.
 */
import { onceFor } from '../once';

/** Sources that are nearly always installed and not written. */
const defaultLibrarySources: readonly string[] = [
  // Headers of the system, of compilers and of MPI.
  ...['/usr/include/**', '/usr/local/include/**', '**/include/c++/**', '**/ompi/mpi/cxx/**', '**/mpicxx.h', '**/mpi.h'],
  // Libraries of headers over MPI.
  ...[
    '**/include/boost/**',
    '**/boost/mpi/**',
    '**/boost/serialization/**',
    '**/include/kamping/**',
    '**/include/mpl/**',
  ],
  ...['**/mpl/mpl.hpp', '**/mpl/mpl/*.hpp', '**/include/highfive/**', '**/include/highfive.hpp'],
  // Where a system has its libraries, and compilers their headers.
  ...['/usr/lib/**', '/usr/lib64/**', '/usr/lib32/**', '/lib/**', '/lib64/**'],
];

/** What a user hardly wants to step into: those, and an MPI that was built with debug information. */
export const defaultSkip: readonly string[] = [
  ...defaultLibrarySources,
  // The C library chooses at run time what the processor is best at, so that no line names it.
  '../sysdeps/**',
  ...['**/libmpi*.so*', '**/libmpich*.so*', '**/libopen-*.so*', '**/libpmi*.so*'],
];

/** Users add to it, or take out with "!". */
const defaultLibraryCode: readonly string[] = [
  ...defaultLibrarySources,
  // Libraries over MPI, wherever they are installed.
  ...['hdf5', 'pnetcdf', 'netcdf', 'adios', 'petsc', 'slepc', 'teuchos', 'tpetra', 'epetra', 'trilinos', 'HYPRE'].map(
    libraries,
  ),
  ...['scalapack', 'fftw3', 'nccl', 'boost_', 'superlu_dist', 'mumps', '?mumps', 'parmetis', 'elpa', 'p4est'].map(
    libraries,
  ),
];

function libraries(name: string): string {
  return `**/lib${name}*.so*`;
}

export class LibraryCode {
  private readonly rules: readonly { expression: RegExp; isLibrary: boolean }[];

  /** Whether the source or the library at this path is no part of the program. Asked for each frame of each rank. */
  readonly holds = onceFor(
    (path: string) => this.rules.findLast(({ expression }) => expression.test(path))?.isLibrary ?? false,
  );

  /** For programs elsewhere. */
  get asData(): LibraryRule[] {
    return this.rules.map(({ expression, isLibrary }) => [expression.source, isLibrary]);
  }

  /** `globs`: in addition to the default ones; one that begins with "!" is the program's after all; the last one that fits counts. */
  constructor(globs: readonly string[] = []) {
    this.rules = [...defaultLibraryCode, ...globs].map((glob) => {
      const isLibrary = !glob.startsWith('!');
      return { expression: expressionOf(isLibrary ? glob : glob.slice(1)), isLibrary };
    });
  }
}

/** A rule of LibraryCode as data: a regular expression that fits whole paths, in the order in which they count. */
export type LibraryRule = readonly [source: string, isLibrary: boolean];

function expressionOf(glob: string): RegExp {
  return new RegExp(`^${globSource(glob)}$`);
}

/** As a regular expression. "**" stands for any folders, "*" and "?" for what is within one name. */
export function globSource(glob: string): string {
  const parts: Readonly<Record<string, string>> = { '**/': '(?:.*/)?', '**': '.*', '*': '[^/]*', '?': '[^/]' };
  return glob.replace(/\*\*\/|\*\*|[*?]|[.+^${}()|[\]\\]/g, (found) => parts[found] ?? `\\${found}`);
}
