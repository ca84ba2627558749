/** The values of expressions as people read them: a row for each group of ranks, and below them who is odd. */
import { isOneRank, namedRanks } from '../../mpi/rank-names';
import { counted } from '../../counted';
import type { RankError } from '../../mpi/records';
import { visibleListing } from '../../visible-text';
import { isRankSet, parseRankSet } from '../rank-set';
import { inWorld } from '../../mpi/worlds';
import { mergeAlike } from '../merge';
import { textOfMerged, type MergedValue, type ValueOverRanks } from '../value-over-ranks';
import { inColumns, type Row } from './labelled-rows';
import { unopenedLines } from './rank-table';
import { allWithShortNumbers } from '../values/short-numbers';
import { isAddress, withoutToldAddresses } from '../values/value-text';

/** Rows of one expression; and characters of one value. */
const maxRows = 8;
const maxLength = 120;

interface Values {
  expressions: readonly ValueOverRanks[];
  errors?: readonly RankError[];
}

/** `full`: every group, all digits and all of each value; `howToSeeAll`: the command that shows that. */
interface Extent {
  full?: boolean;
  howToSeeAll?: string;
}

/** Expressions with a value come first. */
export function valuesText({ expressions, errors = [] }: Values, extent: Extent = {}): string {
  const hasValue = ({ values }: ValueOverRanks): boolean => values.length > 0;
  const sorted = [...expressions.filter(hasValue), ...expressions.filter((each) => !hasValue(each))];
  const rows = sorted.flatMap((each) => rowsOf(each, extent));
  return visibleListing([...inColumns(rows), ...unopenedLines({ ranks: errors })]);
}

function rowsOf(value: ValueOverRanks, { full = false, howToSeeAll = '--full' }: Extent): Row[] {
  const { expression, values, errors, minimum, maximum } = value;
  const groups = full ? values : alike(values);
  const texts = [...groups, ...(minimum ? [minimum] : []), ...(maximum ? [maximum] : [])].map(({ text }) => text);
  const short = full ? undefined : allWithShortNumbers(texts);
  const shown = (text: string): string => (full ? text : cutValue(short?.get(text) ?? text, howToSeeAll));
  const rows = groups.map((group) => ({
    label: '',
    ...(full ? {} : { mayBreak: true as const }),
    ranks: inWorld(value.world, group.ranks),
    text: full ? textOfMerged(group) : cutMerged(group, howToSeeAll, short?.get(group.text)),
  }));
  const kept = full ? rows : rows.slice(0, maxRows);
  const left = rows.length - kept.length;
  const rest = left === 0 ? [] : [`and ${counted(left, 'other value')}: see ${howToSeeAll}`];
  const below = [...rest, summary(value, shown)].filter((text) => text !== '');
  const all = [
    ...kept,
    ...below.map((text) => ({ label: '', ranks: '', text })),
    ...errors.map((error) => ({ label: '', ...error, ranks: inWorld(value.world, error.ranks) })),
  ];
  return all.map((row, index) => (index === 0 ? { ...row, label: expression } : row));
}

/**
 * Handles are alike where only numbers of ranks differ, which each rank has another of, and all values where only addresses
 * inside them do; an address that is all of a value tells two apart.
 */
function alike(values: readonly MergedValue[]): readonly MergedValue[] {
  const short = values.map((value) => ({ ...value, text: withoutToldAddresses(value.text) }));
  const isApart = ({ ranks, text, beyond, of }: MergedValue): boolean =>
    of !== undefined || beyond === 'differs' || !isRankSet(ranks) || isAddress(text);
  const [first] = short;
  if (first === undefined || short.some((each) => isApart(each) || each.beyond !== first.beyond)) return short;
  const byRank = short.flatMap(({ ranks, text }) =>
    parseRankSet(ranks).flatMap(([from, to]) =>
      Array.from({ length: to - from + 1 }, (_, i) => ({ rank: { rank: from + i }, text })),
    ),
  );
  const merged = mergeAlike(byRank, 'hidden');
  const { beyond } = first;
  return merged.length < values.length ? merged.map((each) => ({ ...each, ...(beyond && { beyond }) })) : short;
}

/** `minimum 7 (ranks 0-2), maximum 9 (rank 3); rank 3 differs`; '' where nothing is odd. */
function summary(
  { world, values, minimum, maximum, nan, differ }: ValueOverRanks,
  shown: (text: string) => string,
): string {
  const named = (ranks: string): string => `${namedRanks(inWorld(world, ranks))}`;
  const range =
    minimum === undefined || maximum === undefined || minimum.text === maximum.text
      ? ''
      : `minimum ${shown(minimum.text)} (${named(minimum.ranks)}), maximum ${shown(maximum.text)} (${named(maximum.ranks)})`;
  const none = nan === undefined || values.length === 1 ? '' : `not a number in ${named(nan)}`;
  const odd = differ === undefined ? '' : `${named(differ)} ${isOneRank(differ) ? 'differs' : 'differ'}`;
  return [range, none, odd].filter((part) => part !== '').join('; ');
}

/** A value on one line: the beginning of a long one, and how to see all of it. */
function cutValue(text: string, howToSeeAll: string): string {
  return `${beginning(text)}${isLong(text) ? allBy(howToSeeAll) : ''}`;
}

/** The value of several ranks on one line, `short` where it is given: what is known of the rest, and behind it how to see all of it. */
export function cutMerged(value: MergedValue, howToSeeAll: string, short = value.text): string {
  return `${textOfMerged({ ...value, text: beginning(short) })}${isLong(short) ? allBy(howToSeeAll) : ''}`;
}

export function allBy(howToSeeAll: string): string {
  return ` (all: ${howToSeeAll})`;
}

function isLong(text: string): boolean {
  return text.length > maxLength;
}

function beginning(text: string): string {
  return isLong(text) ? `${text.slice(0, maxLength)}…` : text;
}
