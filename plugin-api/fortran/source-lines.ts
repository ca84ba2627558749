/**
 * Splits Fortran source into logical lines: comments removed, continuations joined, each piece with its position in the
 * file. Free form: Fortran 2018, 6.3.2; fixed form: 6.3.3. Preprocessor lines are passed through unchanged.
 */
import { fixedFormExtensions, hasExtension } from './file-names';

export type SourceForm = 'free' | 'fixed';

/** The characters of the text from index `at` on are at this line and column of the file (both from 1). */
export interface LinePart {
  readonly at: number;
  readonly line: number;
  readonly column: number;
}

/** One or more statements, separated by `;`, or one preprocessor line, which begins with "#". */
export interface LogicalLine {
  readonly text: string;
  readonly parts: readonly LinePart[];
}

/** By file name, as compilers do. */
export function sourceFormOf(path: string): SourceForm {
  return hasExtension(path, fixedFormExtensions) ? 'fixed' : 'free';
}

/** The position in the file of a character of a logical line. */
export function locationIn(line: LogicalLine, at: number): { line: number; column: number } {
  let part = line.parts[0] as LinePart;
  for (const next of line.parts) {
    if (next.at > at) break;
    part = next;
  }
  return { line: part.line, column: part.column + at - part.at };
}

/** A physical line without its comment. `quote`: the quote that is still open at its end; '': none. */
interface Code {
  text: string;
  quote: string;
}

/** Removes the comment. `quote`: the quote of a string literal that is open at the start of the line; '': none. */
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

/**
 * `!$ statement` is code if OpenMP is enabled (OpenMP 5.2, 3.3): the sentinel becomes blanks. `!$omp` is a directive.
 */
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
    const isContinued = text.endsWith('&');
    // Without a leading &, the continuation line starts with a new token.
    if (continues && lead === undefined && quote === '') joiner.add(' ', index + 1, 1);
    joiner.add(isContinued ? text.slice(0, -1) : text, index + 1, start + 1);
    continues = isContinued;
    // A literal that neither ends nor continues is an error in the source; it affects only this line.
    quote = isContinued ? code.quote : '';
    if (!continues) {
      const line = joiner.take();
      if (line !== undefined) yield line;
    }
  }
  const last = joiner.take();
  if (last !== undefined) yield last;
}

/** Columns 73 to 80 held the number of a punched card; longer lines are code for compilers that allow them. */
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
    const uncommented = physical.replace(/^[!cC*]\$(?=[ \d]{3})/, '  ');
    if (/^[cC*!dD]/.test(uncommented) || !/\S/.test(uncommented)) continue;
    const line = withoutCardNumber(withoutTab(uncommented));
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
