/**
 * The user's breakpoints. Each is set once per gdb, where it covers every rank of that gdb: gdb gives it one location
 * per rank and place. It counts as verified when some gdb found a place for it.
 */
import { EventEmitter } from 'node:events';
import type { GdbThread } from '../gdb/mi/context';
import type { Gdb } from '../gdb/gdb';
import { prepareComponents } from '../gdb/python/fortran-components';
import { prepareFortranConditions } from '../gdb/python/fortran-conditions';
import { prepareCallWords } from '../gdb/python/mpi-calls';
import { preparePrinters } from '../gdb/python/printer-modules';
import { prepareContainers } from '../gdb/python/container-functions';
import { prepareTexts } from '../gdb/python/text-function';
import { withWideCounts } from '../gdb/python/wide-sizes';
import { substitutePath } from '../gdb/mi/file-commands';
import { GdbError } from '../gdb/mi/mi-connection';
import {
  breakAtAddress,
  breakCondition,
  breakDelete,
  breakInsert,
  breakWatch,
  catchException,
  type CxxEvent,
  type GdbBreakpoint,
} from '../gdb/mi/breakpoint-commands';
import {
  codeOf,
  NoPythonError,
  prepareStopScript,
  ruleCondition,
  setStopRule,
  toldByRule,
  withPlainSymbols,
  withRank,
} from '../gdb/python/stop-script';
import { checkedCondition, whyUnevaluated } from './breakpoint-conditions';
import { requestKey, type BreakpointRequest } from './breakpoint-request';
import { sourceOf, whyUnplaced, type MovedSource } from './compiled-source';
import { EntryBreakpoints } from './entry-breakpoints';
import { lostFilesOf } from './lost-files';
import { isNewerThanCode } from './older-program';
import type { HitBreakpoint, Rank } from './rank';
import { parseRankSet } from './rank-set';

export class Breakpoint implements HitBreakpoint {
  verified = false;
  /** Where it really is, once that is known: gdb moves a breakpoint to the next line with code. */
  file: string | undefined;
  line: number | undefined;
  /** Of its code in the first rank that has it. */
  address: bigint | undefined;
  threadGroup: string | undefined;
  /** The source has been changed since the code was built. */
  isOfOlderCode = false;
  /** Why it is not verified: one sentence. */
  message: string | undefined;
  /** gdb's numbers in each gdb that took it: one, or one for each name of a function. */
  readonly numbers = new Map<Gdb, readonly string[]>();
  /** Why its condition could not be evaluated in a rank that is about to stop for that. */
  private readonly failures = new Map<Rank, string>();

  constructor(
    /** Unique and never used again: the DAP breakpoint id. */
    readonly id: number,
    readonly request: BreakpointRequest,
  ) {}

  get kind(): BreakpointRequest['kind'] {
    return this.request.kind;
  }

  get cxxEvent(): CxxEvent | undefined {
    return this.request.kind === 'exception' ? this.request.event : undefined;
  }

  failed(rank: Rank, why: string): void {
    this.failures.set(rank, why);
  }

  /** Why the rank stops although the condition does not hold; undefined: it holds. Of each failure once. */
  takeFailure(rank: Rank): string | undefined {
    const why = this.failures.get(rank);
    this.failures.delete(rank);
    return why;
  }
}

interface BreakpointsEvents {
  /** verified, line or message have changed. */
  changed: [Breakpoint];
  /** There are new breakpoints whose code may be in libraries. */
  unplaced: [];
  /** A log point was hit. */
  logged: [Breakpoint, Rank, text: string];
  /** Lines are found now though the program was compiled from a copy elsewhere: in all gdbs, what is below `from` is taken from `to`. */
  mapped: [MovedSource];
  /** A condition could not be evaluated, for the first time in this rank for this reason. */
  unevaluated: [Breakpoint, Rank, why: string];
}

/** No two breakpoints have one id, not even in two jobs. */
let lastId = 0;

