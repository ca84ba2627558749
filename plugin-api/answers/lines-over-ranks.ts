/** Structures, lists and pointers over ranks in few words: what these leave out is compared all the same. */
import { groupedBy } from '../grouped-by';
import { isAddress, isWhole, withoutAddresses } from './values/value-text';
import { formatRankSet, isRankSet, parseRankSet } from './rank-set';
import { mergeValues, type MergedValue, type RankValue } from './value-over-ranks';

/** `line`: the value in few words, where it has such a line. */
export interface ValueWithLine extends RankValue {
  line?: string;
}

/** One row of answers; `isLine`: in few words, which may leave something out. */
export interface MergedLine extends MergedValue {
  isLine: boolean;
}

/** Ranks with equal values come together; where each of several has another value in one line, so do they, and it says that. */
export function mergeLines(answers: readonly ValueWithLine[]): MergedLine[] {
  const withLine = groupedBy(answers, ({ line }) => line);
  const inWords = answers.map(({ line, ...value }): RankValue => {
    if (line === undefined || value.failed === true) return value;
    const isAlone = withLine.get(line)!.length === 1;
    return { ...value, text: line, ...(isAlone ? {} : { digest: digestOf(line, value) }) };
  });
  const merged = mergeValues(inWords).map((value) => ({ ...value, isLine: withLine.has(value.text) }));
  return [...groupedBy(merged, ({ text, of }) => JSON.stringify([text, of])).values()].flatMap(joined);
}

/** A communicator is one to all of its ranks. */
const ownRank = / · rank \d+(?= of \d+\b)/g;

/** By all of the value. What a pointer leads to is not compared beyond the line. */
function digestOf(line: string, { text, digest }: RankValue): NonNullable<RankValue['digest']> {
  if (isPointer(text)) return { hash: isWhole(line) ? line : undefined, isPartial: false };
  const isKnown = digest === undefined || digest.hash !== undefined;
  const hash = isKnown ? JSON.stringify([withoutAddresses(text).replace(ownRank, ''), digest?.hash]) : undefined;
  return { hash, isPartial: digest?.isPartial ?? false };
}

/** Also what std::function has: code and addresses. */
function isPointer(text: string): boolean {
  return leadsElsewhere(text) || /_M_invoker = /.test(text);
}

/** A pointer, also a smart one, as gdb writes it. */
export function leadsElsewhere(text: string): boolean {
  return isAddress(text) || /= \{get\(\) = 0x[0-9a-f]+\}$/.test(text);
}

function joined(rows: readonly MergedLine[]): readonly MergedLine[] {
  const [first] = rows;
  const isEachAlone = rows.every(({ ranks, beyond }) => beyond === 'differs' && /^\d+$/.test(ranks));
  if (first === undefined || rows.length < 2 || !isEachAlone) return rows;
  const ranks = rows.map((row) => row.ranks).join(',');
  return [{ ...first, ranks: isRankSet(ranks) ? formatRankSet(parseRankSet(ranks)) : ranks }];
}
