import { visible } from '../../../plugin-api/visible-text';

/** Text of the debuggee for files of any format: one line of characters that all of them can have. */
export function plainText(text: string): string {
  return visible(text).replace(/[\uFFFE\uFFFF]/g, '\uFFFD');
}

/** The same of text that mpidbg has written in several lines. */
export function plainLines(text: string): string {
  return text.split('\n').map(plainText).join('\n');
}
