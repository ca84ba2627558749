/** The names in a line of source that may be variables: comments and texts hold none, and a call's name is none. */

interface NameInLine {
  name: string;
  /** Column, from 0. */
  start: number;
  /** False: the line has only members of it. */
  isWhole: boolean;
}

/** The line without its comments and texts, in the same columns. */
export function codeIn(line: string, isFortran: boolean): string {
  return isFortran ? withoutTextsOfFortran(line) : withoutTextsOfC(line);
}

/** Not those of members. */
const namesOfC = /(?<![\w.>])(?<!->\s*)[A-Za-z_]\w*/g;
const namesOfFortran = /(?<![\w.])(?<!%\s*)[A-Za-z_]\w*/g;

/** Each name once. A debugger knows which of them are variables. */
export function variablesIn(line: string, isFortran: boolean): NameInLine[] {
  const code = codeIn(line, isFortran);
  const found = new Map<string, NameInLine>();
  for (const { 0: name, index } of code.matchAll(isFortran ? namesOfFortran : namesOfC)) {
    const key = isFortran ? name.toLowerCase() : name;
    const isWhole = !(isFortran ? /^\s*%/ : /^\s*(\.|->)/).test(line.slice(index + name.length));
    const known = found.get(key);
    if (known === undefined) found.set(key, { name, start: index, isWhole });
    else known.isWhole ||= isWhole;
  }
  return [...found.values()];
}

/** Blanks instead, so that columns stay. */
const blank = (text: string): string => ' '.repeat(text.length);

function withoutTextsOfC(line: string): string {
  return line.replace(/\/\*.*?(\*\/|$)|\/\/.*$|"(\\.|[^"\\])*"|'(\\.|[^'\\])*'|^\s*#.*$/g, blank);
}

function withoutTextsOfFortran(line: string): string {
  return line.replace(/"[^"]*"|'[^']*'|!.*$|^[cC*]\s.*$/g, blank);
}
