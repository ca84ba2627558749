/** One expression's values in many ranks: equal ones merged, the smallest, the greatest, and who differs. */
import { groupedBy } from '../grouped-by';
import type { RankError, RankId } from '../mpi/records';
import { compareNumbers, type ExactNumber } from './values/exact-number';
import { withoutAddresses } from './values/value-text';
import { describeRanks, mergeEqual, type MergedText } from './merge';

/** What ranks have in common. */
export interface MergedValue extends MergedText {
  /**
   * For a value that is too long to be shown whole: other ranks have the same text, and differ in the rest; or whether the rest
   * of these ranks is equal is unknown.
   */
  beyond?: 'differs' | 'unknown';
  /** Where the expression means several variables of one name: the function whose variable this is. Those are not compared. */
  of?: string;
}

/** The variable that an expression means in a rank. */
export interface VariableMeant {
  /** Equal for the same one. */
  key: string;
  /** "solve"; "main, declared at ring.c:9" where the function has several. */
  where: string;
}

/** What `print` and mpidbg/value answer. */
export interface ValueOverRanks {
  expression: string;
  /** Where the job has several worlds, and all values are of this one: see RankId. */
  world?: string;
  /** The largest group first. */
  values: MergedValue[];
  /** Among the values that are numbers; left out when there are none. `text` is as gdb writes it. */
  minimum?: MergedText;
  maximum?: MergedText;
  /** The ranks whose value is a floating point number that is none (NaN): neither of the two. */
  nan?: string;
  /** The ranks that differ from what most have; left out when all agree, or no value is known to be that of more than half. */
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

/** The bytes of a value, as far as they can be compared. */
export interface Digest {
  /** Values with different ones differ; undefined: nothing is known. */
  hash: string | undefined;
  /** Equal hashes do not prove equal values. */
  isPartial: boolean;
}

/** What kind of value it is, as far as ranks are compared by it; `text`: as it is shown. */
type SingleValue = { readonly text: string } & (
  | { readonly kind: 'number'; readonly number: ExactNumber }
  | { readonly kind: 'notANumber' | 'truth' | 'pointer' | 'reference' | 'array' | 'struct' | 'titled' }
  | { readonly kind: 'optimizedOut' | 'unreadable' | 'none' | 'other' }
);

export interface RankValue {
  rank: RankId;
  text: string;
  /** The text says why there is no value. */
  failed?: boolean;
  /** What the text is; undefined: it is made of several values, or decoded. */
  value?: SingleValue | undefined;
  /** Its type is that of numbers: not of an enumeration, whose values may have no names. */
  isNumber?: boolean;
  /** Set for a text that is not all of the value, where other ranks have the same text. */
  digest?: Digest;
  /** Where other ranks have another one. */
  variable?: VariableMeant;
}

export function valueOverRanks(expression: string, answers: readonly RankValue[]): ValueOverRanks {
  const good = answers.filter(({ failed }) => failed !== true);
  const groups = groupEqual(good).sort((a, b) => b.of.length - a.of.length);
  // Different variables are not compared.
  const isOne = new Set(good.map(({ variable }) => variable?.key)).size < 2;
  const numbers = good.filter(({ isNumber }) => isOne && isNumber !== false);
  const minimum = extreme(numbers, -1);
  const maximum = extreme(numbers, 1);
  const nan = ranksOf(numbers.filter(({ value }) => value?.kind === 'notANumber'));
  const [most] = groups;
  const isMajority = isOne && most !== undefined && 2 * most.of.length > good.length && most.beyond !== 'unknown';
  const those = new Set(most?.of);
  const differ = isMajority ? ranksOf(good.filter((value) => !those.has(value))) : undefined;
  return {
    expression,
    values: groups.flatMap(mergedOf),
    ...(minimum && { minimum }),
    ...(maximum && { maximum }),
    ...(nan === undefined ? {} : { nan }),
    ...(differ === undefined ? {} : { differ }),
    errors: mergeEqual(answers.filter(({ failed }) => failed === true)),
  };
}

/** Ranks with equal values come together, in the order of their first rank. */
export function mergeValues(answers: readonly RankValue[]): MergedValue[] {
  return groupEqual(answers).flatMap(mergedOf);
}

/** For people: the text, and what is known of the rest. */
export function textOfMerged({ of, ...merged }: MergedValue): string {
  return of === undefined ? textWithRest(merged) : `${textWithRest(merged)} · in ${of}`;
}

function textWithRest({ text, beyond }: Omit<MergedValue, 'of'>): string {
  if (beyond === undefined) return text;
  return `${text} · ${beyond === 'differs' ? 'differs beyond this part' : 'equal in the part that is shown'}`;
}

/** Ranks whose values are equal but for addresses, which differ in every process. */
interface Group {
  of: readonly RankValue[];
  beyond?: MergedValue['beyond'];
}

function groupEqual(values: readonly RankValue[]): Group[] {
  const alike = groupedBy(
    values,
    ({ rank: { world }, text, failed, variable }) =>
      `${world} ${failed === true} ${variable?.key} ${withoutAddresses(text)}`,
  );
  return [...alike.values()].flatMap((of) => (of.some(({ digest }) => digest !== undefined) ? byDigest(of) : [{ of }]));
}

/** Groups values with the same text, which is not all of them. */
function byDigest(values: readonly RankValue[]): Group[] {
  if (values.some(({ digest }) => digest?.hash === undefined)) return [{ of: values, beyond: 'unknown' }];
  const groups = [...groupedBy(values, ({ digest }) => digest!.hash!).values()];
  return groups.map((of) => {
    if (of.length > 1 && of.some(({ digest }) => digest!.isPartial)) return { of, beyond: 'unknown' };
    return groups.length > 1 ? { of, beyond: 'differs' } : { of };
  });
}

/** One for each text: addresses are told as they are. */
function mergedOf({ of, beyond }: Group): MergedValue[] {
  const where = of[0]?.variable?.where;
  return mergeEqual(of).map((merged) => ({
    ...merged,
    ...(beyond && { beyond }),
    ...(where === undefined ? {} : { of: where }),
  }));
}

/** The ranks with the greatest number (`sign` 1), or the smallest one (-1). */
function extreme(values: readonly RankValue[], sign: 1 | -1): MergedText | undefined {
  const numbers = values.flatMap((each) =>
    each.value?.kind === 'number' ? [{ value: each, number: each.value.number }] : [],
  );
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
  return values.length === 0 ? undefined : describeRanks(values.map(({ rank }) => rank));
}