/** Also for one that is set in a later job. */
export function newBreakpointId(): number {
  return ++lastId;
}

export class Breakpoints extends EventEmitter<BreakpointsEvents> {
  private readonly all = new Set<Breakpoint>();
  private readonly entries = new EntryBreakpoints();
  /** Breakpoints that gdb has not answered yet. */
  private readonly insertions = new Map<Breakpoint, Promise<void>>();
  /** They evaluate conditions with the ranks of their inferiors. */
  private readonly withRules = new Set<Gdb>();
  /** Conditions of breakpoints that wait for their code. */
  private readonly unchecked = new Map<Breakpoint, string>();

  constructor(
    private readonly gdbs: readonly Gdb[],
    private readonly ranks: () => readonly Rank[],
    /** Runs work that gdb cannot do while the rank runs. */
    private readonly whileHeld: <Result>(rank: Rank, work: () => Promise<Result>) => Promise<Result>,
  ) {
    super();
    for (const gdb of gdbs) {
      gdb.on('breakpointChanged', (now) => this.changed(gdb, now));
      gdb.on('printed', (line, from) => {
        if (from === 'log') this.told(gdb, line);
      });
    }
  }

  /** Makes `requests` the breakpoints of this file; answers one breakpoint per request, in order. Never rejects for one. */
  replaceInFile(file: string, requests: readonly BreakpointRequest[]): Promise<Breakpoint[]> {
    return this.replace((old) => old.kind === 'line' && old.file === file, requests);
  }

  /** Makes `requests` the function breakpoints; answers one breakpoint per request, in order. */
  replaceFunctions(requests: readonly BreakpointRequest[]): Promise<Breakpoint[]> {
    return this.replace(({ kind }) => kind === 'function', requests);
  }

  /** Makes `requests` the breakpoints on C++ exceptions; answers one breakpoint per request, in order. */
  replaceExceptions(requests: readonly BreakpointRequest[]): Promise<Breakpoint[]> {
    return this.replace(({ kind }) => kind === 'exception', requests);
  }

  /** Makes `requests` the breakpoints on machine instructions; answers one breakpoint per request, in order. */
  replaceInstructions(requests: readonly BreakpointRequest[]): Promise<Breakpoint[]> {
    return this.replace(({ kind }) => kind === 'instruction', requests);
  }

  /** Makes `requests` the data breakpoints; answers one breakpoint per request, in order. */
  replaceWatched(requests: readonly BreakpointRequest[]): Promise<Breakpoint[]> {
    return this.replace(({ kind }) => kind === 'data', requests);
  }

  /** Stops every rank that starts after this at main, or at the Fortran main program. */
  async stopAtEntry(): Promise<void> {
    await this.entries.insert(this.gdbs, this.ranks());
  }

  /** The user's breakpoint behind gdb's number; undefined when the user made it through gdb itself. */
  byNumber(gdb: Gdb, number: string): Breakpoint | 'entry' | undefined {
    return this.entries.has(gdb, number) ? 'entry' : this.find(gdb, number);
  }

  private find(gdb: Gdb, number: string): Breakpoint | undefined {
    return [...this.all].find((breakpoint) => breakpoint.numbers.get(gdb)?.includes(number));
  }

  /**
   * True when some breakpoint waits for a library that is not loaded, or whose symbols are not. An exception breakpoint
   * does, too.
   */
  get anyPending(): boolean {
    return [...this.all].some(waitsForCode);
  }

  /** It has come to the job: what breakpoints of its gdb know about ranks. Rejects with GdbError. */
  async include({ gdb }: Rank): Promise<void> {
    if (this.withRules.has(gdb)) await prepareStopScript(gdb, this.numbersByInferior(gdb));
  }

