/** What stands behind the lines above the one that has stopped: whole variables, as the Variables view has read them already. */
import { inMargin } from './margin-value';
import type { TextInLine } from './text-in-line';
import { variablesIn } from './variables-in-line';

/**
 * For each line. Lines directly below each other that name the same variable, as eight calls that fill a list of requests, have its
 * value once, behind the first of them. `locals`: by the name as it is in the line, in Fortran in lower case; `room`: characters
 * behind each line.
 */
export function textsOfLinesAbove(
  code: readonly string[],
  isFortran: boolean,
  locals: ReadonlyMap<string, string>,
  room: readonly number[],
): TextInLine[][] {
  let toldAbove = new Set<string>();
  return code.map((text, line) => {
    const told = new Set<string>();
    let rest = room[line]!;
    const texts = variablesIn(text, isFortran).flatMap(({ name, start, isWhole }) => {
      const key = isFortran ? name.toLowerCase() : name;
      if (toldAbove.has(key)) {
        told.add(key);
        return [];
      }
      const value = inMargin(locals.get(key) ?? '');
      // All of an object says little beside a line that is about one of its members; what is in a list is of use anywhere.
      if (value === undefined || (!isWhole && /^[{(]/.test(value))) return [];
      const shown = `${name} = ${value}`;
      if (shown.length > rest) return [];
      rest -= shown.length;
      told.add(key);
      return [{ start, length: name.length, text: shown }];
    });
    toldAbove = told;
    return texts;
  });
}
