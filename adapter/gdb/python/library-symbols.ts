/** Symbols that a library has, in what gdb evaluates. */

/** The error for a name that is defined only in a library other than the one at the place. */
export function foreignSymbol(name: string): string {
  return `No symbol "${name}" in current context, only in a library that is not the place's`;
}

/**
 * The address of a library's symbol in a condition or log message. gdb would look for it in all libraries at every hit, and refuse
 * the condition as long as one inferior has not loaded the library.
 */
export function symbolAddress(name: string): string {
  return `$_mpidbg_symbol(${[...Buffer.from(name)].join(', ')})`;
}

/** For a gdb without functions. */
export function withPlainSymbols(expression: string): string {
  const call = /\$_mpidbg_symbol\(([\d, ]*)\)/g;
  return expression.replace(call, (_, codes: string) => `&${Buffer.from(codes.split(',').map(Number)).toString()}`);
}
