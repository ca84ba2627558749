/** One expression's values in many ranks: equal ones merged, the smallest, the greatest, and who differs. */
import type { RankId } from '../../../plugin-api/mpi/records';
import { visibleListing } from '../../../plugin-api/visible-text';
import { mergeEqual, type MergedText } from './merge';

export interface ValueOverRanks {
  expression: string;
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

export interface RankValue {
  rank: RankId;
  text: string;
  /** The text says why there is no value. */
  failed?: boolean;
}

export function valueOverRanks(expression: string, answers: readonly RankValue[]): ValueOverRanks {
  const good = answers.filter(({ failed }) => failed !== true);
  const values = mergeEqual(good);
  const numbers = good.flatMap(({ text }) => {
    const number = numberOf(text);
    return number === undefined ? [] : [{ text, number }];
  });
  const extreme = (isBetter: (a: Numeric, b: Numeric) => boolean): MergedText | undefined => {
    const [first, ...others] = numbers;
    if (first === undefined) return undefined;
    const best = others.reduce((found, each) => (isBetter(each.number, found.number) ? each : found), first);
    return values.find(({ text }) => text === best.text);
  };
  const minimum = extreme((a, b) => a < b);
  const maximum = extreme((a, b) => a > b);
  const notNumbers = good.filter(({ text }) => /^-?nan\b/i.test(text)).map(({ rank }) => ({ rank, text: '' }));
  const nan = mergeEqual(notNumbers)[0]?.ranks;
  const majority = values.find(({ text }) => 2 * good.filter((each) => each.text === text).length > good.length);
  const others = good.filter(({ text }) => text !== majority?.text).map(({ rank }) => ({ rank, text: '' }));
  const differ = majority === undefined ? undefined : mergeEqual(others)[0]?.ranks;
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

/** `0-2: 7`, `3: 9`, and a last line `minimum 7 (0-2), maximum 9 (3); rank 3 differs`. */
export function valueText({ values, minimum, maximum, nan, differ, errors }: ValueOverRanks): string {
  const lines = [...values, ...errors].map(({ ranks, text }) => `${ranks}: ${text}`);
  const range =
    minimum === undefined || maximum === undefined || minimum.text === maximum.text
      ? []
      : [`minimum ${minimum.text} (${minimum.ranks}), maximum ${maximum.text} (${maximum.ranks})`];
  const odd =
    differ === undefined ? [] : [`${/^\d+$/.test(differ) ? `rank ${differ} differs` : `ranks ${differ} differ`}`];
  const none = nan === undefined || values.length === 1 ? [] : [`not a number: ${nan}`];
  const summary = [...range, ...none, ...odd].join('; ');
  return visibleListing([...lines, ...(summary === '' ? [] : [summary])]);
}

/** Of C or Fortran, as gdb writes it: false for 0, false, .FALSE. and null pointers. Undefined for what is neither. */
export function truthOf(text: string): boolean | undefined {
  if (/^(true|\.true\.)$/i.test(text)) return true;
  if (/^(false|\.false\.)$/i.test(text)) return false;
  const pointer = /(?:^|\s)(0x[0-9a-f]+)(?:\s|$)/i.exec(text)?.[1];
  const number = numberOf(text) ?? (pointer === undefined ? undefined : BigInt(pointer));
  return number === undefined ? undefined : Number(number) !== 0;
}

type Numeric = number | bigint;

/** gdb writes characters as `97 'a'`. */
function numberOf(text: string): Numeric | undefined {
  const word = /^(\S+)(?: '.*')?$/.exec(text)?.[1];
  if (word === undefined) return undefined;
  if (/^-?\d+$/.test(word)) return BigInt(word);
  return /^-?(\d+\.?\d*([eE][+-]?\d+)?|inf)$/.test(word) ? Number(word.replace('inf', 'Infinity')) : undefined;
}
