/** The user's breakpoints in source and on functions: what the client asks for, and how the job sets them. */
import { basename } from 'node:path';
import type { DebugProtocol } from '@vscode/debugprotocol';
import {
  codeAround,
  symbolListLines,
  type BreakpointLocation,
  type CodeAround,
} from '../../gdb/mi/breakpoint-commands';
import { GdbError } from '../../gdb/mi/mi-connection';
import { mpiFunction, type MpiFunction } from '../../../plugin-api/fortran/call-words';
import type { MpiConstant } from '../../../plugin-api/mpi/plugin';
import type { ExpressionSyntax } from '../../gdb/mi/context';
import { symbolAddress } from '../../gdb/python/library-symbols';
import { asksForNumber } from '../../gdb/python/rank-words';
import type { LogPart } from '../../gdb/python/stop-rule';
import type { BreakpointRequest, BreakpointWhere } from '../../job/breakpoint-request';
import type { Breakpoint } from '../../job/breakpoint';
import type { Job } from '../../job/job';
import type { Rank } from '../../job/rank';
import { formatRanks, formatRanksOfWorlds, worldsOf, type RanksOfWorld } from '../../../plugin-api/answers/rank-set';
import { Turns } from '../../job/turns';
import { readsBytes, truthThroughout, withContainersThroughout } from '../../expressions/containers';
import { substituteConstants, type Language } from '../../expressions/expression';
import { withCppWords } from '../../expressions/cpp-words';
import { numberWordFault } from '../../expressions/number-words';
import { withTextComparisons } from '../../expressions/text-comparisons';
import { whyNotAtBreakpoint } from '../../expressions/fortran-refusals';
import { withPrecedence } from '../../expressions/fortran-precedence';
import { withTextIntrinsics } from '../../gdb/python/text-intrinsics';
import { withFortranVariables } from '../../expressions/fortran-names';
import { languageOf } from '../../expressions/frames';
import { callConditionInC, callExpression } from './call-conditions';
import { checkConditionText, parseHitCondition, parseLogMessage, RuleError } from './breakpoint-rules';
import type { Client } from '../client/connection';
import { wrongArguments } from '../client/errors';

/** What all sorts of breakpoints share. */
export interface Rules {
  condition?: string | undefined;
  hitCondition?: string | undefined;
  logMessage?: string | undefined;
}

/** A request for the job, or why there cannot be one. */
type Wanted = BreakpointRequest | RuleError;

export class UserBreakpoints {
  /** Requests are answered in order: two for one file must not overtake each other. */
  private readonly turns = new Turns();
  /** The ids that the breakpoints being set had before the restart. */
  private ids: readonly (number | undefined)[] = [];
  /** By breakpoint: why its condition could not be evaluated, as far as that has been said. */
  private hasNumbers = false;
  private hasNotedWorlds = false;
  private readonly failures = new Map<number, Set<string>>();

  constructor(
    private readonly job: Job,
    private readonly client: Client,
    /** MPI's own names, which gdb does not know, as far as MPI is loaded. */
    private readonly constants: () => Promise<ReadonlyMap<string, MpiConstant>>,
    /**
     * The only ranks that source and function breakpoints stop; undefined: all. Throws RankSetError for a rank that the
     * job lacks.
     */
    private readonly ranks?: readonly RanksOfWorld[],
    /** Before the first breakpoint whose evaluation asks what handles are. */
    private readonly beforeQuestions: () => Promise<void> = () => Promise.resolve(),
  ) {
    // Worlds that ranks spawn are not there yet.
    job.select(ranks?.filter(({ world }) => world === undefined));
    job.breakpoints.on('changed', (breakpoint) =>
      client.send('breakpoint', { reason: 'changed', breakpoint: describe(breakpoint) }),
    );
    job.breakpoints.on('logged', (breakpoint, rank, text) => this.say(breakpoint, rank, text));
    job.breakpoints.on('mapped', ({ compiledFrom, maps }) => {
      const [{ from, to }] = maps;
      const kept = JSON.stringify(Object.fromEntries(maps.map((each) => [each.from, each.to])));
      client.say(
        `the program was compiled from ${compiledFrom}: sources below ${from} are taken from ${to} (to keep that, put "sourceFileMap": ${kept} into launch.json)`,
      );
    });
    job.breakpoints.on('unevaluated', (breakpoint, rank, why) => this.unevaluated(breakpoint, rank, why));
    // Ranks that come to a job go on then.
    job.on('continued', () => this.noteWorlds());
  }

