/**
 * Variables with names that gdb takes for Fortran intrinsics: `rank`, the most common name in MPI programs, is a syntax
 * error in gdb 13. `function::rank` is not.
 */
const intrinsics = new Set([
  'abs',
  'allocated',
  'aimag',
  'associated',
  'ceiling',
  'cmplx',
  'floor',
  'kind',
  'lbound',
  'loc',
  'mod',
  'modulo',
  'rank',
  'shape',
  'size',
  'ubound',
]);

/** The expression for gdb that is this variable of this function; the name alone where gdb reads it. */
export function fortranVariable(name: string, inFunction: string | undefined): string {
  return inFunction !== undefined && intrinsics.has(name.toLowerCase()) ? `${inFunction}::${name}` : name;
}

/** The same for every such variable in an expression. A name before a parenthesis is the intrinsic itself. */
export function withFortranVariables(source: string, inFunction: string | undefined): string {
  return source.replace(
    /"[^"]*"|'[^']*'|(%\s*|::|\$)?\b([A-Za-z]\w*)\b(?!\s*(?:\(|::))/g,
    (whole, before, name: string) =>
      name === undefined || before !== undefined ? whole : fortranVariable(whole, inFunction),
  );
}
