/** Recognises Fortran files by name: the one list for the editor, the language server and the debugger. */

/** Without the dot, in lower case; compilers and editors accept upper case too. gfortran takes fpp for fixed form. */
export const fixedFormExtensions: readonly string[] = ['f', 'for', 'ftn', 'f77', 'fpp'];
/** pf: tests of pFUnit; fypp: sources for the preprocessor Fypp. */
export const freeFormExtensions: readonly string[] = ['f90', 'f95', 'f03', 'f08', 'f18', 'pf', 'fypp'];

export const fortranExtensions: readonly string[] = [...fixedFormExtensions, ...freeFormExtensions];

export function hasExtension(path: string, extensions: readonly string[]): boolean {
  const [, extension] = /\.([^./]+)$/.exec(path) ?? [];
  return extension !== undefined && extensions.includes(extension.toLowerCase());
}

export function isFortranFile(path: string): boolean {
  return hasExtension(path, fortranExtensions);
}
