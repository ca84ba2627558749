/** Numbers that a user writes for a variable, and that gdb would take for something else. */

/** A literal of an integer in C or Fortran. */
const integerLiteral = /^\s*([-+]?)(0[xX][0-9a-fA-F]+|\d+)\s*$/;

const noNumber = /^\s*([-+]?)(nan|inf|infinity)\s*$/i;

export function isIntegerLiteral(value: string): boolean {
  return integerLiteral.test(value);
}

/** Why this literal cannot be kept in an integer of so many bytes, with or without sign; undefined: it can, or is none. */
export function whyNotKept(value: string, size: number): string | undefined {
  const [, sign, digits] = integerLiteral.exec(value) ?? [];
  // 0 before other digits: in C it is octal.
  if (digits === undefined || /^0\d/.test(digits)) return undefined;
  const number = sign === '-' ? -BigInt(digits) : BigInt(digits);
  const bits = BigInt(8 * size);
  if (number >= -(1n << (bits - 1n)) && number < 1n << bits) return undefined;
  return `${value.trim()} does not fit into ${bits} bits`;
}

/** `nan` and `inf`, as real numbers are shown; undefined: it is neither. */
export function notFinite(value: string): { number: number; name: string } | undefined {
  const [, sign, name] = noNumber.exec(value) ?? [];
  if (name === undefined) return undefined;
  const number = /^nan$/i.test(name) ? NaN : Infinity;
  return { number: sign === '-' ? -number : number, name };
}

/** As x86-64 and aarch64 have it in memory; undefined: of another size. */
export function bytesOfReal(number: number, size: number): Buffer | undefined {
  const bytes = Buffer.alloc(8);
  if (size === 4) bytes.writeFloatLE(number);
  else if (size === 8) bytes.writeDoubleLE(number);
  else return undefined;
  return bytes.subarray(0, size);
}
