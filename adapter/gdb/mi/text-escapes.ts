/** The characters of a text that gdb writes in octal digits, as everything else of mpidbg writes them: \033 is \u001b. */
import { visible } from '../../../plugin-api/visible-text';

const quoted = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/gs;
const escapes = /(?:\\[0-7]{3})+|\\./gs;

/** What JSON has no letter for. */
const ofCAlone: Readonly<Record<string, string>> = { '\\a': visible('\x07'), '\\v': visible('\v') };

/** A value as gdb writes it. Zeros stay as C writes them, and bytes that are no character in UTF-8 as gdb does. */
export function withVisibleEscapes(value: string): string {
  if (!value.includes('\\')) return value;
  return value.replace(quoted, (text) =>
    text.replace(escapes, (found) => (/^\\[0-7]{3}/.test(found) ? charactersIn(found) : (ofCAlone[found] ?? found))),
  );
}

/** One character in UTF-8, each code unit being a byte; or one byte. */
const character = /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}|[^]/g;

function charactersIn(octal: string): string {
  const bytes = octal.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(parseInt(digits, 8)));
  return bytes.replace(character, (found) => {
    const text = Buffer.from(found, 'latin1').toString('utf8');
    return text === '\0' || text.includes('\ufffd') ? octalOf(found) : visible(text);
  });
}

function octalOf(bytes: string): string {
  return bytes.replace(/[^]/g, (byte) => `\\${byte.charCodeAt(0).toString(8).padStart(3, '0')}`);
}
