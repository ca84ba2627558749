/** What a line of source reads: variables, and members and elements as `halos[i].pair`, `h->peer` or `s%left`. */
import { codeIn } from './variables-in-line';

export interface ExpressionInLine {
  text: string;
  /** Column, from 0. */
  start: number;
  /** The names in it that are variables of their own: what it begins with, and those of its indices. */
  names: string[];
  /** False: the line calls a function of it. */
  isWhole: boolean;
}

/** Names and numbers, and sums of them: nothing that changes a variable. */
const index = String.raw`\s*\w+\s*(?:[-+*]\s*\w+\s*)*`;
const c = new RegExp(
  String.raw`(?<![\w.>:]|->\s*)[A-Za-z_]\w*(?:\s*(?:\.|->)\s*[A-Za-z_]\w*|\s*\[${index}\])*(?!\w|\s*::)`,
  'y',
);
const fortran = new RegExp(
  String.raw`(?<![\w.]|%\s*)[A-Za-z]\w*(?:\s*%\s*[A-Za-z]\w*|\s*\(${index}(?:,${index})*\))*(?!\w)`,
  'y',
);
/** In an expression: not a member. */
const nameInC = /(?<![\w.]|->\s*)[A-Za-z_]\w*/g;
const nameInFortran = /(?<![\w.]|%\s*)[A-Za-z]\w*/g;
const lastMember = /\s*(?:\.|->)\s*\w+$/;
/** Words of the languages; and what is in capitals in C, macros and constants, needs no explanation. */
const words =
  /^(?:if|for|while|switch|return|else|case|do|sizeof|new|delete|throw|const|auto|static|struct|void|bool|char|short|int|long|float|double|unsigned|signed|true|false|nullptr|this|\w+_cast)$/;
const wordsOfFortran =
  /^(?:call|if|then|else|end\w*|do|while|print|write|read|allocate|deallocate|return|stop|select|case|mpi_\w+)$/i;

/** Each once, in the order of the line. `isVariable`: Fortran writes an element as it writes a call. */
export function expressionsIn(
  line: string,
  isFortran: boolean,
  isVariable: (name: string) => boolean,
): ExpressionInLine[] {
  const code = codeIn(line, isFortran);
  const pattern = isFortran ? fortran : c;
  const found = new Map<string, ExpressionInLine>();
  for (let at = 0; at < code.length; at++) {
    pattern.lastIndex = at;
    const whole = pattern.exec(code)?.[0];
    if (whole === undefined) continue;
    const [root = ''] = /^\w+/.exec(whole) ?? [];
    const isCalled = /^\s*\(/.test(code.slice(at + (isFortran ? root : whole).length));
    if (isFortran && isCalled && !isVariable(root)) {
      at += root.length;
      continue;
    }
    const isNone = isFortran ? wordsOfFortran.test(root) : words.test(root) || /^[A-Z][A-Z0-9_]*$/.test(root);
    const isWhole = isFortran || !isCalled;
    const text = isWhole ? whole : lastMember.test(whole) ? whole.replace(lastMember, '') : '';
    if (text !== '' && !isNone) {
      const all = [...text.matchAll(isFortran ? nameInFortran : nameInC)];
      const names = all.map(([name]) => name);
      const parts = all
        .slice(1)
        .map(({ 0: name, index: column }) => ({ text: name, start: at + column, names: [name] }));
      for (const each of [{ text, start: at, names, isWhole }, ...parts.map((part) => ({ ...part, isWhole: true }))]) {
        const key = isFortran ? each.text.toLowerCase() : each.text;
        if (!found.has(key)) found.set(key, each);
      }
    }
    at += whole.length - 1;
  }
  return [...found.values()];
}
