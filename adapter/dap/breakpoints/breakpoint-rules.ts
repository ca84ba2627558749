/** What users attach to a breakpoint: hit counts, log messages, conditions for some ranks. */
import { ownWorld } from '../../../plugin-api/mpi/worlds';
import type { ExpressionSyntax } from '../../gdb/mi/context';
import { isAssignment } from '../../gdb/mi/read-only';
import { syntaxFault } from '../../expressions/syntax-faults';
import type { HitTest, LogPart } from '../../gdb/python/stop-rule';
import { withRank } from '../../gdb/python/rank-words';
import { parseRanks, RankSetError } from '../../../plugin-api/answers/rank-set';

/** Invalid text; the message says what is valid. */
export class RuleError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'RuleError';
  }
}

/**
 * `5` and `>= 5`: from the fifth hit on; `== 5`, `> 5`, `< 5`, `<= 5`, `!= 5`; `% 5`: every fifth hit. Each rank counts
 * its own hits, and only those whose condition held. Throws RuleError.
 */
export function parseHitCondition(text: string): HitTest {
  const match = /^\s*(<=?|>=?|==?|!=|%)?\s*(\d{1,15})\s*$/.exec(text);
  if (match === null) {
    throw new RuleError(`"${text}" is not a hit count: write a number (from that time on), == 5, > 5, < 5 or % 5`);
  }
  const operator = (match[1] === '=' ? '==' : (match[1] ?? '>=')) as HitTest['operator'];
  const count = Number(match[2]);
  const isNever = operator === '<' ? count <= 1 : /^(?:==|<=|%)$/.test(operator) && count === 0;
  if (isNever || (match[1] === undefined && count === 0))
    throw new RuleError(
      `"${text}" never holds: hits are counted from 1, so write a number from 1 on, == 5, > 5, < 5 or % 5`,
    );
  return { operator, count };
}

/**
 * "lap {lap} of {laps}": text, and expressions in braces; `{{`, `}}`, `\{` and `\}` are braces. Throws RuleError, also for an
 * expression that would change the program.
 */
export function parseLogMessage(text: string, syntax: ExpressionSyntax = 'unknown'): LogPart[] {
  const parts: LogPart[] = [];
  let plain = '';
  for (let i = 0; i < text.length; i++) {
    const char = text.charAt(i);
    const isEscape = char === '\\' && /[{}\\]/.test(text.charAt(i + 1));
    const isDoubled = /[{}]/.test(char) && text.charAt(i + 1) === char;
    if (isEscape || isDoubled) {
      plain += text.charAt(++i);
    } else if (char === '{') {
      const end = closingBrace(text, i);
      if (end < 0) throw new RuleError(`"${text.slice(i)}" has no closing brace: write {{ for a literal brace`);
      if (plain !== '') parts.push(plain);
      plain = '';
      const expression = text.slice(i + 1, end).trim();
      if (expression === '')
        throw new RuleError(`"${text.slice(i, end + 1)}" has no expression: write {{}} for literal braces`);
      refuseSyntax(expression, syntax);
      if (isAssignment(expression, syntax))
        throw new RuleError(`"${expression}" would change the program: a log message may only read it`);
      parts.push({ expression });
      i = end;
    } else {
      plain += char;
    }
  }
  if (plain !== '') parts.push(plain);
  return parts;
}

/** Throws RuleError for an invalid rank set in it, and for a condition that would change the program. */
export function checkConditionText(condition: string, syntax: ExpressionSyntax): void {
  refuseSyntax(condition, syntax);
  if (isAssignment(condition, syntax))
    throw new RuleError(`"${condition}" would change the program: compare with ==, a condition may only read it`);
  try {
    withRank(condition, (set) => parseRanks(set).map(({ ranks, world = ownWorld }) => ({ world, ranges: ranks })));
  } catch (error) {
    if (error instanceof RankSetError) throw new RuleError(error.message);
    throw error;
  }
}

function refuseSyntax(expression: string, syntax: ExpressionSyntax): void {
  const fault =
    syntax === 'unknown'
      ? undefined
      : syntaxFault(
          withRank(expression, () => []),
          syntax,
        );
  if (fault !== undefined) throw new RuleError(fault);
}

function closingBrace(text: string, open: number): number {
  let depth = 0;
  for (let i = open; i < text.length; i++) {
    if (text.charAt(i) === '{') depth += 1;
    else if (text.charAt(i) === '}' && --depth === 0) return i;
  }
  return -1;
}
