/** Numbers as debuggers write them, exactly. */

/** `digits` × 10^`exponent`, exactly: a real number of 128 bits has more digits than a double. */
export type ExactNumber = { kind: 'finite'; digits: bigint; exponent: number } | { kind: 'infinite'; sign: 1 | -1 };

/** The number in `-12`, `1.5e-07`, `-inf`, and in characters, which gdb writes as `97 'a'`; undefined for what is no number. */
export function numberInText(text: string): ExactNumber | undefined {
  const word = /^(\S+)(?: [LuU]?'.*')?$/su.exec(text)?.[1] ?? '';
  if (/^-?inf$/.test(word)) return { kind: 'infinite', sign: word.startsWith('-') ? -1 : 1 };
  const [, sign, whole, fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(word) ?? [];
  if (whole === undefined) return undefined;
  const digits = BigInt(whole + fraction);
  return {
    kind: 'finite',
    digits: sign === '-' ? -digits : digits,
    exponent: Number(exponent) - fraction.length,
  };
}

/** True also for a complex number if one of its parts is no number. */
export function isNotANumber(text: string): boolean {
  return complexNumberIn(text)?.some(Number.isNaN) === true;
}

/** Negative where `a` is less than `b`, 0 where they are equal. */
export function compareNumbers(a: ExactNumber, b: ExactNumber): number {
  if (a.kind === 'infinite' || b.kind === 'infinite') return infinity(a) - infinity(b);
  const exponent = Math.min(a.exponent, b.exponent);
  const scaled = (number: typeof a): bigint => number.digits * 10n ** BigInt(number.exponent - exponent);
  const difference = scaled(a) - scaled(b);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

function infinity(number: ExactNumber): number {
  return number.kind === 'infinite' ? number.sign : 0;
}

/** "1 + 2i", "(1,2)", "{_M_value = 1 + 2i}", "1": what gdb shows, as numbers; undefined for what is no number. */
export function complexNumberIn(shown: string): [real: number, imaginary: number] | undefined {
  const text = /^\{\w+ = (.*)\}$/.exec(shown)?.[1] ?? shown;
  const [, real, imaginary] = /^(\S+) \+ (\S+)i$/.exec(text) ?? /^\(([^,]+),([^,]+)\)$/.exec(text) ?? [];
  const parts = [numberOf(real ?? text), numberOf(imaginary ?? '0')] as const;
  return parts[0] === undefined || parts[1] === undefined ? undefined : [parts[0], parts[1]];
}

function numberOf(text: string): number | undefined {
  if (/^-?nan(\(.*\))?$/i.test(text)) return NaN;
  const infinite = /^(-?)inf(inity)?$/i.exec(text);
  if (infinite !== null) return infinite[1] === '-' ? -Infinity : Infinity;
  const number = Number(text);
  return text.trim() === '' || Number.isNaN(number) ? undefined : number;
}
