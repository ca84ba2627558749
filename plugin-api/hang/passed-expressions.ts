/** What the source passes to calls of MPI as tag, root, count or communicator: the expressions, and the variables in them. */
import { mpiRoutine, mpiSpelling } from '../fortran/bindings';
import { fixedFormExtensions, hasExtension, isFortranFile } from '../fortran/file-names';

/** What an argument is to those who compare it between ranks. */
export type PassedRole = 'tag' | 'root' | 'count' | 'comm';

export interface PassedExpression {
  /** "MPI_Irecv" */
  call: string;
  /** Where the call begins, from 1. */
  line: number;
  role: PassedRole;
  /** "100 * phase + 1" */
  text: string;
  /** Variables, members and elements in it, as a debugger evaluates them; of a communicator only what chooses one of several. */
  names: readonly string[];
}

const roles: Readonly<Record<PassedRole, RegExp>> = {
  tag: /^(tag|sendtag|recvtag)$/,
  root: /^root$/,
  count: /^((send|recv)?counts?)$/,
  comm: /^comm$/,
};

/** How a source is written; free and fixed: Fortran's forms. */
export type SourceForm = 'c' | 'free' | 'fixed';

export function sourceForm(file: string): SourceForm {
  if (!isFortranFile(file)) return 'c';
  return hasExtension(file, fixedFormExtensions) ? 'fixed' : 'free';
}

/** A longer call is none: a bracket is missing. */
const maxCallLetters = 4000;

/** In the lines from `first` to `last`, counted from 1. */
export function passedExpressions(
  source: string,
  { form, first, last }: { form: SourceForm; first: number; last: number },
  wanted: readonly PassedRole[],
): PassedExpression[] {
  const code = withoutTexts(source, form);
  const found: PassedExpression[] = [];
  for (const { 0: word, index } of code.matchAll(/\bP?MPI_\w+\s*(?=\()/gi)) {
    const line = lineOf(code, index);
    if (line < first || line > last) continue;
    const routine = word.trim().toLowerCase();
    const names = mpiRoutine(routine)?.map(({ name }) => name);
    if (names === undefined) continue;
    for (const [position, { keyword, text }] of argumentsOf(code, index + word.length, form).entries()) {
      const name = keyword?.toLowerCase() ?? names[position] ?? '';
      const role = wanted.find((each) => roles[each].test(name));
      if (role !== undefined)
        found.push({ call: mpiSpelling(routine), line, role, text, names: variablesOf(text, { form, role }) });
    }
  }
  return found;
}

/** Comments and texts as blanks, in the same lines. */
function withoutTexts(source: string, form: SourceForm): string {
  const blank = (text: string): string => text.replace(/[^\n]/g, ' ');
  const texts = {
    c: /\/\*[\s\S]*?(\*\/|$)|\/\/[^\n]*|"(\\.|[^"\\\n])*"|'(\\.|[^'\\\n])*'|^[ \t]*#[^\n]*/gm,
    free: /"[^"\n]*"|'[^'\n]*'|![^\n]*/g,
    fixed: /"[^"\n]*"|'[^'\n]*'|![^\n]*|^[cC*dD][^\n]*/gm,
  };
  return source.replace(texts[form], blank);
}

function lineOf(code: string, index: number): number {
  return code.slice(0, index).split('\n').length;
}

interface Argument {
  keyword?: string;
  text: string;
}

/** Split at the commas of the call itself; none where its end is not found. */
function argumentsOf(code: string, open: number, form: SourceForm): Argument[] {
  const parts: string[] = [];
  let [depth, from] = [0, open + 1];
  for (let at = open; at < Math.min(code.length, open + maxCallLetters); at++) {
    const letter = code[at]!;
    if ('([{'.includes(letter)) depth++;
    else if (')]}'.includes(letter)) depth--;
    const isEnd = depth === 0;
    if (!isEnd && !(depth === 1 && letter === ',')) continue;
    parts.push(code.slice(from, at));
    from = at + 1;
    if (isEnd) return parts.map((part) => argumentIn(part, form));
  }
  return [];
}

function argumentIn(part: string, form: SourceForm): Argument {
  const continued = { c: part, free: part.replace(/&[^\S\n]*\n\s*&?/g, ' '), fixed: part.replace(/\n {5}[^ 0]/g, ' ') };
  const text = continued[form].replace(/\s+/g, ' ').trim();
  const [, keyword, value] = form === 'c' ? [] : (/^([a-z]\w*) ?= ?(?!=)(.*)$/i.exec(text) ?? []);
  return keyword === undefined ? { text } : { keyword, text: value! };
}

const pathOfC = /(?<![\w.>])[A-Za-z_]\w*(?:\s*(?:\.|->)\s*[A-Za-z_]\w*|\[[^[\]]*\])*(?!\w|\s*\(|\s*::)/g;
const pathOfFortran = /(?<![\w.%])[A-Za-z]\w*(?:\s*%\s*[A-Za-z]\w*)*(?!\w)/g;

function variablesOf(text: string, { form, role }: { form: SourceForm; role: PassedRole }): string[] {
  const inBrackets = [...text.matchAll(/[[(]([^[\]()]*)[\])]/g)].map(([, inner]) => inner!);
  const parts = role === 'comm' ? inBrackets : form === 'c' ? [text, ...inBrackets] : [text];
  const path = form === 'c' ? pathOfC : pathOfFortran;
  const names = parts.flatMap((part) => [...part.matchAll(path)].map(([name]) => name.replace(/\s+/g, '')));
  return [...new Set(names)].filter((name) => !/^MPI_/i.test(name));
}
