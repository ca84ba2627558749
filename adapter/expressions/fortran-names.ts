/**
 * Variables and components with names that gdb takes for Fortran intrinsics: `rank`, the most common name in MPI programs,
 * is a syntax error in gdb 13. `function::rank` is not; a component is read by a function.
 */
import { componentOf } from '../gdb/python/fortran-components';

const intrinsics = new Set([
  'abs',
  'allocated',
  'aimag',
  'associated',
  'ceiling',
  'cmplx',
  'double',
  'floor',
  'kind',
  'lbound',
  'loc',
  'mod',
  'modulo',
  'precision',
  'rank',
  'shape',
  'single',
  'size',
  'ubound',
]);

export function isIntrinsic(name: string): boolean {
  return intrinsics.has(name.toLowerCase());
}

/** The expression for gdb that is this variable of this function; the name alone where gdb reads it. */
export function fortranVariable(name: string, inFunction: string | undefined): string {
  return inFunction !== undefined && isIntrinsic(name) ? `${inFunction}::${name}` : name;
}

/**
 * The same for every such variable and component in an expression. A name before a parenthesis is the intrinsic itself.
 * prepareComponents has to come before what gdb evaluates.
 */
export function withFortranVariables(source: string, inFunction: string | undefined): string {
  const named = source.replace(
    /"[^"]*"|'[^']*'|(%\s*|::|\$)?\b([A-Za-z]\w*)\b(?!\s*(?:\(|::))/g,
    (whole, before, name: string) =>
      name === undefined || before !== undefined ? whole : fortranVariable(whole, inFunction),
  );
  return withComponents(named);
}

/**
 * From the left: what stands before a component has been rewritten by then. `isWanted`: the component cannot be read by
 * gdb itself; prepareComponents has to come before what gdb evaluates.
 */
export function withComponents(source: string, isWanted = isIntrinsic): string {
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