  private async replace(
    belongs: (old: BreakpointRequest) => boolean,
    requests: readonly BreakpointRequest[],
  ): Promise<Breakpoint[]> {
    const old = new Map<string, Breakpoint>();
    for (const breakpoint of this.all) {
      if (belongs(breakpoint.request)) old.set(requestKey(breakpoint.request), breakpoint);
    }
    const wanted = requests.map((request) => {
      const key = requestKey(request);
      const kept = old.get(key);
      old.delete(key);
      return kept ?? new Breakpoint(request.id ?? newBreakpointId(), request);
    });
    // Old ones are deleted first: two at one place would both be reported as hit.
    const removed = Promise.all([...old.values()].map((breakpoint) => this.remove(breakpoint)));
    const added = wanted.filter((breakpoint) => !this.all.has(breakpoint));
    for (const breakpoint of added) {
      this.all.add(breakpoint);
      const inserted = removed.then(() => this.insert(breakpoint)).finally(() => this.insertions.delete(breakpoint));
      this.insertions.set(breakpoint, inserted);
    }
    await removed;
    await Promise.all(wanted.flatMap((breakpoint) => this.insertions.get(breakpoint) ?? []));
    await this.lookForSource(added);
    await Promise.all(added.map((each) => this.compareAges(each)));
    if (added.some(waitsForCode)) this.emit('unplaced');
    return wanted;
  }

  private async remove(breakpoint: Breakpoint): Promise<void> {
    this.all.delete(breakpoint);
    this.unchecked.delete(breakpoint);
    await this.insertions.get(breakpoint);
    await this.takeAway(breakpoint);
  }

  private async takeAway(breakpoint: Breakpoint): Promise<void> {
    const numbers = [...breakpoint.numbers].flatMap(([gdb, each]) => each.map((number) => ({ gdb, number })));
    breakpoint.numbers.clear();
    await Promise.all(numbers.map(({ gdb, number }) => breakDelete(gdb, number).catch(forgiven)));
  }

  private async insert(breakpoint: Breakpoint): Promise<void> {
    const { request } = breakpoint;
    const unread = lostFilesOf(this.ranks());
    breakpoint.message = ['not found in the program or the libraries that are loaded now', ...unread].join('; ');
    const rank = rankOf(request);
    await Promise.all(
      (rank === undefined ? this.gdbs : [rank.gdb]).map(async (gdb) => {
        try {
          const condition = await this.conditionIn(gdb, breakpoint);
          await this.insertIn(gdb, breakpoint, condition);
        } catch (error) {
          if (!(error instanceof GdbError)) throw error;
          breakpoint.message = error.message;
        }
      }),
    );
    if (breakpoint.verified) breakpoint.message = undefined;
  }

  /** For lines of one file that gdb finds nowhere: the program may have been compiled from a copy of the file. */
  private async lookForSource(added: readonly Breakpoint[]): Promise<void> {
    const unplaced = added.filter(({ verified, request, numbers }) => isLine(request) && !verified && numbers.size > 0);
    const [file] = unplaced.flatMap(({ request }) => (isLine(request) ? request.file : []));
    if (file === undefined) return;
    const source = await sourceOf(this.ranks(), file);
    if (source === undefined) return;
    if (source.kind === 'moved') {
      for (const gdb of this.gdbs)
        for (const { from, to } of source.maps) await substitutePath(gdb, from, to).catch(forgiven);
      for (const breakpoint of unplaced) {
        await this.takeAway(breakpoint);
        await this.insert(breakpoint);
      }
      this.emit('mapped', source);
    }
    const unread = lostFilesOf(this.ranks());
    for (const breakpoint of unplaced) {
      const { verified, request, numbers } = breakpoint;
      if (isLine(request) && !verified && numbers.size > 0)
        breakpoint.message = [whyUnplaced(source, request), ...unread].join('; ');
    }
  }

  private async compareAges(breakpoint: Breakpoint): Promise<void> {
    const { request, address, threadGroup, numbers } = breakpoint;
    if (!isLine(request) || address === undefined) return;
    const rank = this.ranks().find((each) => numbers.has(each.gdb) && each.threadGroup === threadGroup);
    breakpoint.isOfOlderCode = await isNewerThanCode(request.file, rank, address);
  }

