/** Which variables of a C or C++ source are arguments of MPI's routines, each in its function. */
import { mpiRoutine } from './bindings';
import { functionsIn, isOneVariable, type CFunction } from './c-functions';
import type { NumberUse } from './number-names';
import type { SourceLocation } from './program-model';

const routine = /\bP?MPI_\w+(?=\s*\()/g;
/** A variable, a member or an element: whole arguments, by address or value. */
const designator = /^[&*]*(\w+(?:(?:\.|->)\w+|\[\d+\])*)$/;

/** The designator of what is written as an argument or asked for: `left` of `&left`; undefined for any other expression. */
function designatorIn(text: string): string | undefined {
  let bare = text.replace(/\s+/g, '');
  while (/^\([^()]*\)$/.test(bare)) bare = bare.slice(1, -1);
  return designator.exec(bare)?.[1];
}

export class CUses {
  private readonly functions: readonly CFunction[];

  /** `code`: without comments and texts. `locate`: of a position in it. */
  constructor(
    private readonly code: string,
    private readonly locate: (index: number) => SourceLocation,
  ) {
    this.functions = functionsIn(code);
  }

  /** What MPI's routines are given this variable as, in the function around a line; none where it may be several variables. */
  at(line: number, expression: string): NumberUse[] {
    const asked = designatorIn(expression);
    const around = this.functions.find(
      ({ parameters, end }) => this.locate(parameters).line <= line && line <= this.locate(end).line,
    );
    if (asked === undefined || around === undefined) return [];
    const [variable = asked] = asked.split(/\W/);
    if (!isOneVariable(this.code, around, variable)) return [];
    return this.usesIn(around, asked);
  }

  private usesIn({ start, end }: CFunction, asked: string): NumberUse[] {
    const body = this.code.slice(start, end);
    return [...body.matchAll(routine)].flatMap(({ index, 0: name }) => {
      const known = mpiRoutine(name.toLowerCase()) ?? [];
      return argumentsAt(body, body.indexOf('(', index)).flatMap((text, position) => {
        const argument = known[position];
        if (argument === undefined || designatorIn(text) !== asked) return [];
        return [{ argument: argument.name, text: argument.description, location: this.locate(start + index) }];
      });
    });
  }
}

/** The arguments of a call, split at its own commas. */
function argumentsAt(code: string, open: number): string[] {
  const found: string[] = [];
  let depth = 0;
  let from = open + 1;
  for (const { index, 0: character } of code.slice(open).matchAll(/[()[\]{},]/g)) {
    const at = open + index;
    if (/[([{]/.test(character)) depth++;
    else if (/[)\]}]/.test(character)) depth--;
    if (depth > 1 || (depth === 1 && character !== ',')) continue;
    found.push(code.slice(from, at));
    from = at + 1;
    if (depth === 0) break;
  }
  return found;
}
