/**
 * The conditions, hit counts and messages of breakpoints, which gdb evaluates by rules of ours in its Python: with the ranks of its
 * inferiors, and with the words that our conditions have.
 */
import { ownWorld } from '../../plugin-api/mpi/worlds';
import type { Gdb } from '../gdb/gdb';
import { prepareConditionCheck } from '../gdb/python/condition-check';
import { prepareContainers } from '../gdb/python/container-functions';
import { prepareComponents } from '../gdb/python/fortran-components';
import { prepareFortranConditions } from '../gdb/python/fortran-conditions';
import { prepareCallWords } from '../gdb/python/mpi-calls';
import { prepareCpp } from '../gdb/python/cpp-expression';
import { preparePrinters } from '../gdb/python/printer-modules';
import { withPlainSymbols } from '../gdb/python/library-symbols';
import { withRank, type RangesOfWorld } from '../gdb/python/rank-words';
import { NoPythonError } from '../gdb/python/run-python';
import { prepareStopScript, ruleCondition, setStopRule, type NumberedInferior } from '../gdb/python/stop-script';
import { prepareTextIntrinsics } from '../gdb/python/text-intrinsics';
import { prepareTexts } from '../gdb/python/text-function';
import { withWideCounts } from '../gdb/python/wide-sizes';
import type { Breakpoint } from './breakpoint';
import { checkedExpression, type RuleExpression } from './breakpoint-conditions';
import type { Rank } from './rank';
import { firstWorld, parseRanks } from '../../plugin-api/answers/rank-set';

export class BreakpointRules {
  /** They evaluate conditions with the ranks of their inferiors. */
  private readonly withRules = new Set<Gdb>();
  /** The expressions of breakpoints that wait for their code. */
  private readonly unchecked = new Map<Breakpoint, RuleExpression[]>();

  constructor(private readonly ranks: () => readonly Rank[]) {}

  /** It has come to the job: what breakpoints of its gdb know about ranks. Rejects with GdbError. */
  async include({ gdb }: Rank): Promise<void> {
    if (this.withRules.has(gdb)) await prepareStopScript(gdb, this.inferiors(gdb));
  }

  /** The request's condition, hit count and message as one condition for gdb. */
  async conditionIn(gdb: Gdb, breakpoint: Breakpoint): Promise<string | undefined> {
    const { id, request } = breakpoint;
    const { hits } = request;
    const forGdb = (text: string): string => withRank(text, (set) => this.rangesOf(set));
    const condition = request.condition === undefined ? undefined : forGdb(request.condition);
    const instead = request.instead === undefined ? undefined : forGdb(request.instead);
    const log = request.log?.map((part) =>
      typeof part === 'string'
        ? part
        : { expression: forGdb(part.expression), instead: part.instead && forGdb(part.instead) },
    );
    const inferior = request.kind === 'instruction' ? inferiorOf(request.rank) : undefined;
    const logged = (log ?? []).map((part) => (typeof part === 'string' ? '' : part.expression));
    await preparePrinters(gdb);
    await prepareComponents(gdb, [condition, ...logged].join(' '));
    await prepareTexts(gdb, [condition, ...logged].join(' '));
    const others = (log ?? []).map((part) => (typeof part === 'string' ? '' : (part.instead ?? '')));
    await prepareContainers(gdb, [condition, ...logged, instead, ...others].join(' '));
    const { call } = request;
    const hasRule = hits !== undefined || log !== undefined || inferior !== undefined || call !== undefined;
    if (!hasRule && condition === undefined) return undefined;
    try {
      await prepareStopScript(gdb, this.inferiors(gdb));
      this.withRules.add(gdb);
      if (call !== undefined) await prepareCallWords(gdb);
      if (log !== undefined) await prepareConditionCheck(gdb);
      if (request.language === 'fortran') {
        await prepareFortranConditions(gdb);
        await prepareTextIntrinsics(gdb, [condition, ...logged].join(' '));
      } else await prepareCpp(gdb);
    } catch (error) {
      // Without Python, gdb knows only the name that was given, not the function's other ones.
      if (error instanceof NoPythonError && call !== undefined && condition === undefined && !hits && !log)
        return undefined;
      // gdb alone evaluates it as well: it calls no function, and says in its own words what it cannot do.
      if (error instanceof NoPythonError && !hasRule && condition === request.condition)
        return condition && withPlainSymbols(condition);
      throw error;
    }
    await this.check(gdb, breakpoint, [
      ...(condition === undefined ? [] : [{ use: 'condition', expression: condition, instead } as const]),
      ...(log ?? []).flatMap((part) => (typeof part === 'string' ? [] : [{ use: 'shown', ...part } as const])),
    ]);
    // gdb 13 parses a condition in the inferior that is current, and inserts none of the other inferiors' locations: it
    // gets one without variables.
    const wide = (text: string): Promise<string> => withWideCounts(gdb, text, request.language);
    const parts = (log ?? []).map(async (part) =>
      typeof part === 'string' ? part : { ...part, expression: await wide(part.expression), names: part.expression },
    );
    await setStopRule(gdb, id, {
      ...{ hits, inferior, call },
      condition: condition === undefined ? undefined : await wide(condition),
      instead: instead === undefined ? undefined : await wide(instead),
      log: log && (await Promise.all(parts)),
    });
    return ruleCondition(id);
  }

  /** Whether gdb can evaluate them; `placedIn`: the inferiors that have their code, by their groups. Rejects with GdbError. */
  async check(
    gdb: Gdb,
    breakpoint: Breakpoint,
    expressions: readonly RuleExpression[],
    placedIn?: readonly string[],
  ): Promise<void> {
    const unchecked: RuleExpression[] = [];
    for (const each of expressions) {
      const { isPlaced } = await checkedExpression(gdb, this.numbered(gdb), breakpoint.request, each, placedIn);
      if (!isPlaced) unchecked.push(each);
    }
    if (unchecked.length > 0) this.unchecked.set(breakpoint, unchecked);
  }

  /** What a breakpoint has whose code was not there when it was set: whoever asked checks it from now on. */
  takeUnchecked(breakpoint: Breakpoint): readonly RuleExpression[] {
    const expressions = this.unchecked.get(breakpoint) ?? [];
    this.unchecked.delete(breakpoint);
    return expressions;
  }

  private rangesOf(set: string): RangesOfWorld[] {
    const first = firstWorld(this.ranks());
    return parseRanks(set).map(({ ranks, world = first }) => ({ world, ranges: ranks }));
  }

  private inferiors(gdb: Gdb): NumberedInferior[] {
    return this.numbered(gdb).map((rank) => ({
      inferior: inferiorOf(rank),
      world: rank.world ?? ownWorld,
      number: rank.number!,
    }));
  }

  private numbered(gdb: Gdb): Rank[] {
    return this.ranks().filter((rank) => rank.gdb === gdb && rank.number !== null);
  }

  /** The breakpoint has been removed. */
  forget(breakpoint: Breakpoint): void {
    this.unchecked.delete(breakpoint);
  }
}

/** gdb's number of the inferior: "i3" is 3. */
export function inferiorOf({ threadGroup }: Rank): number {
  return Number(threadGroup.slice(1));
}