  private async insertIn(gdb: Gdb, breakpoint: Breakpoint, condition: string | undefined): Promise<void> {
    const { id, request } = breakpoint;
    const { call } = request;
    if (request.kind !== 'function' || call === undefined || condition === undefined) {
      breakpoint.numbers.set(gdb, [await this.insertOne(gdb, breakpoint, condition)]);
      return;
    }
    breakpoint.numbers.set(gdb, []);
    for (const [place, name] of call.symbols.entries()) {
      const made = await breakInsert(gdb, { kind: 'function', function: name, condition: ruleCondition(id, place) });
      breakpoint.numbers.set(gdb, [...(breakpoint.numbers.get(gdb) ?? []), made.number]);
      locate(breakpoint, made);
    }
  }

  /** Answers gdb's number. */
  private async insertOne(gdb: Gdb, breakpoint: Breakpoint, condition: string | undefined): Promise<string> {
    const { request } = breakpoint;
    if (request.kind === 'data') {
      const { rank, address, type, access } = request.watched;
      const memory = `*(${type} *)0x${address.toString(16)}`;
      const number = await this.whileHeld(rank, async () => breakWatch(firstThread(rank), memory, access));
      breakpoint.verified = true;
      if (condition !== undefined) await breakCondition(gdb, number, condition);
      return number;
    }
    if (request.kind === 'exception') {
      const { number } = await catchException(gdb, request.event, request.type);
      breakpoint.verified = true;
      if (condition !== undefined) await breakCondition(gdb, number, condition);
      return number;
    }
    const made =
      request.kind === 'instruction'
        ? await breakAtAddress(
            firstThread(request.rank),
            codeOf(inferiorOf(request.rank), request.instruction),
            condition,
          )
        : await breakInsert(gdb, { ...request, condition });
    locate(breakpoint, made);
    return made.number;
  }

  /** The request's condition, hit count and message as one condition for gdb. */
  private async conditionIn(gdb: Gdb, breakpoint: Breakpoint): Promise<string | undefined> {
    const { id, request } = breakpoint;
    const { hits } = request;
    const forGdb = (text: string): string => withRank(text, parseRankSet);
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
    await prepareContainers(gdb, [instead, ...others].join(' '));
    const { call } = request;
    const hasRule = hits !== undefined || log !== undefined || inferior !== undefined || call !== undefined;
    if (!hasRule && condition === undefined) return undefined;
    try {
      await prepareStopScript(gdb, this.numbersByInferior(gdb));
      this.withRules.add(gdb);
      if (call !== undefined) await prepareCallWords(gdb);
      if (request.language === 'fortran') await prepareFortranConditions(gdb);
    } catch (error) {
      // Of a function's names gdb alone knows the one that was given.
      if (error instanceof NoPythonError && call !== undefined && condition === undefined && !hits && !log)
        return undefined;
      // gdb alone evaluates it as well: it calls no function, and says in its own words what it cannot do.
      if (error instanceof NoPythonError && !hasRule && condition === request.condition)
        return condition && withPlainSymbols(condition);
      throw error;
    }
    if (condition !== undefined) await this.check(gdb, breakpoint, condition);
    // gdb 13 parses a condition in the inferior that is current, and inserts none of the other inferiors' locations: it
    // gets one without variables.
    const wide = (text: string): Promise<string> => withWideCounts(gdb, text, request.language);
    const parts = (log ?? []).map(async (part) =>
      typeof part === 'string' ? part : { ...part, expression: await wide(part.expression) },
    );
    await setStopRule(gdb, id, {
      ...{ hits, inferior, call },
      condition: condition === undefined ? undefined : await wide(condition),
      instead: instead === undefined ? undefined : await wide(instead),
      log: log && (await Promise.all(parts)),
    });
    return ruleCondition(id);
  }

