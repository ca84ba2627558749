/** The texts that gdb writes of values, made fit to be compared and shown: with parts that differ in each process left out. */

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

/**
 * Without what classes of C++'s library have around their one value, as std::array, std::complex and std::chrono::duration: "{1, 2}" for
 * "{_M_elems = {1, 2}}". Such names are kept for the library.
 */
export function withoutLibraryShells(text: string): string {
  const written: string[] = [];
  const open: { at: number; isShell: boolean }[] = [];
  for (const [token] of text.matchAll(
    /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\{(?:(?:_M_\w+|__[rd]) = )?|[},]|[^"'{},]+|["']/gs,
  )) {
    if (token.startsWith('{')) open.push({ at: written.length, isShell: token.length > 1 });
    else if (token === ',' && open.length > 0) open.at(-1)!.isShell = false;
    const ended = token === '}' ? open.pop() : undefined;
    if (ended?.isShell === true) written[ended.at] = '';
    else written.push(token);
  }
  return written.join('');
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

const brackets: Readonly<Record<string, string>> = { '{': '}', '(': ')', '[': ']' };

/**
 * As many whole elements or members of a written value as fit, `…` for the rest, and its brackets closed: "{a = 1, b = {2, …}}". What
 * has none is cut where it has to be.
 */
export function cutBetweenParts(text: string, length: number): string {
  if (text.length <= length) return text;
  const open: string[] = [];
  let quote: string | undefined;
  let kept = `${text.slice(0, length)}…`;
  for (let i = 0; i < length; i++) {
    const each = text[i]!;
    if (quote !== undefined) {
      if (each === '\\') i++;
      else if (each === quote) quote = undefined;
    } else if (each === '"' || each === "'") quote = each;
    else if (brackets[each] !== undefined) open.unshift(brackets[each]);
    else if (each === open[0]) open.shift();
    else if (each === ',' && text[i + 1] === ' ') kept = `${text.slice(0, i)}, …${open.join('')}`;
  }
  return kept;
}
