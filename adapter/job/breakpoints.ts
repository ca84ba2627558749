/**
 * The user's breakpoints. Each is set once per gdb, where it covers every rank of that gdb: gdb gives it one location
 * per rank and place. It counts as verified when some gdb found a place for it.
 */
import { EventEmitter } from 'node:events';
import type { Gdb } from '../gdb/gdb';
import { inWordsOf } from '../gdb/fortran-words';
import { breakDelete, type GdbBreakpoint } from '../gdb/mi/breakpoint-commands';
import { substitutePath } from '../gdb/mi/file-commands';
import { GdbError } from '../gdb/mi/mi-connection';
import { toldByRule } from '../gdb/python/stop-rule';
import { Breakpoint, newBreakpointId } from './breakpoint';
import { whyUnevaluated, type RuleExpression } from './breakpoint-conditions';
import { insertIn, type WhileHeld } from './breakpoint-insertion';
import { requestKey, type BreakpointRequest } from './breakpoint-request';
import { BreakpointRules, inferiorOf } from './breakpoint-rules';
import { sourceOf, whyUnplaced, type MovedSource } from './compiled-source';
import { EntryBreakpoints } from './entry-breakpoints';
import { lostFilesOf, unseenLoadsOf } from './lost-files';
import { isNewerThanCode } from './older-program';
import type { Rank } from './rank';

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

export class Breakpoints extends EventEmitter<BreakpointsEvents> {
  private readonly all = new Set<Breakpoint>();
  private readonly entries = new EntryBreakpoints();
  /** Breakpoints that gdb has not answered yet. */
  private readonly insertions = new Map<Breakpoint, Promise<void>>();
  /** Whose code has just come with a library: resolves when it is known whether their expressions have a meaning there. */
  private readonly lateChecks = new Map<Breakpoint, Promise<void>>();
  /** They had none; a rank may have come by before that was known. */
  private readonly refusedLate = new WeakSet<Breakpoint>();
  private readonly rules: BreakpointRules;
  private readonly gdbs: Gdb[] = [];
  /** The breakpoints that have been set in gdbs which came later, or could not be. */
  private readonly setLate = new Map<Gdb, Set<Breakpoint>>();
  private readonly sources: MovedSource[] = [];

  constructor(
    gdbs: readonly Gdb[],
    private readonly ranks: () => readonly Rank[],
    private readonly whileHeld: WhileHeld,
    /** Resolves when no gdb has symbols of a file that has changed since. */
    private readonly reviewSymbols: () => Promise<void> = async () => undefined,
  ) {
    super();
    this.rules = new BreakpointRules(ranks);
    for (const gdb of gdbs) this.listenTo(gdb);
  }

  /** It comes later: it gets the breakpoints with its ranks, see `include`. */
  add(gdb: Gdb): void {
    this.setLate.set(gdb, new Set());
    this.listenTo(gdb);
  }

  private listenTo(gdb: Gdb): void {
    this.gdbs.push(gdb);
    gdb.on('breakpointChanged', (now) => this.changed(gdb, now));
    gdb.on('printed', (line, from) => {
      if (from === 'log') this.told(gdb, line);
    });
    gdb.on('closed', () => {
      this.gdbs.splice(this.gdbs.indexOf(gdb), 1);
      for (const breakpoint of this.all) breakpoint.numbers.delete(gdb);
    });
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
    return [...this.all].some((each) => each.waitsForCode);
  }

  /** It has come to the job, and is held: what breakpoints of its gdb know about ranks. Rejects with GdbError. */
  async include(rank: Rank): Promise<void> {
    await this.rules.include(rank);
    const { gdb } = rank;
    const done = this.setLate.get(gdb);
    if (done === undefined) return;
    if (done.size === 0) for (const { maps } of this.sources) await this.mapSources(gdb, maps);
    for (const breakpoint of [...this.all]) {
      await this.insertions.get(breakpoint);
      const isOfOther = (rankOf(breakpoint.request) ?? rank) !== rank;
      if (isOfOther || done.has(breakpoint) || this.refusedLate.has(breakpoint) || !this.all.has(breakpoint)) continue;
      const { verified, line } = breakpoint;
      const inserted = this.insert(breakpoint, [gdb]).finally(() => this.insertions.delete(breakpoint));
      this.insertions.set(breakpoint, inserted);
      await inserted;
      if (breakpoint.verified !== verified || breakpoint.line !== line) this.emit('changed', breakpoint);
    }
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
    const ready = added.length === 0 ? removed : Promise.all([removed, this.reviewSymbols()]);
    for (const breakpoint of added) {
      this.all.add(breakpoint);
      const inserted = ready.then(() => this.insert(breakpoint)).finally(() => this.insertions.delete(breakpoint));
      this.insertions.set(breakpoint, inserted);
    }
    await removed;
    await Promise.all(wanted.flatMap((breakpoint) => this.insertions.get(breakpoint) ?? []));
    await this.lookForSource(added);
    await Promise.all(added.map((each) => this.compareAges(each)));
    if (added.some((each) => each.waitsForCode)) this.emit('unplaced');
    return wanted;
  }

  private async remove(breakpoint: Breakpoint): Promise<void> {
    this.all.delete(breakpoint);
    this.rules.forget(breakpoint);
    await this.insertions.get(breakpoint);
    await this.takeAway(breakpoint);
  }

