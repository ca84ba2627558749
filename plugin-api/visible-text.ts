/**
 * Text of programs, files and users as it is shown in terminals, views and reports. Characters that a terminal obeys, that
 * turn the direction of the text around them, or that nobody sees, are written as JavaScript writes them: \u202e.
 */

const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** What is one line stays one. */
export function visible(text: string): string {
  return text.replace(unseen, escaped);
}

/** A text of these lines, each of which stays one. */
export function visibleListing(lines: readonly string[]): string {
  return lines.map((line) => `${visible(line)}\n`).join('');
}

/** For texts of several lines: their ends, and tabs, are what they are. */
export function visibleLines(text: string): string {
  return text.replace(unseen, (character) => (/[\n\t]/.test(character) ? character : escaped(character)));
}

/** JSON, in whose strings alone such characters are: it means the same. */
export function visibleJson(json: string): string {
  return json.replace(unseen, (character) =>
    character === '\n' ? character : character.split('').map(escaped).join(''),
  );
}

function escaped(character: string): string {
  const code = character.codePointAt(0)!.toString(16);
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
}