  /** Once: ranks of several worlds have the number that a condition asks for. */
  private noteWorlds(): void {
    if (!this.hasNumbers || this.hasNotedWorlds) return;
    const worlds = worldsOf(this.job.ranks);
    if (worlds.length < 2) return;
    this.hasNotedWorlds = true;
    this.client.say(
      `$rank in a condition is a number that each MPI_COMM_WORLD of the job has (${worlds.join(', ')}): write $rank in ${worlds[1]}:0 for a rank of one of them`,
    );
  }

  private say(breakpoint: Breakpoint, rank: Rank, text: string): void {
    const { source, line } = describe(breakpoint);
    const mark = rank.number === null ? rank.label : formatRanks([rank]);
    this.client.send('output', {
      category: 'console',
      output: `${text.replace(/^/gm, `[${mark}] `)}\n`,
      ...(source === undefined ? {} : { source }),
      ...(line === undefined ? {} : { line }),
    });
  }

  /** Only the first rank that fails says so. */
  private unevaluated(breakpoint: Breakpoint, rank: Rank, why: string): void {
    const known = this.failures.get(breakpoint.id) ?? new Set();
    if (known.has(why)) return;
    this.failures.set(breakpoint.id, known.add(why));
    const goesOn =
      breakpoint.request.log === undefined ? 'each rank stops once for this reason, then goes on' : 'nothing is logged';
    this.say(breakpoint, rank, `the condition of this breakpoint cannot be evaluated: ${why} (${goesOn})`);
  }

  async setInSource(
    args: DebugProtocol.SetBreakpointsArguments,
  ): Promise<DebugProtocol.SetBreakpointsResponse['body']> {
    const file = args.source?.path;
    if (file === undefined) throw wrongArguments('setBreakpoints', 'the source needs a path');
    const wanted: readonly DebugProtocol.SourceBreakpoint[] =
      args.breakpoints ?? (args.lines ?? []).map((line) => ({ line }));
    return this.inTurn(async () =>
      this.set(
        await Promise.all(wanted.map((each) => this.requestAt({ kind: 'line', file, line: each.line }, each))),
        (requests) => this.job.breakpoints.replaceInFile(file, requests),
      ),
    );
  }

  async setOnFunctions(
    args: DebugProtocol.SetFunctionBreakpointsArguments,
  ): Promise<DebugProtocol.SetFunctionBreakpointsResponse['body']> {
    return this.inTurn(async () =>
      this.set(
        await Promise.all(
          args.breakpoints.map((each) => this.requestAt({ kind: 'function', function: each.name }, each)),
        ),
        (all) => this.job.breakpoints.replaceFunctions(all),
      ),
    );
  }

  /** Where a breakpoint can be in these lines. */
  async locations(
    args: DebugProtocol.BreakpointLocationsArguments,
  ): Promise<DebugProtocol.BreakpointLocationsResponse['body']> {
    const { path } = args.source;
    if (path === undefined) throw wrongArguments('breakpointLocations', 'the source needs a path');
    const last = args.endLine ?? args.line;
    // The ranks of one program have the same lines; those of another may not have the file.
    for (const thread of this.job.ranks.flatMap(({ threads }) => threads.slice(0, 1))) {
      const lines = await symbolListLines(thread, path).catch(none);
      const found = lines.filter((line) => args.line <= line && line <= last);
      if (lines.length > 0) return { breakpoints: found.map((line) => ({ line })) };
    }
    return { breakpoints: [] };
  }

  /** Takes the place of what the last call of `replace` set. */
  async set(
    wanted: readonly Wanted[],
    replace: (requests: readonly BreakpointRequest[]) => Promise<Breakpoint[]>,
  ): Promise<{ breakpoints: DebugProtocol.Breakpoint[] }> {
    const made = await replace(
      wanted.flatMap((each, i) => (each instanceof RuleError ? [] : [{ ...each, id: this.ids[i] }])),
    );
    this.hasNumbers ||= wanted.some((each) => !(each instanceof RuleError) && asksForNumber(each.condition ?? ''));
    this.noteWorlds();
    let next = 0;
    return {
      breakpoints: wanted.map((each) =>
        each instanceof RuleError ? { verified: false, message: each.message } : describe(made[next++]!),
      ),
    };
  }