  private async takeAway(breakpoint: Breakpoint): Promise<void> {
    const numbers = [...breakpoint.numbers].flatMap(([gdb, each]) => each.map((number) => ({ gdb, number })));
    breakpoint.numbers.clear();
    await Promise.all(numbers.map(({ gdb, number }) => breakDelete(gdb, number).catch(forgiven)));
  }

  private async insert(breakpoint: Breakpoint, gdbs?: readonly Gdb[]): Promise<void> {
    const { request } = breakpoint;
    const unread = this.unreadFiles();
    breakpoint.message = ['not found in the program or the libraries that are loaded now', ...unread].join('; ');
    const rank = rankOf(request);
    await Promise.all(
      (gdbs ?? (rank === undefined ? [...this.gdbs] : [rank.gdb])).map(async (gdb) => {
        this.setLate.get(gdb)?.add(breakpoint);
        try {
          const condition = await this.rules.conditionIn(gdb, breakpoint);
          await insertIn(gdb, breakpoint, condition, this.whileHeld);
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
      this.sources.push(source);
      for (const gdb of [...this.gdbs]) await this.mapSources(gdb, source.maps);
      for (const breakpoint of unplaced) {
        await this.takeAway(breakpoint);
        await this.insert(breakpoint);
      }
      this.emit('mapped', source);
    }
    const unread = this.unreadFiles();
    for (const breakpoint of unplaced) {
      const { verified, request, numbers } = breakpoint;
      if (isLine(request) && !verified && numbers.size > 0)
        breakpoint.message = [whyUnplaced(source, request), ...unread].join('; ');
    }
  }

  private async mapSources(gdb: Gdb, maps: MovedSource['maps']): Promise<void> {
    for (const { from, to } of maps) await substitutePath(gdb, from, to).catch(forgiven);
  }

  private unreadFiles(): string[] {
    const ranks = this.ranks();
    return [...lostFilesOf(ranks), ...unseenLoadsOf(ranks)];
  }

  private async compareAges(breakpoint: Breakpoint): Promise<void> {
    const { request, address, threadGroup, numbers } = breakpoint;
    if (!isLine(request) || address === undefined) return;
    const rank = this.ranks().find((each) => numbers.has(each.gdb) && each.threadGroup === threadGroup);
    breakpoint.isOfOlderCode = await isNewerThanCode(request.file, rank, address);
  }

  private withId(wanted: number): Breakpoint | undefined {
    return [...this.all].find(({ id }) => id === wanted);
  }

  private told(gdb: Gdb, line: string): void {
    const told = toldByRule(line, (rule, why) => inWordsOf(this.withId(rule)?.request.language ?? 'c', why));
    if (told === undefined) return;
    const breakpoint = this.withId(told.rule);
    const rank = this.ranks().find((each) => each.gdb === gdb && inferiorOf(each) === told.inferior);
    if (breakpoint === undefined || rank === undefined) return;
    if (told.kind === 'logged') {
      const say = (): void =>
        void (!this.refusedLate.has(breakpoint) && this.emit('logged', breakpoint, rank, told.text));
      const checked = this.lateChecks.get(breakpoint);
      if (checked === undefined) say();
      else void checked.then(say);
      return;
    }
    const why = whyUnevaluated(told.why, breakpoint.request.language ?? 'c');
    if (breakpoint.request.log === undefined) breakpoint.failed(rank, why);
    this.emit('unevaluated', breakpoint, rank, why);
  }

  private changed(gdb: Gdb, now: GdbBreakpoint): void {
    const breakpoint = this.find(gdb, now.number);
    if (breakpoint === undefined) return;
    const { verified, line } = breakpoint;
    breakpoint.locate(now);
    if (!now.isPlaced) this.unplaced(gdb, breakpoint);
    if (breakpoint.verified) breakpoint.message = undefined;
    const unchecked = breakpoint.verified ? this.rules.takeUnchecked(breakpoint) : [];
    if (unchecked.length > 0) {
      const checked = this.checkLate(gdb, breakpoint, unchecked, now.threadGroups);
      this.lateChecks.set(
        breakpoint,
        checked.finally(() => this.lateChecks.delete(breakpoint)),
      );
    } else if (breakpoint.verified !== verified || breakpoint.line !== line) this.emit('changed', breakpoint);
  }

  /** gdb has no code for it any more: perhaps in a file that has changed. */
  private unplaced(gdb: Gdb, breakpoint: Breakpoint): void {
    const ranks = this.ranks();
    const mayBeElsewhere = [...breakpoint.numbers].some(([each, numbers]) => each !== gdb || numbers.length > 1);
    const lost = lostFilesOf(ranks);
    if (mayBeElsewhere || lost.length === 0) return;
    breakpoint.verified = false;
    breakpoint.message = ['its code is gone', ...lost].join('; ');
  }

  /** Its code has come with a library. What fails there is taken away again. */
  private async checkLate(
    gdb: Gdb,
    breakpoint: Breakpoint,
    expressions: readonly RuleExpression[],
    placedIn: readonly string[],
  ): Promise<void> {
    try {
      await this.rules.check(gdb, breakpoint, expressions, placedIn);
    } catch (error) {
      forgiven(error);
      this.refusedLate.add(breakpoint);
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

/** Undefined: it applies to all ranks. */
function rankOf(request: BreakpointRequest): Rank | undefined {
  if (request.kind === 'instruction') return request.rank;
  return request.kind === 'data' ? request.watched.rank : undefined;
}

/** A dead gdb has no breakpoints to delete. */
function forgiven(error: unknown): undefined {
  if (!(error instanceof GdbError)) throw error;
}
