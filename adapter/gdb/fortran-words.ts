/** Translates gdb's words about values, most of Fortran variables: why one has no value, and strings. */
import { failureInValue, failureOf } from './mi/failure';
import { withoutTrailingBlanks } from './mi/character-text';
import { absent, absentOrLost } from './python/fortran-operands';

/** In the one line of a structure. */
export const typeUnknown = '<type unknown>';
const assumedSize = 'only the caller knows its size (*): ask for an element';
const noOperands =
  'an operator has no meaning for its operands: compare numbers with numbers, CHARACTER variables with a text as in ' +
  'name == "ocean", and of arrays and COMPLEX variables one element or part';
const emptySection = 'a section here has no elements: its last subscript comes before its first one';
const noSuchSubscript = 'a subscript is outside of the bounds of its array';

/** Shown for a null POINTER or ALLOCATABLE that is not an array: the debug information does not tell which of the two it is. */
export const nothingThere = '<not allocated or associated>';

/** No program has variables below. */
const firstPage = 4096n;

/** `text`: a value or an error of gdb in a frame of this language. It stays as it is where gdb says something else. */
export function inWordsOf(language: 'c' | 'fortran', text: string): string {
  if (language !== 'fortran') return withUnnamedBits(text);
  const failure = failureInValue(text) ?? failureOf(text);
  if (failure.reason === 'noLocation') return absentOrLost;
  // Or a component of it.
  if (failure.reason === 'cannotRead' && failure.address < firstPage) return absent;
  if (failure.reason === 'noBounds') return assumedSize;
  if (failure.reason === 'noOperands') return noOperands;
  if (failure.reason === 'emptySection') return emptySection;
  if (failure.reason === 'noSuchSubscript') return noSuchSubscript;
  if (failure.reason === 'notAllocated') return 'the array is not allocated';
  if (failure.reason === 'notAssociated') return 'the array is not associated';
  if (failure.reason === 'notThere') return 'the array is not allocated or not associated';
  return writtenInWords(withoutTrailingBlanks(text));
}

/** Bits that none of the names of an enumeration has: "(A | unknown: 0x8)", "(unknown: 0x1f)" of a std::byte. */
export function withUnnamedBits(text: string): string {
  const [, named = '', bits] = /^\(((?:[\w:]+ \| )*)unknown: (0x[0-9a-f]+)\)$/.exec(text) ?? [];
  if (bits === undefined) return text;
  return named === '' ? bits : `(${named}${bits})`;
}

/**
 * A value written out: what gdb takes for void is a component whose type the compiler left out, and the lengths of texts are components
 * that it has added.
 */
export function writtenInWords(text: string): string {
  return text.replace(/'[^']*'|\bvoid\b|, _\w+_length = \w+/g, (found) => {
    if (found.startsWith("'")) return found;
    return found === 'void' ? typeUnknown : '';
  });
}