  /**
   * Sets the breakpoints of an earlier job, whose answer was `known`, in this one. They keep their ids; the client is
   * told of changes.
   */
  async setAgain(
    known: readonly DebugProtocol.Breakpoint[],
    set: () => Promise<{ breakpoints: DebugProtocol.Breakpoint[] }>,
  ): Promise<void> {
    this.ids = known.map(({ id }) => id);
    try {
      const { breakpoints } = await set();
      for (const [i, breakpoint] of breakpoints.entries()) {
        const id = known[i]?.id;
        if (id !== undefined) this.client.send('breakpoint', { reason: 'changed', breakpoint: { ...breakpoint, id } });
      }
    } finally {
      this.ids = [];
    }
  }

  /** Runs after all earlier requests. */
  inTurn<Result>(set: () => Promise<Result>): Promise<Result> {
    return this.turns.alone(set);
  }

  private async requestAt(location: BreakpointLocation, rules: Rules): Promise<Wanted> {
    const called = location.kind === 'function' ? mpiFunction(location.function) : undefined;
    if (called !== undefined) return this.requestOfCall(called, rules);
    if (!isEmpty(rules.logMessage)) await this.beforeQuestions();
    const { function: inFunction, file } = await this.whereIs(location, rules);
    const language = languageOf({ file }) === 'fortran' ? 'fortran' : 'c';
    const condition = this.inRanks(rules.condition, language);
    return this.requestIn({ language, function: inFunction }, location, { ...rules, condition });
  }

  /** `code`: the one whose language and names the rules have. */
  async requestIn(
    code: { language: Language; function?: string | undefined },
    where: BreakpointWhere,
    rules: Rules,
  ): Promise<Wanted> {
    const isNamed = /\bMPIX?_/i.test(`${rules.condition ?? ''}${rules.logMessage ?? ''}`);
    const constants = isNamed ? await this.constants() : undefined;
    const constant = (name: string): MpiConstant | undefined => constants?.get(name);
    const withNames = (expression: string, language: Language) =>
      substituteConstants(
        withTextComparisons(language === 'c' ? withCppWords(expression) : expression, language),
        language,
        constant,
        undefined,
        symbolAddress,
      );
    if (code.language === 'c')
      return withRules(where, rules, 'c', (each) => withNames(ofNoCall(each, 'c', constant), 'c'));
    // In Fortran `rank == 2` is a syntax error to gdb, `heat::rank == 2` is not.
    const wanted = withRules(where, rules, 'fortran', (each) => {
      const refusal = whyNotAtBreakpoint(ofNoCall(each, 'fortran', constant));
      if (refusal !== undefined) throw new RuleError(refusal);
      return withFortranVariables(withPrecedence(withNames(withTextIntrinsics(each), 'fortran')), code.function);
    });
    return wanted instanceof RuleError ? wanted : { ...wanted, language: 'fortran' };
  }

  private async requestOfCall(called: MpiFunction, rules: Rules): Promise<Wanted> {
    const { condition, logMessage } = rules;
    const expressions = `${condition ?? ''}${logMessage ?? ''}`;
    if (expressions.trim() !== '') await this.beforeQuestions();
    const constants = /\bMPIX?_/.test(expressions) ? await this.constants() : undefined;
    const wanted = withRules(
      { kind: 'function', function: called.name },
      { ...rules, condition: this.inRanks(isEmpty(condition) ? condition : callConditionInC(condition), 'c') },
      'c',
      (each, use) => callExpression(each, called, (name) => constants?.get(name), use),
    );
    return wanted instanceof RuleError ? wanted : { ...wanted, call: called };
  }

  /** Tests the rank first: conditions and hit counts do not apply to ranks that the breakpoint is not for. */
  private inRanks(condition: string | undefined, language: 'c' | 'fortran'): string | undefined {
    if (this.ranks === undefined) return condition;
    const isOneOfThem = `$rank in ${formatRanksOfWorlds(this.ranks)}`;
    if (isEmpty(condition)) return isOneOfThem;
    return `${isOneOfThem} ${language === 'c' ? '&&' : '.and.'} (${condition})`;
  }

