/** The condition of the exception filter Floating point: kinds, and ranks. */
import { floatKinds, type FloatKind } from '../../../plugin-api/deaths/death';
import { parseRanks, RankSetError, type RanksOfWorld } from '../../../plugin-api/answers/rank-set';
import { RuleError } from './breakpoint-rules';

export const floatCondition = 'invalid, zero (a division by it), overflow; or ranks, as in invalid, $rank in 0-3';

interface FloatFilter {
  kinds: readonly FloatKind[];
  /** undefined: all. */
  ranks: readonly RanksOfWorld[] | undefined;
}

/** Without kinds all of them. Throws RuleError. */
export function parseFloatFilter(condition: string): FloatFilter {
  const [, set] = /\$rank in ([\d\s,.:-]+)/.exec(condition) ?? [];
  const words = condition
    .replace(/\$rank in [\d\s,.:-]+/, ' ')
    .split(/[\s,;]+|&&/)
    .filter((word) => word !== '');
  const unknown = words.find((word) => !floatKinds.includes(word as FloatKind));
  if (unknown !== undefined)
    throw new RuleError(`"${unknown}" is no kind of floating point exception: use ${floatCondition}`);
  const kinds = words.length === 0 ? floatKinds : floatKinds.filter((kind) => words.includes(kind));
  return { kinds, ranks: set === undefined ? undefined : rankSetIn(set.replace(/[\s,]+$/, '')) };
}

function rankSetIn(text: string): readonly RanksOfWorld[] {
  try {
    return parseRanks(text);
  } catch (error) {
    if (error instanceof RankSetError) throw new RuleError(error.message);
    throw error;
  }
}
