/** Text in lines that a terminal holds. */

/** Terminals are that wide, or wider. */
export const lineWidth = 100;

/** Words of ours in lines of at most `width` characters; a longer word has its own. */
export function wrapped(text: string, width = lineWidth): string[] {
  return brokenAfter(text.replace(/\s+/g, ' '), ' ', width);
}

/** The same of a text of the program, whose blanks stay: it is broken after `separator` alone. */
export function brokenAfter(text: string, separator: ' ' | ', ', width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const piece of text.split(separator === ' ' ? /(?<= )/ : /(?<=, )/)) {
    if (line !== '' && line.length + piece.trimEnd().length > width) {
      lines.push(line.trimEnd());
      line = '';
    }
    line += piece;
  }
  return [...lines, line];
}

/** Each line of a text in lines of at most `lineWidth` characters. */
export function inLines(text: string): string {
  return text
    .split('\n')
    .flatMap((line) => brokenAfter(line, ' ', lineWidth))
    .join('\n');
}