  /** gdb is asked only for what the expressions of the rules need. */
  private async whereIs(location: BreakpointLocation, { condition, logMessage }: Rules): Promise<Partial<CodeAround>> {
    const expressions = `${condition ?? ''}${logMessage ?? ''}`;
    const known = location.kind === 'line' ? { file: location.file } : {};
    const [gdb] = this.job.gdbs;
    const isFortran = location.kind === 'function' || languageOf(location) === 'fortran';
    if (gdb === undefined || !isFortran || expressions.trim() === '') return known;
    if (location.kind === 'line' && withFortranVariables(expressions, 'any') === expressions) return known;
    try {
      return { ...known, ...(await codeAround(gdb, location)) };
    } catch (error) {
      if (error instanceof GdbError) return known;
      throw error;
    }
  }
}

/** The job's breakpoint request for a place. `forGdb` translates an expression at that place for gdb. */
export function withRules(
  where: BreakpointWhere,
  { condition, hitCondition, logMessage }: Rules,
  syntax: ExpressionSyntax = 'unknown',
  forGdb: (expression: string, use: 'condition' | 'shown') => string = (expression) =>
    withTextComparisons(withCppWords(ofNoCall(expression, 'c')), 'c'),
): Wanted {
  try {
    const hits = isEmpty(hitCondition) ? undefined : parseHitCondition(hitCondition);
    const log = isEmpty(logMessage) ? undefined : parseLogMessage(logMessage, syntax);
    if (!isEmpty(condition)) checkConditionText(condition, syntax);
    return {
      ...where,
      ...(isEmpty(condition) ? {} : conditionFor(forGdb(condition, 'condition'), syntax)),
      ...(hits === undefined ? {} : { hits }),
      ...(log === undefined ? {} : { log: log.map((part) => logPart(part, (each) => forGdb(each, 'shown'), syntax)) }),
    };
  } catch (error) {
    if (error instanceof RuleError) return error;
    throw error;
  }
}

/** The same expression. Throws RuleError for words in it that mean something only at MPI's functions, and for a wrong use of $rank. */
function ofNoCall(
  expression: string,
  language: Language,
  constant?: (name: string) => MpiConstant | undefined,
): string {
  const fault = numberWordFault(expression, language, undefined, constant);
  if (fault !== undefined) throw new RuleError(fault);
  return expression;
}

function describe(breakpoint: Breakpoint): DebugProtocol.Breakpoint {
  const { id, verified, request } = breakpoint;
  const said = [breakpoint.message ?? whereMoved(breakpoint), ofOlderCode(breakpoint)].filter(
    (each) => each !== undefined,
  );
  const message = said.length === 0 ? undefined : said.join('; ');
  const line = breakpoint.line ?? ('line' in request ? request.line : undefined);
  const path = request.kind === 'line' ? request.file : breakpoint.file;
  return {
    id,
    verified,
    ...(message === undefined ? {} : { message }),
    ...(line === undefined ? {} : { line }),
    ...(path === undefined ? {} : { source: { name: basename(path), path } }),
    ...(verified ? {} : { reason: breakpoint.numbers.size === 0 ? ('failed' as const) : ('pending' as const) }),
  };
}

function ofOlderCode({ isOfOlderCode, request }: Breakpoint): string | undefined {
  if (!isOfOlderCode || request.kind !== 'line') return undefined;
  return `${basename(request.file)} was changed after the program was built: build it again`;
}

function whereMoved({ verified, request, line }: Breakpoint): string | undefined {
  if (!verified || request.kind !== 'line' || line === undefined || line === request.line) return undefined;
  return `no code in line ${request.line}: moved to line ${line}`;
}

function logPart(part: LogPart, forGdb: (expression: string) => string, syntax: ExpressionSyntax): LogPart {
  if (typeof part === 'string') return part;
  const expression = forGdb(part.expression);
  return syntax === 'fortran' ? { expression } : insteadOf(expression, withContainersThroughout(expression));
}

function conditionFor(text: string, syntax: ExpressionSyntax): { condition: string; instead?: string } {
  if (syntax === 'fortran') return { condition: text };
  const { expression, ...others } = insteadOf(text, truthThroughout(text));
  return { condition: expression, ...others };
}

/** `written`: without operators and methods that the program would have to be called for. */
function insteadOf(expression: string, written: string): { expression: string; instead?: string } {
  if (written === expression) return { expression };
  return readsBytes(expression) ? { expression: written } : { expression, instead: written };
}

function isEmpty(text: string | undefined): text is undefined {
  return text === undefined || text.trim() === '';
}

/** This gdb does not know the file. */
function none(error: unknown): number[] {
  if (error instanceof GdbError) return [];
  throw error;
}
