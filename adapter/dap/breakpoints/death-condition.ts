/** The condition of an exception filter on errors of MPI: `class == MPI_ERR_TRUNCATE && comm == "ocean" && $rank in 0-3`. */
import type { FailedObject } from '../../../plugin-api/deaths/death-facts';
import { errorClassMeaning } from '../../../plugin-api/mpi/error-classes';
import type { Rank } from '../../job/rank';
import { hasRank, parseRanks, RankSetError } from '../../../plugin-api/answers/rank-set';
import { RuleError } from './breakpoint-rules';

export interface DeathCondition {
  /** Whether what it compares with takes a look at the rank's MPI. */
  readonly needsMpi: boolean;
  /** `firstWorld`: which is meant where ranks are named without their world. */
  holds(rank: Rank, of: FailedObject, firstWorld: string): boolean;
}

type Test = DeathCondition['holds'];

const syntax =
  'compare class, comm or $rank, as in class == MPI_ERR_TRUNCATE, comm == "ocean", $rank in 0-3; join comparisons with && and ||, or put ! before one in parentheses';

/** Throws RuleError. */
export function parseDeathCondition(text: string): DeathCondition {
  const reader = new Reader(text);
  const holds = reader.whole();
  return { needsMpi: reader.needsMpi, holds };
}

const text = String.raw`"((?:[^"\\]|\\.)*)"`;
const comparison = String.raw`\s*(==|!=)\s*`;
const commName = String.raw`(?:${text}|(MPI_COMM_(?:WORLD|SELF|PARENT|NULL)\b))`;
const className = String.raw`(MPI_ERR_[A-Z_]+)`;

/** Parentheses and negations within one another. */
const maxDepth = 100;

class Reader {
  needsMpi = false;
  private at = 0;
  private depth = 0;

  constructor(private readonly source: string) {}

  whole(): Test {
    const test = this.alternatives();
    if (this.source.slice(this.at).trim() !== '') throw this.refused();
    return test;
  }

  private alternatives(): Test {
    const tests = [this.joined()];
    while (this.take(/\s*(?:\|\||\bor\b)/y)) tests.push(this.joined());
    return (rank, of, firstWorld) => tests.some((test) => test(rank, of, firstWorld));
  }

  private joined(): Test {
    const tests = [this.one()];
    while (this.take(/\s*(?:&&|\band\b)/y)) tests.push(this.one());
    return (rank, of, firstWorld) => tests.every((test) => test(rank, of, firstWorld));
  }

  private one(): Test {
    if (++this.depth > maxDepth) throw new RuleError(`a condition may have ${maxDepth} parentheses within one another`);
    const test = this.single();
    this.depth--;
    return test;
  }

  private single(): Test {
    if (this.take(/\s*(?:!|\bnot\b)\s*(?=\()/y)) {
      const test = this.one();
      return (rank, of, firstWorld) => !test(rank, of, firstWorld);
    }
    if (!this.take(/\s*\(/y)) return this.compared();
    const test = this.alternatives();
    if (!this.take(/\s*\)/y)) throw this.refused();
    return test;
  }

  private compared(): Test {
    const ranks = this.take(/\s*\$rank\s*(?:in\b|(==|!=))\s*(\d[\d\s,.:-]*)/y);
    if (ranks) {
      const set = rankSet(ranks[2]!);
      return (rank, _, firstWorld) => hasRank(set, rank, firstWorld) === (ranks[1] !== '!=');
    }
    this.needsMpi = true;
    const right = this.take(new RegExp(String.raw`\s*class${comparison}${className}`, 'y'));
    const left = right ?? this.take(new RegExp(String.raw`\s*${className}${comparison}class\b`, 'y'));
    if (left) {
      const [operator, name] = right ? [left[1], left[2]] : [left[2], left[1]];
      if (errorClassMeaning(name!) === undefined) throw new RuleError(`MPI has no error class ${name}: ${syntax}`);
      return (_, of) => (of.errorClass === name) === (operator === '==');
    }
    const named = this.take(new RegExp(String.raw`\s*comm${comparison}${commName}`, 'y'));
    const flipped = named ?? this.take(new RegExp(String.raw`\s*${commName}${comparison}comm\b`, 'y'));
    if (!flipped) throw this.refused();
    const [operator, literal, constant] = named ? flipped.slice(1) : [flipped[3], flipped[1], flipped[2]];
    const name = literal?.replace(/\\(.)/g, '$1') ?? constant;
    return (_, { object }) => (object?.kind === 'comm' && object.name === name) === (operator === '==');
  }

  private take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.source);
    if (found !== null) this.at = pattern.lastIndex;
    return found ?? undefined;
  }

  private refused(): RuleError {
    return new RuleError(`"${this.source.slice(this.at).trim()}" is not a condition on MPI errors: ${syntax}`);
  }
}

function rankSet(text: string) {
  try {
    return parseRanks(text.replace(/\s+/g, ''));
  } catch (error) {
    if (error instanceof RankSetError) throw new RuleError(error.message);
    throw error;
  }
}
