/** Which variables an expression means in each rank: those of one name in different functions, or blocks, are not the same one. */
import { basename } from 'node:path';
import { freeNames } from '../../expressions/expression';
import type { ThreadFrame } from '../../expressions/frames';
import { declarationOf, type Declaration } from '../../gdb/declaration';
import type { VariableMeant } from '../../../plugin-api/answers/value-over-ranks';

/**
 * Each answer with the variable that it is of, where that is another one in another rank. `at`: the frame that it was evaluated in;
 * undefined: it has no value.
 */
export async function withVariablesMeant<Answer extends Evaluated>(
  source: string,
  answers: readonly Answer[],
): Promise<(Answer & { variable?: VariableMeant })[]> {
  const found = await withFunctions(source, answers);
  return found.map((answer) => {
    const { of, variable } = answer;
    if (of === undefined) return answer;
    const where = [variable?.where, of].filter((each) => each !== undefined).join(', ');
    return { ...answer, variable: { key: JSON.stringify([variable?.key, of]), where } };
  });
}

/** `of`: which of several variables of one name it is. */
interface Evaluated {
  at?: ThreadFrame | undefined;
  of?: string;
}

async function withFunctions<Answer extends Evaluated>(
  source: string,
  answers: readonly Answer[],
): Promise<(Answer & { variable?: VariableMeant })[]> {
  const names = freeNames(source);
  if (areOfOnePlace(answers) || names.length === 0) return [...answers];
  const meant = await Promise.all(answers.map(({ at }) => declarations(at, names)));
  const keys = new Set(meant.flatMap((each) => (each === undefined ? [] : [keyOf(each)])));
  if (keys.size < 2) return [...answers];
  const keysOfFunctions = new Map<string, Set<string>>();
  for (const [i, { at }] of answers.entries()) {
    const [found, fn] = [meant[i], at?.frame.function ?? ''];
    if (found !== undefined) keysOfFunctions.set(fn, (keysOfFunctions.get(fn) ?? new Set()).add(keyOf(found)));
  }
  return answers.map((answer, i) => {
    const [found, fn] = [meant[i], answer.at?.frame.function ?? ''];
    if (found === undefined) return answer;
    const [first] = found.filter((each) => each !== undefined);
    const isAlone = fn !== '' && keysOfFunctions.get(fn)!.size === 1;
    const where =
      isAlone || first === undefined ? fn : [fn, `declared at ${basename(first.file)}:${first.line}`].join(', ');
    return { ...answer, variable: { key: keyOf(found), where: where.replace(/^, /, '') } };
  });
}

/** Whether all of them that have a value were evaluated at one place, where a name means one variable. */
export function areOfOnePlace(answers: readonly { at?: ThreadFrame | undefined }[]): boolean {
  return new Set(answers.flatMap(({ at }) => (at === undefined ? [] : [placeOf(at)]))).size < 2;
}

const placeOf = ({ frame }: ThreadFrame): string => JSON.stringify([frame.function, frame.fullName, frame.line]);

const keyOf = (found: readonly (Declaration | undefined)[]): string => JSON.stringify(found);

async function declarations(
  at: ThreadFrame | undefined,
  names: readonly string[],
): Promise<(Declaration | undefined)[] | undefined> {
  if (at === undefined) return undefined;
  return Promise.all(names.map((name) => declarationOf(at.thread, at.frame.level, name)));
}
