/** The variables of a C or C++ source that are passed to MPI routines, by function. */
import { mpiRoutine } from './bindings';
import { functionsIn, isOneVariable, type CFunction } from './c-functions';
import type { NumberUse } from './number-names';
import type { SourceLocation } from './program-model';

const routine = /\bP?MPI_\w+(?=\s*\()/g;
/** A variable, member or element that is a whole argument, by address or value. */
const designator = /^[&*]*(\w+(?:(?:\.|->)\w+|\[\d+\])*)$/;

/** The designator in an argument or a queried expression: `left` in `&left`; undefined for any other expression. */
function designatorIn(text: string): string | undefined {
  let bare = text.replace(/\s+/g, '');
  while (/^\([^()]*\)$/.test(bare)) bare = bare.slice(1, -1);
  return designator.exec(bare)?.[1];
}

export class CUses {
  private readonly functions: readonly CFunction[];
  private readonly usesOf = new Map<CFunction, ReadonlyMap<string, NumberUse[]>>();

  /** `code`: without comments and string literals. `locate`: the location of a position in it. */
  constructor(
    private readonly code: string,
    private readonly locate: (index: number) => SourceLocation,
  ) {
    this.functions = functionsIn(code);
  }

  /**
   * The MPI arguments that a variable is passed as in the function at a line; none if its name may mean several
   * variables.
   */
  at(line: number, expression: string): NumberUse[] {
    const asked = designatorIn(expression);
    const around = this.functions.find(
      ({ parameters, end }) => this.locate(parameters).line <= line && line <= this.locate(end).line,
    );
    if (asked === undefined || around === undefined) return [];
    const uses = this.usesIn(around).get(asked) ?? [];
    const [variable = asked] = asked.split(/\W/);
    return uses.length > 0 && isOneVariable(this.code, around, variable) ? uses : [];
  }

  /** Designator → uses. Cached, since each variable of a frame asks for its own. */
  private usesIn(around: CFunction): ReadonlyMap<string, NumberUse[]> {
    let uses = this.usesOf.get(around);
    if (uses === undefined) this.usesOf.set(around, (uses = this.findUses(around)));
    return uses;
  }

  private findUses({ start, end }: CFunction): Map<string, NumberUse[]> {
    const body = this.code.slice(start, end);
    const uses = new Map<string, NumberUse[]>();
    for (const { index, 0: name } of body.matchAll(routine)) {
      const known = mpiRoutine(name.toLowerCase()) ?? [];
      for (const [position, text] of argumentsAt(body, body.indexOf('(', index)).entries()) {
        const argument = known[position];
        const designator = designatorIn(text);
        if (argument === undefined || designator === undefined) continue;
        const location = this.locate(start + index);
        const use = { argument: argument.name, text: argument.description, location };
        uses.set(designator, [...(uses.get(designator) ?? []), use]);
      }
    }
    return uses;
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
