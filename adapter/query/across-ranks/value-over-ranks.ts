/** One expression's values in many ranks: equal ones merged, the smallest, the greatest, and who differs. */
import type { RankError, RankId } from '../../../plugin-api/mpi/records';
import { compareNumbers, isNotANumber, numberInText } from '../../gdb/number-text';
import { mergeEqual, type MergedText } from './merge';

/** What `print` and mpidbg/value answer. */
export interface ValueOverRanks {
  expression: string;
  /** The largest group first. */
  values: MergedText[];
  /** Of the values that are numbers; left out when there are none. `text` is as gdb writes it. */
  minimum?: MergedText;
  maximum?: MergedText;
  /** The ranks whose value is a floating point number that is none (NaN): neither of the two. */
  nan?: string;
  /** The ranks that differ from what most have; left out when all agree, or no value is that of more than half. */
  differ?: string;
  /** What ranks say that have no value. */
  errors: MergedText[];
}

/** What `print` answers as JSON. */
export interface ValuesDocument {
  schema: 'mpidbg/1';
  target: 'live' | 'core';
  expressions: ValueOverRanks[];
  /** The ranks that could not be asked at all. */
  errors: RankError[];
}

export interface RankValue {
  rank: RankId;
  text: string;
  /** The text says why there is no value. */
  failed?: boolean;
  /** Though it reads as a number it is none, as an enumeration without a name for its value. */
  isNumber?: boolean;
}

export function valueOverRanks(expression: string, answers: readonly RankValue[]): ValueOverRanks {
  const good = answers.filter(({ failed }) => failed !== true);
  const counts = new Map<string, number>();
  for (const { text } of good) counts.set(text, (counts.get(text) ?? 0) + 1);
  const counted = mergeEqual(good).map((merged) => ({ merged, count: counts.get(merged.text)! }));
  const values = counted.sort((a, b) => b.count - a.count).map(({ merged }) => merged);
  const numbers = good.filter(({ isNumber }) => isNumber !== false);
  const minimum = extreme(numbers, -1);
  const maximum = extreme(numbers, 1);
  const nan = ranksOf(good.filter(({ text }) => isNotANumber(text)));
  const [most] = counted;
  const majority = most !== undefined && 2 * most.count > good.length ? most.merged.text : undefined;
  const differ = majority === undefined ? undefined : ranksOf(good.filter(({ text }) => text !== majority));
  return {
    expression,
    values,
    ...(minimum && { minimum }),
    ...(maximum && { maximum }),
    ...(nan === undefined ? {} : { nan }),
    ...(differ === undefined ? {} : { differ }),
    errors: mergeEqual(answers.filter(({ failed }) => failed === true)),
  };
}

/** The ranks with the greatest number (`sign` 1), or the smallest one (-1). */
function extreme(values: readonly RankValue[], sign: 1 | -1): MergedText | undefined {
  const numbers = values.flatMap((value) => {
    const number = numberInText(value.text);
    return number === undefined ? [] : [{ value, number }];
  });
  const [first, ...others] = numbers;
  if (first === undefined) return undefined;
  const best = others.reduce(
    (found, each) => (sign * compareNumbers(each.number, found.number) > 0 ? each : found),
    first,
  );
  const equal = numbers.filter(({ number }) => compareNumbers(number, best.number) === 0);
  return { ranks: ranksOf(equal.map(({ value }) => value))!, text: best.value.text };
}

/** Undefined for none. */
function ranksOf(values: readonly RankValue[]): string | undefined {
  return mergeEqual(values.map(({ rank }) => ({ rank, text: '' })))[0]?.ranks;
}

/** Of C or Fortran, as gdb writes it: false for 0, false, .FALSE. and null pointers. Undefined for what is neither. */
export function truthOf(text: string): boolean | undefined {
  if (/^(true|\.true\.)$/i.test(text)) return true;
  if (/^(false|\.false\.)$/i.test(text)) return false;
  const pointer = /(?:^|\s)(0x[0-9a-f]+)(?:\s|$)/i.exec(text)?.[1];
  if (pointer !== undefined) return BigInt(pointer) !== 0n;
  const number = numberInText(text);
  return number && (number.kind === 'infinite' || number.digits !== 0n);
}
