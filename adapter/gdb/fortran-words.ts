/** Translates gdb's words about Fortran variables: why one has no value, and strings. */
import { failureInValue, failureOf } from './mi/failure';
import { withoutTrailingBlanks } from './mi/character-text';

const absent = 'absent: OPTIONAL and not passed, or a POINTER to nothing';
/** In the one line of a structure. */
export const typeUnknown = '<type unknown>';
const assumedSize = 'only the caller knows its size (*): ask for an element';

/** `text`: a value or an error of gdb in a frame of this language. It stays as it is in C, and where gdb says something else. */
export function inWordsOf(language: 'c' | 'fortran', text: string): string {
  if (language !== 'fortran') return text;
  const failure = failureInValue(text) ?? failureOf(text);
  if (failure.reason === 'noLocation' || (failure.reason === 'cannotRead' && failure.address === 0n)) return absent;
  if (failure.reason === 'noBounds') return assumedSize;
  return withUntoldTypes(withoutTrailingBlanks(text));
}

/** A value written out: what gdb takes for void is a component whose type the compiler left out. */
export function withUntoldTypes(text: string): string {
  return text.replace(/'[^']*'|\bvoid\b/g, (word) => (word === 'void' ? typeUnknown : word));
}
