/** What gdb says of Fortran's variables, in words of Fortran: why one has no value, and texts. */

import type { Language } from './expression';

const absent = 'not there: OPTIONAL and not passed, or a POINTER to nothing';
const assumedSize = 'its size is known to the caller only (*): ask for an element';

/** `text`: a value or an error of gdb in a frame of this language. It stays as it is in C, and where gdb says something else. */
export function inWordsOf(language: Language, text: string): string {
  if (language !== 'fortran') return text;
  const fault = /^<error(?: reading variable)?: (.*)>$/.exec(text)?.[1] ?? text;
  if (/^Cannot access memory at address 0x0\.?$/.test(fault)) return absent;
  if (/^failed to get range bounds\.?$/.test(fault)) return assumedSize;
  // Blanks at the end of a CHARACTER are nothing that one wants to count.
  return text.replace(/', ' ' <repeats \d+ times>/g, "'").replace(/' ' <repeats \d+ times>/g, "' '");
}
