/** What stands behind the line that has stopped: what it is about to read, whole variables or not, as far as there is room. */
import { expressionsIn } from './expressions-in-line';
import { inMargin } from './margin-value';
import type { TextInLine } from './text-in-line';

/** For one line. */
const maxExpressions = 8;
/** Numbers and the like take little room, and come before what can be shortened. */
const maxShort = 14;
const notSetYet = /^not set yet/;

/** `valueOf`: of one that is no local; undefined where there is none. `locals`: as the Variables view shows them. */
export async function textsOfStoppedLine(
  code: string,
  isFortran: boolean,
  locals: ReadonlyMap<string, string>,
  room: number,
  valueOf: (expression: string) => Promise<string | undefined>,
): Promise<TextInLine[]> {
  const keyOf = (name: string): string => (isFortran ? name.toLowerCase() : name);
  const expressions = expressionsIn(code, isFortran, (name) => locals.has(keyOf(name)))
    // What depends on a variable that has no value yet has none.
    .filter(({ names }) => !names.some((name) => notSetYet.test(locals.get(keyOf(name)) ?? '')))
    .slice(0, maxExpressions);
  const values = await Promise.all(
    expressions.map(async ({ text, start, isWhole }) => {
      const value = locals.get(keyOf(text)) ?? (await valueOf(text));
      return { text, start, value: value !== undefined && (isWhole || !/^[{(]/.test(value)) ? value : '' };
    }),
  );
  let rest = room;
  const isShort = ({ text, value }: { text: string; value: string }): boolean => text.length + value.length < maxShort;
  return [...values.filter(isShort), ...values.filter((each) => !isShort(each))].flatMap(({ text, start, value }) => {
    const begin = `${text} = `;
    const short = inMargin(value, rest - begin.length);
    if (short === undefined || begin.length + short.length > rest) return [];
    rest -= begin.length + short.length;
    return [{ start, length: text.length, text: `${begin}${short}` }];
  });
}
