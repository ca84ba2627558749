/**
 * Where a Fortran program calls a procedure. For a call that passes a local scalar to an INTENT(OUT) argument, as `ierror` of MPI's modules, gfortran (12 to
 * 16) notes the line of what is around it: the heading of the procedure, the IF, the end of the SELECT CASE. In the source are the lines of all such calls.
 */
import { logicalLines, locationIn, type SourceForm } from './source-lines';

/** All calls of one procedure in the code of a function, in the order of that code. */
export interface NotedCalls {
  /** As the linker has it: "mpi_barrier_f08_", "__ice_MOD_melt". */
  symbol: string;
  /** The line that the compiler has noted for each. */
  lines: readonly (number | undefined)[];
  /** Which of them is meant. */
  index: number;
  /** The line of the function's own statement; the name of the main program. */
  heading: number | string;
}

/** undefined: the source does not call it. wrong: it does, but not in the line that is noted, and which call it is cannot be told. */
export function lineOfCall(text: string, form: SourceForm, calls: NotedCalls): number | 'wrong' | undefined {
  const { lines, index } = calls;
  const statements = callsBelow(text, form, calls);
  if (statements.length === 0) return undefined;
  // What several calls share is the line of what is around them.
  const ofCall = lines.map((line) => {
    const isShared = lines.filter((each) => each === line).length > 1;
    return isShared || line === undefined
      ? undefined
      : statements.find(({ first, last }) => first <= line && line <= last);
  });
  if (ofCall[index] !== undefined) return lines[index];
  const others = statements.filter((each) => !ofCall.includes(each));
  const rank = ofCall.slice(0, index).filter((each) => each === undefined).length;
  const isInOrder = others.length === ofCall.filter((each) => each === undefined).length;
  return (isInOrder ? others[rank] : others.length === 1 ? others[0] : undefined)?.first ?? 'wrong';
}

interface Statement {
  first: number;
  last: number;
}

const endOfPart = /^\s*(\d+\s+)?(contains|end|end\s*(program|subroutine|function|procedure)(\s+\w+)?)\s*$/i;

function callsBelow(text: string, form: SourceForm, { symbol, heading }: NotedCalls): Statement[] {
  const call = new RegExp(String.raw`\bcall\s+p?${procedureNamed(symbol)}\b`, 'gi');
  const program = typeof heading === 'string' ? new RegExp(String.raw`^\s*program\s+${heading}\b`, 'i') : undefined;
  let begins = typeof heading === 'number' ? heading : Infinity;
  const found: Statement[] = [];
  for (const line of logicalLines(text, form)) {
    const { line: at } = locationIn(line, 0);
    if (program?.test(line.text) === true) begins = at;
    if (at <= begins) continue;
    if (endOfPart.test(line.text)) break;
    for (const { index } of line.text.matchAll(call))
      found.push({ first: locationIn(line, index).line, last: line.parts.at(-1)!.line });
  }
  return found;
}

/** "mpi_barrier", "melt". */
function procedureNamed(symbol: string): string {
  const plain = symbol.replace(/^__\w+_MOD_/, '').replace(/\.\d+.*$/, '');
  return plain.replace(/^p(?=mpi)/, '').replace(/(_f08|_f08ts)?_{0,2}$/, '');
}
