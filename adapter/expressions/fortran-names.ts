/**
 * Variables and components with names that gdb takes for Fortran intrinsics: `rank`, the most common name in MPI programs,
 * is a syntax error in gdb 13. `function::rank` is not; a component is read by a function.
 */
import { componentOf } from '../gdb/python/fortran-components';
import { intrinsics, reservedWords } from '../gdb/python/reserved-words';

export function isIntrinsic(name: string): boolean {
  return intrinsics.includes(name.toLowerCase());
}

/** An intrinsic, or another word that gdb does not take for a variable. */
function isReserved(name: string): boolean {
  return reservedWords.includes(name.toLowerCase());
}

/** The expression for gdb that is this variable of this function; the name alone where gdb reads it. */
export function fortranVariable(name: string, inFunction: string | undefined): string {
  return inFunction !== undefined && isReserved(name) ? `${inFunction}::${name}` : name;
}

/** Reserved names, in lower case, that the function's variables have; `hasParts`: subscripts can follow it. */
export type ReservedVariables = ReadonlyMap<string, { hasParts: boolean }>;

/**
 * The same for every such variable and component in an expression. A name before a parenthesis is the intrinsic itself, as long as no
 * array or CHARACTER of `variables` hides it. prepareComponents has to come before what gdb evaluates.
 */
export function withFortranVariables(
  source: string,
  inFunction: string | undefined,
  variables?: ReservedVariables,
): string {
  const isVariable = (name: string, use: Use): boolean => {
    const found = variables?.get(name.toLowerCase());
    if (use === 'called') return found?.hasParts === true;
    // A rule is written before any variable is known.
    return found !== undefined || isIntrinsic(name) || (variables === undefined && use === 'value' && isReserved(name));
  };
  return withComponents(
    replaceNames(source, (name, use) => (isVariable(name, use) ? fortranVariable(name, inFunction) : name)),
  );
}

/** The names of the expression that may be variables although they are reserved, in lower case. */
export function reservedNamesIn(source: string): string[] {
  const found = new Set<string>();
  replaceNames(source, (name) => {
    if (isReserved(name)) found.add(name.toLowerCase());
    return name;
  });
  return [...found];
}

/** `type`: alone in parentheses, where a type may be meant, or before what `sizeof` is asked of. */
type Use = 'called' | 'type' | 'value';

function replaceNames(source: string, replaced: (name: string, use: Use) => string): string {
  return source.replace(
    /"[^"]*"|'[^']*'|(%\s*|::|\$)?\b([A-Za-z]\w*)\b(?!\s*::)(?=\s*(\(|\)|\*\s*\)|[\w*&])?)/g,
    (whole: string, before: string | undefined, name: string | undefined, next: string | undefined, at: number) => {
      if (name === undefined || before !== undefined) return whole;
      if (next === '(') return replaced(name, 'called');
      const isType = next === ')' ? /\(\s*$/.test(source.slice(0, at)) : next !== undefined && next !== '*';
      return replaced(name, isType && !isIntrinsic(name) ? 'type' : 'value');
    },
  );
}

/**
 * From the left: what stands before a component has been rewritten by then. `isWanted`: the component cannot be read by
 * gdb itself; prepareComponents has to come before what gdb evaluates.
 */
export function withComponents(source: string, isWanted = isReserved): string {
  for (const match of source.matchAll(/"[^"]*"|'[^']*'|\s*%\s*([A-Za-z]\w*)/g)) {
    const [whole, name] = match;
    if (name === undefined || !isWanted(name)) continue;
    const start = startOfObject(source, match.index);
    const before = source.slice(0, start) + componentOf(source.slice(start, match.index), name);
    return withComponents(before + source.slice(match.index + whole.length), isWanted);
  }
  return source;
}

/** Where the object begins that ends at `end`: names with their indexes, joined by % or ::. */
function startOfObject(source: string, end: number): number {
  let start = end;
  for (let depth = 0; start > 0; start--) {
    const char = source[start - 1]!;
    if (char === ')') depth++;
    else if (char === '(' && depth === 0) break;
    else if (char === '(') depth--;
    else if (depth === 0 && !/[\w%:$ ]/.test(char)) break;
  }
  return start + /^\s*/.exec(source.slice(start, end))![0].length;
}
