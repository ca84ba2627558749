/**
 * Fortran source as logical lines: without comments, continuations joined, each piece knowing its position in the file.
 * Free form: Fortran 2018, 6.3.2; fixed form: 6.3.3. Lines of the preprocessor come through as they are.
 */
import { fixedFormExtensions, hasExtension } from './file-names';

export type SourceForm = 'free' | 'fixed';

/** The characters of text from `at` on stand in this line from this column on (both from 1). */
export interface LinePart {
  readonly at: number;
  readonly line: number;
  readonly column: number;
}

/** One or more statements (`;` is left in), or one line of the preprocessor, which begins with "#". */
export interface LogicalLine {
  readonly text: string;
  readonly parts: readonly LinePart[];
}

/** By the name, as compilers do. */
export function sourceFormOf(path: string): SourceForm {
  return hasExtension(path, fixedFormExtensions) ? 'fixed' : 'free';
}

/** Where a character of a logical line stands. */
export function locationIn(line: LogicalLine, at: number): { line: number; column: number } {
  let part = line.parts[0] as LinePart;
  for (const next of line.parts) {
    if (next.at > at) break;
    part = next;
  }
  return { line: part.line, column: part.column + at - part.at };
}

/** A physical line's code, with the quote that is still open at its end ('' none). */
interface Code {
  text: string;
  quote: string;
}

/** Cuts the comment off. `quote`: the string literal that is open where the line begins. */
function withoutComment(text: string, quote: string): Code {
  if (quote === '' && !/[!'"]/.test(text)) return { text, quote: '' };
  let open = quote;
  for (let i = 0; i < text.length; i++) {
    const c = text[i] as string;
    if (open !== '') {
      if (c === open) open = '';
    } else if (c === '"' || c === "'") open = c;
    else if (c === '!') return { text: text.slice(0, i), quote: '' };
  }
  return { text, quote: open };
}

/** Collects the pieces of one logical line. */
class Joiner {
  text = '';
  parts: LinePart[] = [];

  get isEmpty(): boolean {
    return this.parts.length === 0;
  }

  add(piece: string, line: number, column: number): void {
    this.parts.push({ at: this.text.length, line, column });
    this.text += piece;
  }

  take(): LogicalLine | undefined {
    const line = { text: this.text, parts: this.parts };
    this.text = '';
    this.parts = [];
    return /\S/.test(line.text) ? line : undefined;
  }
}

/** `!$ statement`: code when OpenMP is on (OpenMP 5.2, 3.3); the sentinel becomes blanks. `!$omp` is a directive. */
const conditionalCode = /^(\s*)!\$(?=[\s&])/;

function* freeLines(lines: readonly string[]): Generator<LogicalLine> {
  const joiner = new Joiner();
  let quote = '';
  let continues = false;
  for (const [index, physical] of lines.entries()) {
    const raw = quote === '' && physical.includes('!$') ? physical.replace(conditionalCode, '$1  ') : physical;
    if (quote === '' && raw.startsWith('#')) {
      yield { text: raw, parts: [{ at: 0, line: index + 1, column: 1 }] };
      continue;
    }
    const lead = /^\s*&/.exec(raw)?.[0].length;
    const start = continues && lead !== undefined ? lead : 0;
    const code = withoutComment(raw.slice(start), quote);
    // A comment or blank line between continued lines changes nothing.
    if (continues && quote === '' && !/\S/.test(code.text)) continue;
    const text = code.text.trimEnd();
    const goesOn = text.endsWith('&');
    // Without a leading & the next line's token is a new one.
    if (continues && lead === undefined && quote === '') joiner.add(' ', index + 1, 1);
    joiner.add(goesOn ? text.slice(0, -1) : text, index + 1, start + 1);
    continues = goesOn;
    // A literal that neither ends nor continues is the author's error; the damage stays in this line.
    quote = goesOn ? code.quote : '';
    if (!continues) {
      const line = joiner.take();
      if (line !== undefined) yield line;
    }
  }
  const last = joiner.take();
  if (last !== undefined) yield last;
}

/** Columns 73 to 80 held the number of a punched card; what is longer is code of a compiler that allows longer lines. */
function withoutCardNumber(line: string): string {
  return line.length > 72 && line.length <= 80 && /^[A-Z]{0,4}\d+\s*$/.test(line.slice(72)) ? line.slice(0, 72) : line;
}

/** A tab in the first six columns ends the label field (an extension of all compilers). */
function withoutTab(line: string): string {
  const tab = line.slice(0, 6).indexOf('\t');
  if (tab < 0) return line;
  const rest = line.slice(tab + 1);
  return /^[1-9]/.test(rest) ? `     ${rest}` : `${line.slice(0, tab).padEnd(6)}${rest}`;
}

function* fixedLines(lines: readonly string[]): Generator<LogicalLine> {
  const joiner = new Joiner();
  let quote = '';
  for (const [index, physical] of lines.entries()) {
    if (physical.startsWith('#')) {
      yield { text: physical, parts: [{ at: 0, line: index + 1, column: 1 }] };
      continue;
    }
    const unlocked = physical.replace(/^[!cC*]\$(?=[ \d]{3})/, '  ');
    if (/^[cC*!dD]/.test(unlocked) || !/\S/.test(unlocked)) continue;
    const line = withoutCardNumber(withoutTab(unlocked));
    const isContinuation = /^ {5}[^ 0]/.test(line) && !/^\s*!/.test(line.slice(0, 5));
    if (!isContinuation) {
      const done = joiner.take();
      if (done !== undefined) yield done;
      quote = '';
    } else if (joiner.isEmpty) continue;
    const start = isContinuation ? 6 : 0;
    const code = withoutComment(line.slice(start), quote);
    quote = code.quote;
    joiner.add(isContinuation ? code.text : code.text.replace(/^(.{5})0/, '$1 '), index + 1, start + 1);
  }
  const last = joiner.take();
  if (last !== undefined) yield last;
}

/** The logical lines of a source text, in order. Never fails: invalid source is split as well as possible. */
export function logicalLines(text: string, form: SourceForm): Generator<LogicalLine> {
  const lines = text.split(/\r?\n/);
  return form === 'free' ? freeLines(lines) : fixedLines(lines);
}
