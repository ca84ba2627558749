/** How gdb writes values. */

/** For a variable that has no location at this point. */
export const optimizedOut = '<optimized out>';

/** "(int *) 0x7ffe10", "0x7ffe10 <one>": the address in it. */
export function addressIn(text: string): bigint | undefined {
  const address = /0x[0-9a-f]+/.exec(text)?.[0];
  return address === undefined ? undefined : BigInt(address);
}

/** The number that the text begins with: "-3", "0x44000000", "97 'a'". */
export function leadingNumber(text: string): bigint | undefined {
  const [, sign, digits] = /^(-?)(0x[0-9a-f]+|\d+)/.exec(text) ?? [];
  if (digits === undefined) return undefined;
  return sign === '-' ? -BigInt(digits) : BigInt(digits);
}

/** Where a pointer leads: "0x4a10 <comm>", "(void (*)(int)) 0x401136 <twice>"; undefined: it cannot be read. */
export function targetAddress(pointer: string): bigint | undefined {
  const address = /^(?:\(.*?\) )?(0x[0-9a-f]+)/.exec(pointer)?.[1];
  return address === undefined ? undefined : BigInt(address);
}

/** An array that is a part of something else is written as how many elements it has: "[3]". */
export function isArrayLength(text: string): boolean {
  return /^\[\d+\]$/.test(text);
}

/** Of a pretty printer: "std::vector of length 2, capacity 2 = " before the elements. */
export function titleOf(text: string): string {
  return /^[^={]+ = (?=\{)/.exec(text)?.[0] ?? '';
}

/** Pretty printers tell the length of a list in their title only: "std::vector of length 3", "std::deque with 3 elements". */
export function lengthInTitle(text: string): number | undefined {
  const length = /^[^={]*? (?:of length|with) (\d+)\b/.exec(text)?.[1];
  return length === undefined ? undefined : Number(length);
}

/** False where gdb, or the line that a value is shown on, leaves out a part of it. */
export function isWhole(text: string): boolean {
  return !/\.\.\.|…/.test(text.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/gs, ''));
}

/** The text of a char array without what follows its terminating zero. */
export function withoutPadding(text: string): string {
  return text
    .replace(/", '\\000' <repeats \d+ times>/g, '"')
    .replace(/'\\000' <repeats \d+ times>/g, '""')
    .replace(/(\\000)+"/g, '"');
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

const textsAndAddresses = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|(?<!nan\()\b0x(?!0+\b)[0-9a-f]+( (?=["<]))?/g;

/** Without the addresses of what is told beside them: texts, functions, variables. */
export function withoutToldAddresses(text: string): string {
  return text.replace(textsAndAddresses, (found, told?: string) => (told === undefined ? found : ''));
}

/**
 * What a value and its parts can be compared by: two processes have the same, but hardly at the same address. An address
 * that is all of the value tells two values apart.
 */
export function withoutAddresses(text: string): string {
  if (isAddress(text)) return text;
  return withoutToldAddresses(text).replace(textsAndAddresses, (found) => (found.startsWith('0x') ? '0x…' : found));
}

/** "0x7ffe10", "(int *) 0x7ffe10", and nothing else. */
export function isAddress(text: string): boolean {
  return /^(?:\([^"']*\) )?0x[0-9a-f]+$/.test(text);
}

/**
 * What values of several processes can be compared by: of "(void (*)(int)) 0x401136 <twice>", `0x4a1b "ocean"` and
 * "@0x7ffe10: 5" the part behind the address, of a bare address "null" or "not null".
 */
export function comparableText(value: string): string {
  const [, address, rest = ''] = /^(?:\(.*\) )?@?(0x[0-9a-f]+)(?::? (.*))?$/s.exec(value) ?? [];
  if (address === undefined) return value;
  if (rest !== '') return rest;
  return BigInt(address) === 0n ? 'null' : 'not null';
}
