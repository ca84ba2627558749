/** Names, in lower case, that gdb's Fortran does not read as those of variables. */

/** Functions that gdb has, with which an argument in parentheses follows. */
export const intrinsics: readonly string[] = [
  'abs',
  'allocated',
  'aimag',
  'associated',
  'ceiling',
  'cmplx',
  'double',
  'floor',
  'kind',
  'lbound',
  'loc',
  'mod',
  'modulo',
  'precision',
  'rank',
  'shape',
  'single',
  'size',
  'ubound',
];

/** With those that are types or operators. */
export const reservedWords: readonly string[] = [
  ...intrinsics,
  'character',
  'complex',
  'integer',
  'logical',
  'real',
  'sizeof',
];
