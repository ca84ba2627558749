/** The own requests of the active session's debug adapter, typed. */
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { ArgumentsOf, BodyOf, Command } from '../../adapter/dap/request-table';
import type { OverlayPart } from '../../plugin-api/overlays/read-overlay';
import type { OverlayDocument } from '../../plugin-api/overlays/records';
import { debugType } from '../manifest/manifest';
import { askAdapter } from './ask-adapter';
import { nameInSet, namesIn, type RankName } from './rank-numbers';

export type RankRow = BodyOf<'mpidbg/ranks'>['ranks'][number];
export type Scope = BodyOf<'mpidbg/focus'>['scope'];

/** Which ranks: see RankSetArguments of the adapter. */
export type RankSetQuestion = { where: string } | { comm: string; dimension?: number } | { stoppedLike: number };

export type Movement = 'continue' | 'next' | 'pause';

export class JobClient {
  constructor(private readonly session: vscode.DebugSession) {}

  /** The client of the active debug session; undefined if it is not one of ours. */
  static active(): JobClient | undefined {
    const session = vscode.debug.activeDebugSession;
    return session?.type === debugType ? new JobClient(session) : undefined;
  }

  isOfSession(other: JobClient): boolean {
    return this.session.id === other.session.id;
  }

  async ranks(): Promise<RankRow[]> {
    return (await this.ask('mpidbg/ranks', {})).ranks;
  }

  /** With the place where each stopped rank stands. */
  async ranksWithPlaces(): Promise<RankRow[]> {
    return (await this.ask('mpidbg/ranks', { places: true })).ranks;
  }

  /** Those that are there, with how their programs were called. */
  async ranksWithCommands(): Promise<RankRow[]> {
    const { ranks } = await this.ask('mpidbg/ranks', { commands: true });
    return ranks.filter(({ state }) => state !== 'exited' && state !== 'absent');
  }

  focus(change: ArgumentsOf<'mpidbg/focus'> = {}): Promise<BodyOf<'mpidbg/focus'>> {
    return this.ask('mpidbg/focus', change);
  }

  /** Has VS Code show a thread of these ranks. */
  select(which: ArgumentsOf<'mpidbg/select'>): Promise<BodyOf<'mpidbg/select'>> {
    return this.ask('mpidbg/select', which);
  }

  /** "0-3,7", in the frame that is selected in the Call Stack view. */
  async rankSet(question: RankSetQuestion): Promise<string> {
    return (await this.ask('mpidbg/rankSet', { ...question, frameId: selectedFrame() })).ranks;
  }

  /** Looks through all variables, in the ranks of the focus. */
  nan(): Promise<BodyOf<'mpidbg/nan'>> {
    return this.ask('mpidbg/nan', {});
  }

  value(expression: string): Promise<BodyOf<'mpidbg/value'>> {
    return this.ask('mpidbg/value', { expression, frameId: selectedFrame() });
  }

  /**
   * Compares the variables of the frame that is selected in the Call Stack view; undefined: none is. `compound`: also arrays and
   * objects, which may take seconds.
   */
  async differences(compound = false): Promise<BodyOf<'mpidbg/differences'> | undefined> {
    const frameId = selectedFrame();
    return frameId === undefined ? undefined : this.ask('mpidbg/differences', { frameId, compound });
  }

  stacks(): Promise<BodyOf<'mpidbg/stacks'>> {
    return this.ask('mpidbg/stacks', { program: true, helperThreads: false });
  }

  /** Shows it for the rank whose frame VS Code shows. */
  async showInShownRank(expression: string): Promise<BodyOf<'mpidbg/show'>> {
    const thread = selectedThread();
    const shown = (await this.ranks()).find(({ threadIds }) => thread !== undefined && threadIds.includes(thread));
    const name = shown && nameInSet(shown);
    const ranks = name === undefined ? {} : { ranks: name };
    return this.ask('mpidbg/show', { expressions: [expression], frameId: selectedFrame(), ...ranks });
  }

  handles(): Promise<BodyOf<'mpidbg/handles'>> {
    return this.ask('mpidbg/handles', {});
  }

  variablesOf(handle: ArgumentsOf<'mpidbg/variables'>): Promise<BodyOf<'mpidbg/variables'>> {
    return this.ask('mpidbg/variables', handle);
  }

  hang(): Promise<BodyOf<'mpidbg/hang'>> {
    return this.ask('mpidbg/hang', {});
  }

  queues(): Promise<BodyOf<'mpidbg/queues'>> {
    return this.ask('mpidbg/queues', {});
  }

  /** `patterns`: names, in which * is any text; default: all. */
  pvars(patterns: string[] = []): Promise<BodyOf<'mpidbg/pvars'>> {
    return this.ask('mpidbg/pvars', { patterns });
  }

  overlay(part: OverlayPart, args: ArgumentsOf<'mpidbg/pvars'>): Promise<OverlayDocument> {
    return this.ask(`mpidbg/${part}`, args);
  }

  /** What is new since the last request of the same follower. */
  news(part: 'calls' | 'events' | 'ompt', rank: RankName, follower: string): Promise<OverlayDocument> {
    return this.ask(`mpidbg/${part}`, { ranks: rank, follow: follower });
  }

  setVariable(change: ArgumentsOf<'mpidbg/setVariable'>): Promise<BodyOf<'mpidbg/setVariable'>> {
    return this.ask('mpidbg/setVariable', change);
  }

  commsOf(rank: RankName): Promise<BodyOf<'mpidbg/handles'>> {
    return this.ask('mpidbg/handles', { kinds: ['comm'], ranks: rank });
  }

  events(last: number): Promise<BodyOf<'mpidbg/events'>> {
    return this.ask('mpidbg/events', { last });
  }

  /** continue, next or pause on a rank set. */
  async actOnRanks(command: Movement, ranks: string): Promise<void> {
    const names = new Set<string | undefined>(namesIn(ranks));
    const rows = (await this.ranks()).filter((rank) => names.has(nameInSet(rank)));
    const threadId = rows.find(({ threadIds }) => threadIds.length > 0)?.threadIds[0];
    if (threadId === undefined) throw new Error(l10n.t('These ranks have ended.'));
    await this.ask(command, { threadId, ranks });
  }

  /** continue, next or pause on the selected thread's `scope`. */
  async act(command: Movement, scope: Scope): Promise<void> {
    const threadId =
      selectedThread() ?? (await this.ranks()).find(({ threadIds }) => threadIds.length > 0)?.threadIds[0];
    if (threadId === undefined) throw new Error(l10n.t('All ranks of the job have ended.'));
    await this.ask(command, { threadId, scope });
  }

  /** Also into code that is skipped. */
  async stepIntoAnyway(): Promise<void> {
    const threadId = selectedThread();
    if (threadId === undefined) throw new Error(l10n.t('Select a stopped rank in the Call Stack view first.'));
    const { scope } = await this.focus();
    await this.ask('stepIn', { threadId, scope, anyway: true });
  }

  private ask<Name extends Command>(command: Name, args: ArgumentsOf<Name>): Promise<BodyOf<Name>> {
    return askAdapter(this.session, command, args);
  }
}

export function selectedFrame(): number | undefined {
  const item = vscode.debug.activeStackItem;
  return item instanceof vscode.DebugStackFrame && item.session.type === debugType ? item.frameId : undefined;
}

function selectedThread(): number | undefined {
  const item = vscode.debug.activeStackItem;
  return item?.session.type === debugType ? item.threadId : undefined;
}
