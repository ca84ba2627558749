/** Where an expression begins and ends in a line, end exclusive, in UTF-16 units. */
export interface ExpressionRange {
  start: number;
  end: number;
}

const reference = /[a-z_]\w*(?:\s*(?:\([^()]*\))?\s*%\s*[a-z_]\w*)*/gi;

/**
 * The Fortran expression that a hover at a character of a line is about: the name there with the components before it,
 * `domain%halo(2)%comm` on `comm`, `domain%halo` on `halo`. Undefined in a comment, in a text constant and between names.
 */
export function expressionAt(line: string, character: number): ExpressionRange | undefined {
  const code = withoutTextAndComment(line);
  for (const match of code.matchAll(reference)) {
    const start = match.index;
    if (character < start || character >= start + match[0].length) continue;
    for (const part of match[0].matchAll(/%?\s*([a-z_]\w*)\s*(\([^()]*\))?/gi)) {
      const nameStart = start + part.index + part[0].indexOf(part[1] ?? '');
      const end = nameStart + (part[1]?.length ?? 0);
      if (character < end) return character >= nameStart ? { start, end } : undefined;
      const afterIndex = start + part.index + part[0].length;
      if (character < afterIndex) return expressionInParentheses(code, end, afterIndex, character);
    }
  }
  return undefined;
}

/** An index has its own expressions: the hover on `i` in `a(i)%b` is about `i`. */
function expressionInParentheses(
  code: string,
  from: number,
  to: number,
  character: number,
): ExpressionRange | undefined {
  for (const match of code.slice(from, to).matchAll(/[a-z_]\w*/gi)) {
    const start = from + match.index;
    const end = start + match[0].length;
    if (character >= start && character < end) return { start, end };
  }
  return undefined;
}

/** The line with text constants and the comment blanked out, of the same length. */
function withoutTextAndComment(line: string): string {
  return line.replace(/'[^']*'?|"[^"]*"?|!.*$/g, (text) => ' '.repeat(text.length));
}
