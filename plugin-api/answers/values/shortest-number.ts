/**
 * Real numbers with the fewest digits that read back as the same number. gdb writes as many as the type may need:
 * 0.10000000000000001, and 0.100000001 for a number of 32 bits.
 */

/** With a point or an exponent: whole numbers stay whole. Quoted text is the program's, and stays as it is. */
const realNumbers =
  /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|(?<![\w.])\d+(?:\.\d*(?:[eE][+-]?\d+)?|[eE][+-]?\d+)(?![\w.])/g;

/** How many digits gdb writes of numbers of 64 and of 32 bits. Numbers of 80 and 128 bits have more, and stay whole. */
const digitsOfDouble = 17;
const digitsOfFloat = 9;

/**
 * `type`: as gdb names it, where it is known. Without it a number of nine digits may be one of 64 bits, and is left as it
 * is.
 */
export function withShortestNumbers(text: string, type?: string): string {
  if (isLonger(type)) return text;
  const isFloat = type !== undefined && /^(const |volatile )*(float\b(?!.*\*)|real\(kind=4\)|real\*4)/.test(type);
  return replaceRealNumbers(text, (number) => {
    const digits = significantDigits(number);
    if (isFloat) return digits === digitsOfFloat || digits === digitsOfFloat - 1 ? shortestFloat(number) : number;
    return digits === digitsOfDouble || digits === digitsOfDouble - 1 ? shortestDouble(number) : number;
  });
}

/** Each number with a point or an exponent in a text that gdb wrote, without its sign. */
export function replaceRealNumbers(text: string, replaced: (number: string) => string): string {
  return text.replace(realNumbers, (found) => (/^["']/.test(found) ? found : replaced(found)));
}

function isLonger(type: string | undefined): boolean {
  return type !== undefined && /long double|_Float128|__float128|\breal\(kind=1[06]\)/.test(type);
}

export function significantDigits(number: string): number {
  return number
    .replace(/[eE].*$/, '')
    .replace('.', '')
    .replace(/^0+/, '').length;
}

function shortestDouble(number: string): string {
  const value = Number(number);
  return isReal(value) ? inFormOf(number, value) : number;
}

function shortestFloat(number: string): string {
  const value = Math.fround(Number(number));
  if (!isReal(value)) return number;
  for (let digits = 1; digits < digitsOfFloat; digits++) {
    const shorter = Number(value.toPrecision(digits));
    if (Math.fround(shorter) === value) return inFormOf(number, shorter);
  }
  return number;
}

const isReal = (value: number): boolean => Number.isFinite(value) && value !== 0;

/** With an exponent where gdb wrote one, of two digits at least. */
function inFormOf(number: string, value: number): string {
  if (!/e/i.test(number)) return String(value);
  return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
}