  private async check(
    gdb: Gdb,
    breakpoint: Breakpoint,
    condition: string,
    placedIn?: readonly string[],
  ): Promise<void> {
    const { request } = breakpoint;
    const instead = request.instead === undefined ? undefined : withRank(request.instead, parseRankSet);
    const { isPlaced } = await checkedCondition(gdb, this.numbered(gdb), request, { condition, instead }, placedIn);
    if (!isPlaced) this.unchecked.set(breakpoint, condition);
  }

  private numbersByInferior(gdb: Gdb): Map<number, number> {
    return new Map(this.numbered(gdb).map((rank) => [inferiorOf(rank), rank.number!]));
  }

  private numbered(gdb: Gdb): Rank[] {
    return this.ranks().filter((rank) => rank.gdb === gdb && rank.number !== null);
  }

  private told(gdb: Gdb, line: string): void {
    const told = toldByRule(line);
    if (told === undefined) return;
    const breakpoint = [...this.all].find(({ id }) => id === told.rule);
    const rank = this.ranks().find((each) => each.gdb === gdb && inferiorOf(each) === told.inferior);
    if (breakpoint === undefined || rank === undefined) return;
    if (told.kind === 'logged') {
      this.emit('logged', breakpoint, rank, told.text);
      return;
    }
    const why = whyUnevaluated(told.why);
    if (breakpoint.request.log === undefined) breakpoint.failed(rank, why);
    this.emit('unevaluated', breakpoint, rank, why);
  }

  private changed(gdb: Gdb, now: GdbBreakpoint): void {
    const breakpoint = this.find(gdb, now.number);
    if (breakpoint === undefined) return;
    const { verified, line } = breakpoint;
    locate(breakpoint, now);
    if (breakpoint.verified) breakpoint.message = undefined;
    const condition = this.unchecked.get(breakpoint);
    if (breakpoint.verified && condition !== undefined)
      void this.checkLate(gdb, breakpoint, condition, now.threadGroups);
    else if (breakpoint.verified !== verified || breakpoint.line !== line) this.emit('changed', breakpoint);
  }

  /** Its code has come with a library. What fails there is taken away again. */
  private async checkLate(
    gdb: Gdb,
    breakpoint: Breakpoint,
    condition: string,
    placedIn: readonly string[],
  ): Promise<void> {
    this.unchecked.delete(breakpoint);
    try {
      await this.check(gdb, breakpoint, condition, placedIn);
    } catch (error) {
      forgiven(error);
      breakpoint.verified = false;
      breakpoint.message = (error as GdbError).message;
      await this.takeAway(breakpoint);
    }
    this.emit('changed', breakpoint);
  }
}

function isLine(request: BreakpointRequest): request is Extract<BreakpointRequest, { kind: 'line' }> {
  return request.kind === 'line';
}

function waitsForCode({ verified, request }: Breakpoint): boolean {
  return !verified || request.kind === 'exception';
}

/**
 * Takes over where gdb put it. A breakpoint that has a location in one gdb keeps it even if another gdb has none yet.
 */
function locate(breakpoint: Breakpoint, { isPlaced, file, line, address, threadGroups }: GdbBreakpoint): void {
  if (!isPlaced) return;
  breakpoint.verified = true;
  breakpoint.address = address;
  [breakpoint.threadGroup] = threadGroups;
  if (line === undefined) return;
  breakpoint.line = line;
  breakpoint.file = file;
}

/** Undefined: it applies to all ranks. */
function rankOf(request: BreakpointRequest): Rank | undefined {
  if (request.kind === 'instruction') return request.rank;
  return request.kind === 'data' ? request.watched.rank : undefined;
}

/** gdb's number of the inferior: "i3" is 3. */
function inferiorOf({ threadGroup }: Rank): number {
  return Number(threadGroup.slice(1));
}

function firstThread(rank: Rank): GdbThread {
  const [thread] = rank.threads;
  if (thread === undefined) throw new GdbError(`${rank.label} has ended`, '');
  return thread;
}

/** A dead gdb has no breakpoints to delete. */
function forgiven(error: unknown): undefined {
  if (!(error instanceof GdbError)) throw error;
}
