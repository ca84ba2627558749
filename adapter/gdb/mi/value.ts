/** What a value is, read from how gdb writes it: the only place that takes such a text apart. */
import { failureInValue, type GdbFailure } from './failure';
import { isNotANumber, numberInText, type ExactNumber } from '../../../plugin-api/answers/values/exact-number';
import { withShortestNumbers } from '../../../plugin-api/answers/values/shortest-number';
import { withVisibleEscapes } from './text-escapes';

/** `text`: as gdb writes it, with its characters visible, to be shown; real numbers with the fewest digits that read back. */
export type GdbValue = { readonly text: string } &
  /** `isCharacter`: gdb writes the character behind its number. */
  (
    | { readonly kind: 'number'; readonly number: ExactNumber; readonly isCharacter: boolean }
    /** NaN, or a complex number with such a part. */
    | { readonly kind: 'notANumber' }
    | { readonly kind: 'truth'; readonly isTrue: boolean }
    /** `told`: what gdb writes beside the address, the name of a function, or the text that is there; `isText`: the latter. */
    | { readonly kind: 'pointer'; readonly address: bigint; readonly told: string; readonly isText: boolean }
    /** `told`: the value that it refers to. */
    | { readonly kind: 'reference'; readonly address: bigint; readonly told: string }
    /** An array, of which gdb writes only how many elements it has. */
    | { readonly kind: 'array'; readonly count: number }
    /** A struct, of which gdb writes nothing. */
    | { readonly kind: 'struct' }
    /** By a pretty printer. `title`: with the " = " before the parts; `length` undefined: gdb does not tell it. */
    | { readonly kind: 'titled'; readonly title: string; readonly length: number | undefined }
    /** The variable has no location at this point. */
    | { readonly kind: 'optimizedOut' }
    | { readonly kind: 'unreadable'; readonly failure: GdbFailure }
    /** gdb has no text for it. */
    | { readonly kind: 'none' }
    /** Characters, enumerations, structs and arrays written out. */
    | { readonly kind: 'other' }
  );

/** How gdb writes a struct whose members have lines of their own. */
export const textOfStruct = '{...}';

/** `written`: by gdb; `type`: as gdb names it, where it is known. */
export function valueOf(written: string, type?: string): GdbValue {
  const text = withVisibleEscapes(withShortestNumbers(written, type));
  if (text === '') return { kind: 'none', text };
  if (text === textOfStruct) return { kind: 'struct', text };
  if (text === '<optimized out>') return { kind: 'optimizedOut', text };
  const count = /^\[(\d+)\]$/.exec(text)?.[1];
  if (count !== undefined) return { kind: 'array', text, count: Number(count) };
  const failure = failureInValue(text);
  if (failure !== undefined) return { kind: 'unreadable', text, failure };
  const number = numberInText(text);
  if (number !== undefined) return { kind: 'number', text, number, isCharacter: text.includes("'") };
  if (isNotANumber(text)) return { kind: 'notANumber', text };
  const truth = /^\.?(true|false)\.?$/i.exec(text)?.[1];
  if (truth !== undefined) return { kind: 'truth', text, isTrue: truth.toLowerCase() === 'true' };
  return addressOrTitle(text);
}

/** "(int *) 0x7ffe10", `0x4a1b "ocean"`, "(void (*)(int)) 0x401136 <twice>", "@0x7ffe10: 5". */
const address = /^(?:\([^"]*?\) )?(@)?(0x[0-9a-f]+)(?::? (.*))?$/s;

/** "std::vector of length 2, capacity 2 = {", "std::deque with 3 elements": a type, and what is in it. */
const title = /^[A-Za-z_][^={"']*? (?:(?:of length|with) (\d+)\b|= (?=\{))/;

function addressOrTitle(text: string): GdbValue {
  const [, isReference, digits, told = ''] = address.exec(text) ?? [];
  if (digits !== undefined) {
    const at = BigInt(digits);
    if (isReference !== undefined) return { kind: 'reference', text, address: at, told };
    return { kind: 'pointer', text, address: at, told, isText: /^[LuU]?8?"/.test(told) };
  }
  const match = title.exec(text);
  if (match === null) return { kind: 'other', text };
  const length = match[1] === undefined ? undefined : Number(match[1]);
  return { kind: 'titled', text, title: /^[^={]+ = (?=\{)/.exec(text)?.[0] ?? '', length };
}

/** Where a pointer leads; undefined for all else. */
export function addressIn(value: GdbValue): bigint | undefined {
  return value.kind === 'pointer' ? value.address : undefined;
}

/** A whole number; undefined for all else, also for a character. */
export function wholeNumberIn(value: GdbValue | undefined): bigint | undefined {
  return value?.kind === 'number' && !value.isCharacter ? digitsOf(value.number) : undefined;
}

/** The number that a handle may be: a whole number, that of a character, or a pointer's address. */
export function integerIn(value: GdbValue): bigint | undefined {
  return value.kind === 'number' ? digitsOf(value.number) : addressIn(value);
}

function digitsOf(number: ExactNumber): bigint | undefined {
  return number.kind === 'finite' && number.exponent === 0 ? number.digits : undefined;
}

/** 0, false, .FALSE. and null pointers are false; undefined for what is neither. */
export function truthOf(value: GdbValue): boolean | undefined {
  if (value.kind === 'truth') return value.isTrue;
  if (value.kind === 'number') return value.number.kind === 'infinite' || value.number.digits !== 0n;
  return value.kind === 'pointer' ? value.address !== 0n : undefined;
}

/**
 * What values of several processes can be compared by: of pointers and references what gdb tells beside the address, of a
 * bare address "null" or "not null".
 */
export function comparableText(value: GdbValue): string {
  if (value.kind !== 'pointer' && value.kind !== 'reference') return value.text;
  if (value.told !== '') return value.told;
  return value.address === 0n ? 'null' : 'not null';
}
