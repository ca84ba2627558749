/** The condition of an exception filter on errors of MPI: `class == MPI_ERR_TRUNCATE && comm == "ocean" && $rank in 0-3`. */
import type { Rank } from '../../job/rank';
import { hasRank, parseRanks, RankSetError } from '../../job/rank-set';
import type { DeathObject } from '../../query/deaths/death-facts';
import { RuleError } from './breakpoint-rules';

export interface DeathCondition {
  /** Whether what it compares with takes a look at the rank's MPI. */
  readonly needsMpi: boolean;
  /** `firstWorld`: which is meant where ranks are named without their world. */
  holds(rank: Rank, of: DeathObject, firstWorld: string): boolean;
}

type Test = DeathCondition['holds'];

const syntax =
  'compare class, comm or $rank, as in class == MPI_ERR_TRUNCATE, comm == "ocean", $rank in 0-3; join comparisons with &&';

/** Throws RuleError. */
export function parseDeathCondition(text: string): DeathCondition {
  const parts = text.split(/&&|\band\b(?=(?:[^"]*"[^"]*")*[^"]*$)/).map((part) => part.trim());
  const tests = parts.map(testOf);
  return {
    needsMpi: parts.some((part) => !part.startsWith('$rank')),
    holds: (rank, of, firstWorld) => tests.every((test) => test(rank, of, firstWorld)),
  };
}

function testOf(part: string): Test {
  const ranks = /^\$rank\s*(?:in|(==|!=))\s*([\d\s,.:-]+)$/.exec(part);
  if (ranks !== null) {
    const set = rankSet(ranks[2]!);
    return (rank, _, firstWorld) => hasRank(set, rank, firstWorld) === (ranks[1] !== '!=');
  }
  const errorClass = /^class\s*(==|!=)\s*(MPI_ERR_[A-Z_]+)$/.exec(part);
  if (errorClass !== null) return (_, of) => (of.errorClass === errorClass[2]) === (errorClass[1] === '==');
  const comm = /^comm\s*(==|!=)\s*(?:"([^"]*)"|(MPIX?_COMM_[A-Z_]+))$/.exec(part);
  if (comm !== null) {
    const name = comm[2] ?? comm[3];
    return (_, { object }) => (object?.kind === 'comm' && object.name === name) === (comm[1] === '==');
  }
  throw new RuleError(`"${part}" is no condition on an error of MPI: ${syntax}`);
}

function rankSet(text: string) {
  try {
    return parseRanks(text.replace(/\s+/g, ''));
  } catch (error) {
    if (error instanceof RankSetError) throw new RuleError(error.message);
    throw error;
  }
}
