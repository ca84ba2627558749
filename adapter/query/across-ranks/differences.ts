/** The variables of one function that differ between ranks, the most telling first. */
import { groupedBy } from '../../../plugin-api/grouped-by';
import { countRanks } from '../../../plugin-api/mpi/rank-names';
import type { RankId } from '../../../plugin-api/mpi/records';
import type { LocalValue } from './local-values';
import { valueOverRanks, type ValueOverRanks } from '../../../plugin-api/answers/value-over-ranks';

/** What mpidbg/differences answers. */
export interface Differences {
  /** The function whose variables are compared. */
  function: string;
  /** The ranks that are in it. */
  ranks: string;
  variables: ValueOverRanks[];
  /** The names of those that are equal in all these ranks. */
  alike: string[];
}

export interface RankVariables {
  rank: RankId;
  variables: readonly ComparedVariable[];
}

export interface ComparedVariable extends Omit<LocalValue, 'frame'> {
  /** Differs where the function has several variables of this name. */
  declared?: string;
}

/** By name, as the first rank that has it lists them. `compound`: arrays and structs, compared already. */
export function differencesOf(
  ranks: readonly RankVariables[],
  compound: readonly ValueOverRanks[] = [],
): Pick<Differences, 'variables' | 'alike'> {
  const names = new Set(ranks.flatMap(({ variables }) => variables.map(({ name }) => name)));
  const simple = [...names].flatMap((name) => {
    const all = ranks.flatMap(({ rank, variables }) =>
      variables.filter((each) => each.name === name).map((each) => ({ rank, ...each })),
    );
    // Those of one name in different blocks of the function are not the same one.
    return [...groupedBy(all, ({ declared }) => declared ?? '').values()].map((same) =>
      valueOverRanks(
        name,
        same.map(({ rank, text, value }) => ({ rank, text, value })),
      ),
    );
  });
  const compared = [...simple, ...compound];
  const differing = compared.filter(({ values }) => values.length > 1);
  const whole = new Set(compound);
  return {
    variables: differing
      // An array is known by its text alone.
      .map((value) => ({ value, weight: weightOf(value) - (whole.has(value) ? 10 : 0) }))
      .sort((a, b) => b.weight - a.weight)
      .map(({ value }) => value),
    alike: [...new Set(compared.filter(({ values }) => values.length === 1).map(({ expression }) => expression))],
  };
}

/**
 * NaN comes first, then variables on which most ranks agree (the fewer differ, the earlier), then all others (the larger the
 * relative difference, the earlier); last those that have another value in each rank, as its own number is.
 */
function weightOf({ nan, differ, minimum, maximum, values }: ValueOverRanks): number {
  if (nan !== undefined) return 4;
  if (differ !== undefined) return 2 + 1 / (1 + countRanks(differ));
  const ranks = values.reduce((count, each) => count + countRanks(each.ranks), 0);
  const isOwn = ranks > 2 && values.length === ranks ? -1 : 0;
  const [low, high] = [Number(minimum?.text), Number(maximum?.text)];
  const scale = Math.max(Math.abs(low), Math.abs(high));
  // From 0 (all alike) to 1; of texts we only know that they differ.
  const spread = Number.isFinite(scale) && scale > 0 ? (high - low) / (2 * scale) : values.length > 1 ? 0.5 : 0;
  return isOwn + spread;
}
