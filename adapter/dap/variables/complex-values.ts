/**
 * Complex numbers that are assigned. gdb 13 writes beyond its own memory when it has to make one of a real number or of
 * braces, and ends: `z = 5`, `z = {1, 2}`. So both parts are evaluated, and written as bytes.
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
