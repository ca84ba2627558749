/**
 * Complex numbers that are assigned. gdb 13 writes beyond its own memory when it has to make one of a real number or of
 * braces, and ends: `z = 5`, `z = {1, 2}`. So both parts are evaluated, and written as bytes.
 */

/** The bytes of one part of a complex number of this type, as ptype tells it; undefined: it is none of 4 or 8 bytes a part. */
export function partOfComplex(ptype: string): 4 | 8 | undefined {
  const type = /^type = (?:const |volatile )*(?:class |struct )?(.*)/.exec(ptype)?.[1] ?? '';
  const cxx = /^std::(?:__\w+::)?complex<(float|double)>/.exec(type)?.[1];
  const name = cxx ?? /^(?:complex|_Complex) (float|double)\b/.exec(type)?.[1];
  if (name !== undefined) return name === 'float' ? 4 : 8;
  const kind = /^complex(?:\(kind=([48])\)|\*(8|16))/i.exec(type);
  if (kind === null) return undefined;
  return kind[1] === '4' || kind[2] === '8' ? 4 : 8;
}

/** `{1, 2}` and `(1, 2)`: the expressions of both parts; undefined for what is one expression. */
export function writtenParts(value: string): [real: string, imaginary: string] | undefined {
  const [, real, imaginary] = /^\s*[({]([^,(){}]+),([^,(){}]+)[)}]\s*$/.exec(value) ?? [];
  return real === undefined || imaginary === undefined ? undefined : [real.trim(), imaginary.trim()];
}

/** "1 + 2i", "(1,2)", "{_M_value = 1 + 2i}", "1": what gdb shows, as numbers; undefined for what is no number. */
export function numbersIn(shown: string): [real: number, imaginary: number] | undefined {
  const text = /^\{\w+ = (.*)\}$/.exec(shown)?.[1] ?? shown;
  const [, real, imaginary] = /^(\S+) \+ (\S+)i$/.exec(text) ?? /^\(([^,]+),([^,]+)\)$/.exec(text) ?? [];
  const parts = [numberOf(real ?? text), numberOf(imaginary ?? '0')] as const;
  return parts[0] === undefined || parts[1] === undefined ? undefined : [parts[0], parts[1]];
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

function numberOf(text: string): number | undefined {
  if (/^-?nan/i.test(text)) return NaN;
  const infinite = /^(-?)inf/i.exec(text);
  if (infinite !== null) return infinite[1] === '-' ? -Infinity : Infinity;
  const number = Number(text);
  return text.trim() === '' || Number.isNaN(number) ? undefined : number;
}
