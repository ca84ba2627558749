/**
 * One line of MI output → one record. Works on slices of the line found with indexOf, not on single characters:
 * a 1 MiB memory answer is one long string constant.
 */
import type { MiTuple, MiValue } from './mi-values';

export interface ResultRecord {
  kind: 'result';
  token: number | undefined;
  class: 'done' | 'running' | 'connected' | 'error' | 'exit';
  results: MiTuple;
}

/** exec: *stopped, *running; notify: =thread-created, …; status: +download. */
export interface AsyncRecord {
  kind: 'exec' | 'notify' | 'status';
  class: string;
  results: MiTuple;
}

/** console: ~ what a command printed; target: @ the program's output; log: & gdb's own messages. */
export interface StreamRecord {
  kind: 'console' | 'target' | 'log';
  text: string;
}

export type MiRecord = ResultRecord | AsyncRecord | StreamRecord;

const streams = { '~': 'console', '@': 'target', '&': 'log' } as const;
const asyncs = { '*': 'exec', '=': 'notify', '+': 'status' } as const;
const resultClasses = new Set(['done', 'running', 'connected', 'error', 'exit']);

/**
 * A line that is not MI (from a library of gdb that writes to its standard output): undefined. `line` has no line end.
 */
export function parseRecord(line: string): MiRecord | undefined {
  const match = /^(\d*)([~@&*=+^])/.exec(line);
  if (match === null) return undefined;
  const mark = match[2] as keyof typeof streams | keyof typeof asyncs | '^';
  const parser = new Parser(line, match[0].length);
  try {
    switch (mark) {
      case '~':
      case '@':
      case '&':
        return { kind: streams[mark], text: parser.constant() };
      case '^': {
        const name = parser.name();
        if (!resultClasses.has(name)) return undefined;
        const token = match[1] === '' ? undefined : Number(match[1]);
        return { kind: 'result', token, class: name as ResultRecord['class'], results: parser.results() };
      }
      case '*':
      case '=':
      case '+':
        return { kind: asyncs[mark], class: parser.name(), results: parser.results() };
    }
  } catch (error) {
    if (error instanceof NotMiError) return undefined;
    throw error;
  }
}

class NotMiError extends Error {}

class Parser {
  constructor(
    private readonly line: string,
    private at: number,
  ) {}

  /** An identifier: up to the next mark. */
  name(): string {
    const expression = /[^,={}[\]"]+/y;
    expression.lastIndex = this.at;
    const match = expression.exec(this.line);
    if (match === null) throw new NotMiError();
    this.at = expression.lastIndex;
    return match[0];
  }

  /** ",name=value,name=value" to the end of the line. */
  results(): MiTuple {
    const tuple = new TupleBuilder();
    while (this.at < this.line.length) {
      this.expect(',');
      this.result(tuple);
    }
    return tuple.values;
  }

  /** A string constant, including its quotes. */
  constant(): string {
    this.expect('"');
    const start = this.at;
    let end = this.line.indexOf('"', start);
    // A quote with an odd number of backslashes before it belongs to the text.
    while (end !== -1 && this.isEscaped(end, start)) end = this.line.indexOf('"', end + 1);
    if (end === -1) throw new NotMiError();
    this.at = end + 1;
    return unescaped(this.line.slice(start, end));
  }

  private isEscaped(quote: number, start: number): boolean {
    let backslashes = 0;
    while (quote - backslashes > start && this.line[quote - backslashes - 1] === '\\') backslashes += 1;
    return backslashes % 2 === 1;
  }

  private result(into: TupleBuilder): void {
    const name = this.name();
    this.expect('=');
    into.add(name, this.value());
  }

  private value(): MiValue {
    switch (this.line[this.at]) {
      case '"':
        return this.constant();
      case '{':
        return this.tuple();
      case '[':
        return this.list();
      default:
        throw new NotMiError();
    }
  }

  private tuple(): MiTuple {
    const tuple = new TupleBuilder();
    this.elements('{', '}', () => this.result(tuple));
    return tuple.values;
  }

  private list(): MiValue[] {
    const values: MiValue[] = [];
    this.elements('[', ']', () => {
      if (!'"{['.includes(this.line[this.at] ?? '?')) {
        this.name();
        this.expect('=');
      }
      values.push(this.value());
    });
    return values;
  }

  private elements(open: string, close: string, element: () => void): void {
    this.expect(open);
    if (this.line[this.at] === close) {
      this.at += 1;
      return;
    }
    element();
    while (this.line[this.at] === ',') {
      this.at += 1;
      element();
    }
    this.expect(close);
  }

  private expect(char: string): void {
    if (this.line[this.at] !== char) throw new NotMiError();
    this.at += 1;
  }
}

/** gdb repeats a name in a tuple where it means several values: those become an array, in order. */
class TupleBuilder {
  readonly values: Record<string, MiValue | undefined> = Object.create(null) as Record<string, MiValue | undefined>;
  private readonly repeated = new Set<string>();

  add(name: string, value: MiValue): void {
    const present = this.values[name];
    if (present === undefined) {
      this.values[name] = value;
    } else if (this.repeated.has(name)) {
      (present as MiValue[]).push(value);
    } else {
      this.repeated.add(name);
      this.values[name] = [present, value];
    }
  }
}

const simpleEscapes: Record<string, string> = {
  n: '\n',
  t: '\t',
  r: '\r',
  f: '\f',
  v: '\v',
  a: '\x07',
  b: '\b',
  e: '\x1b',
};

/** gdb writes bytes beyond ASCII as octal escapes: a run of them is UTF-8. */
function unescaped(raw: string): string {
  if (!raw.includes('\\')) return raw;
  return raw.replace(/(?:\\[0-3][0-7]{2})+|\\(.)/g, (escape: string, char: string | undefined) => {
    if (char !== undefined) return simpleEscapes[char] ?? char;
    const bytes = escape
      .slice(1)
      .split('\\')
      .map((octal) => parseInt(octal, 8));
    return Buffer.from(bytes).toString('utf8');
  });
}
