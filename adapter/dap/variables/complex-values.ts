/**
 * Complex numbers that are assigned. gdb 13 corrupts its own memory and crashes when it converts a real number or
 * braces to one: `z = 5`, `z = {1, 2}`. So mpidbg evaluates both parts and writes them as bytes.
 */

/** `{1, 2}` and `(1, 2)`: the expressions of both parts; undefined for what is one expression. */
export function writtenParts(value: string): [real: string, imaginary: string] | undefined {
  const [, real, imaginary] = /^\s*[({]([^,(){}]+),([^,(){}]+)[)}]\s*$/.exec(value) ?? [];
  return real === undefined || imaginary === undefined ? undefined : [real.trim(), imaginary.trim()];
}

/** As the program has it in memory. */
export function bytesOfComplex(parts: readonly number[], size: 4 | 8): Buffer {
  const bytes = Buffer.alloc(2 * size);
  for (const [i, part] of parts.entries()) {
    if (size === 4) bytes.writeFloatLE(part, i * size);
    else bytes.writeDoubleLE(part, i * size);
  }
  return bytes;
}
