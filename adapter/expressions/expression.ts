/** The text of a query: `[KIND[.f]:]EXPR`, and MPI's names inside expressions that gdb is to evaluate. */
import type { MpiConstant } from '../../plugin-api/mpi/plugin';
import type { HandleKind } from '../../plugin-api/mpi/records';
import { handleKinds, typeNames } from '../../plugin-api/mpi/describe';

export interface QueryExpression {
  /** As the user wrote it, prefix included. */
  text: string;
  /** The kind that the prefix names; undefined: the declared type decides. */
  kind: HandleKind | undefined;
  /** `comm:`, `comm.f:` or nothing. */
  prefix: string;
  /** `KIND.f:`: the expression is a Fortran INTEGER handle. */
  isFortran: boolean;
  /** What is to be evaluated. */
  source: string;
}

/** Skips texts and characters, and finds numbers of C++ as `1'000`. */
const separated = /"(?:[^"\\]|\\.)*"|(?<![\w$.])(\d[\da-fA-FxX.]*(?:'[\da-fA-F]+)+)|'(?:[^'\\]|\\.)*'/g;

/** The same numbers as gdb reads them: `1000`. */
export function withoutDigitSeparators(source: string): string {
  if (!/[\da-f]'[\da-f]/i.test(source)) return source;
  return source.replace(separated, (whole: string, number?: string) => number?.replaceAll("'", '') ?? whole);
}

const prefix = new RegExp(`^\\s*(${handleKinds.join('|')})(\\.f)?:(?!:)`);

/** Splits the prefix off. `comm::world` is C++, not the kind comm. */
export function parseQueryExpression(text: string): QueryExpression {
  const match = prefix.exec(text);
  if (match === null)
    return { text, kind: undefined, prefix: '', isFortran: false, source: withoutDigitSeparators(text.trim()) };
  return {
    text,
    kind: match[1] as HandleKind,
    prefix: match[0].trimStart(),
    isFortran: match[2] !== undefined,
    source: withoutDigitSeparators(text.slice(match[0].length).trim()),
  };
}

/** What is wrong with the part before the colon; undefined: nothing. `ns::x` and `a ? b : c` have no such part. */
export function prefixFault(text: string): string | undefined {
  const [whole, word, rest] = /^\s*([A-Za-z_][\w.]*)\s*:(?!:)(.*)$/s.exec(text) ?? [];
  if (whole === undefined || word === undefined) return undefined;
  if (!prefix.test(text))
    return `"${word}" is not a kind of handle: the kinds are ${handleKinds.join(', ')}, also with .f behind them`;
  return rest?.trim() === '' ? `there is no expression after "${word}:"` : undefined;
}

export type Language = 'c' | 'fortran';

/** Literal numbers that an expression may consist of: 3, -2, 0x84000001. undefined when it is anything else. */
export function parseInteger(source: string): bigint | undefined {
  const match = /^\s*([+-]?)\s*(0[xX][0-9a-fA-F]+|\d+)\s*$/.exec(source);
  if (match === null) return undefined;
  const value = BigInt(match[2]!);
  return match[1] === '-' ? -value : value;
}

// Skips strings, characters and Fortran's operators, and finds identifiers with the character before each.
const token =
  /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\.(?:not|and|or|n?eqv|eq|ne|lt|le|gt|ge)\.|(\.|->|::|%|\$)?\s*([A-Za-z_][A-Za-z_0-9]*)|0[xX][0-9a-fA-F]+|\d+\w*/gi;

/** The names that an expression looks up in a scope: not members, not gdb's $variables, not namespaces. */
export function freeNames(source: string): string[] {
  const names = new Set<string>();
  const read = withoutDigitSeparators(source);
  for (const match of read.matchAll(token)) {
    const isNamespace = /^\s*::/.test(read.slice(match.index + match[0].length));
    if (match[2] !== undefined && match[1] === undefined && !isNamespace) names.add(match[2]);
  }
  return [...names];
}

/**
 * The expression with MPI's own names replaced by their values, for gdb, which does not know macros. `handle` writes a
 * handle constant in the given language; names that the program itself declares are left alone by passing a lookup
 * that does not know them. `addressOf`: how the address of a library's variable is written.
 */
export function substituteConstants(
  source: string,
  language: Language,
  lookup: (name: string) => MpiConstant | undefined,
  handleType: (kind: HandleKind) => string = (kind) => typeNames[kind],
  addressOf: (symbol: string) => string = (symbol) => `&${symbol}`,
): string {
  const comparable = language === 'fortran' ? withComparedHandles(source, lookup) : source;
  return comparable.replace(token, (whole: string, before: string | undefined, name: string | undefined) => {
    // In Fortran a dot ends an operator, as in .and.
    const isMember = before !== undefined && !(language === 'fortran' && before === '.');
    if (name === undefined || isMember) return whole;
    const constant = lookup(language === 'fortran' ? name.toUpperCase() : name);
    const text = constant === undefined ? undefined : constantText(constant, language, handleType, addressOf);
    return text === undefined ? whole : whole.slice(0, -name.length) + text;
  });
}

const fortranPath = String.raw`(?<![\w%$:]|%\s)[A-Za-z_]\w*(?:\s*%\s*\w+|\s*\([^()]*\))*`;
const fortranComparison = String.raw`\s*(?:==|/=|\.eq\.|\.ne\.)\s*`;
/** A variable and a name of MPI that are compared, in either order; texts of the program are passed over. */
const comparison = new RegExp(
  String.raw`"[^"]*"|'[^']*'|(${fortranPath})(${fortranComparison})(MPIX?_\w+)\b|(?<![\w%$:]|%\s)(MPIX?_\w+)(${fortranComparison})(${fortranPath})`,
  'gi',
);

/**
 * gdb compares no derived types. What is compared with a handle of MPI is read as the INTEGER that it begins with: the
 * only component of a TYPE(MPI_Comm), and an INTEGER itself. Every handle lies in memory, as MPI's routines take it by
 * reference.
 */
function withComparedHandles(source: string, lookup: (name: string) => MpiConstant | undefined): string {
  const isHandle = (name: string): boolean => {
    const constant = lookup(name.toUpperCase());
    return constant?.kind === 'handle' && constant.fortran !== undefined;
  };
  const asInteger = (path: string): string => `*((integer *)&(${path}))`;
  return source.replace(comparison, (whole: string, ...groups: (string | undefined)[]) => {
    const [left, operator, constant, firstConstant, secondOperator, right] = groups;
    if (left !== undefined && constant !== undefined)
      return isHandle(constant) && !isHandle(left) ? `${asInteger(left)}${operator}${constant}` : whole;
    if (firstConstant !== undefined && right !== undefined)
      return isHandle(firstConstant) && !isHandle(right)
        ? `${firstConstant}${secondOperator}${asInteger(right)}`
        : whole;
    return whole;
  });
}

/** A constant as an expression of the language; undefined where the language has no such constant. */
function constantText(
  constant: MpiConstant,
  language: Language,
  handleType: (kind: HandleKind) => string,
  addressOf: (symbol: string) => string,
): string | undefined {
  const isFortran = language === 'fortran';
  switch (constant.kind) {
    case 'integer':
      return numberText((isFortran ? constant.fortran : undefined) ?? constant.value);
    case 'fortranInteger':
      return isFortran ? numberText(constant.value) : undefined;
    case 'pointer':
      return isFortran ? undefined : `((void *)0x${constant.address.toString(16)})`;
    case 'handle': {
      if (isFortran) return constant.fortran === undefined ? undefined : `(${constant.fortran})`;
      const value = constant.symbol === undefined ? `0x${constant.handle.toString(16)}` : addressOf(constant.symbol);
      return `((${handleType(constant.handleKind)})${value})`;
    }
  }
}

function numberText(value: number): string {
  return value < 0 ? `(${value})` : String(value);
}
