/**
 * `callStack: "merged"`: DAP's threads with one representative for all threads that are at one place. Its name says whom it
 * stands for: `0-5,7 · MPI_Barrier · solver.c:88`. A client learns of threads by `stopped`, `continued` and `thread`
 * events only, and asks for the list when it gets one: whatever else changes is told by one of these.
 */
import { basename } from 'node:path';
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { CallOff } from '../../job/clock';
import type { Job } from '../../job/job';
import { canBeRead, type Rank, type RankThread } from '../../job/rank';
import { formatRanks } from '../../../plugin-api/answers/rank-set';
import type { Whereabouts } from '../../query/across-ranks/stacks';
import type { Client } from '../client/connection';
import type { Focus } from './focus';
import { stopOf } from './stop-words';
import { shownThreads, type ThreadList } from './threads';

/** Threads that a client need not tell apart. */
interface Group {
  representative: RankThread;
  name: string;
}

/** Milliseconds after a change, in which others follow it. */
const quietTime = 50;

export class MergedThreads implements ThreadList {
  /** What the client shows, by its last answer. */
  private listed: ReadonlyMap<RankThread, string> = new Map();
  /** The client knows from an event that these are stopped. */
  private readonly toldStopped = new Set<RankThread>();
  /** It knows so of every thread that it lists. */
  private allStopped = false;
  /** Named by events as what the client is to show: the last one first. */
  private named: readonly RankThread[] = [];
  private later: CallOff = () => undefined;

  constructor(
    private readonly job: Job,
    private readonly withHelpers: boolean,
    private readonly parts: {
      readonly focus: () => Pick<Focus, 'ranks'>;
      readonly whereIs: (thread: RankThread) => Promise<Whereabouts | undefined>;
      readonly openMp: (thread: RankThread) => Promise<string | undefined>;
      readonly areStopsGathering: () => boolean;
      readonly client: Client;
    },
  ) {
    job.on('continued', (rank) => this.started(rank));
    job.on('rankEnded', (rank) => this.started(rank));
    job.on('ended', () => this.later());
  }

  /** The client, told of no thread that it does not list. */
  get client(): Client {
    const { client } = this.parts;
    return {
      send: (name, body) => {
        const told = body as Told | undefined;
        if (this.isForClient(name, told ?? {}))
          client.send(name, isQuiet(told) ? { ...body, allThreadsStopped: false } : body);
        if (name !== 'output') this.soon();
      },
      say: (line) => client.say(line),
      catchingUp: () => client.catchingUp(),
      defect: (during, error) => client.defect(during, error),
    };
  }

  async list(): Promise<DebugProtocol.Thread[]> {
    const groups = await this.groups();
    this.listed = new Map(groups.map(({ representative, name }) => [representative, name]));
    if (this.allStopped) for (const { representative } of groups) this.toldStopped.add(representative);
    return groups.map(({ representative: { id }, name }) => ({ id, name }));
  }

  private isForClient(name: string, body: Told): boolean {
    const { threadId, reason, allThreadsStopped } = body;
    const thread = threadId === undefined ? undefined : this.job.thread(threadId);
    const isListed = thread !== undefined && this.listed.has(thread);
    if (name === 'continued') return isListed || body.allThreadsContinued === true;
    if (name === 'thread' && reason === 'exited') return isListed;
    if (name !== 'stopped' || thread === undefined) return true;
    if (isQuiet(body) && !isListed) return false;
    this.toldStopped.add(thread);
    if (isQuiet(body)) return true;
    if (allThreadsStopped === true) this.allStopped = true;
    this.named = [thread, ...this.named.filter((each) => each !== thread)].slice(0, maxNamed);
    return true;
  }

  private started(rank: Rank): void {
    this.allStopped = false;
    for (const thread of rank.threads) this.toldStopped.delete(thread);
    this.soon();
  }

  private soon(): void {
    this.later();
    this.later = this.job.clock.after(quietTime, () => {
      this.tellChanges().catch((error: unknown) => this.parts.client.defect('merging threads', error));
    });
  }

  /** Has the client ask for the list when it is no longer what it shows. */
  private async tellChanges(): Promise<void> {
    // Their own event comes first, and is followed by another look.
    if (this.parts.areStopsGathering()) return;
    const groups = await this.groups();
    const changed = groups.filter(({ representative, name }) => this.listed.get(representative) !== name);
    const untold = groups.filter(
      ({ representative: thread }) => canBeRead(thread.rank) && !this.allStopped && !this.toldStopped.has(thread),
    );
    for (const { representative } of untold) {
      this.toldStopped.add(representative);
      this.parts.client.send('stopped', { ...stopOf(representative), preserveFocusHint: true });
    }
    const isAnother = changed.length > 0 || groups.length < this.listed.size;
    const messenger = isAnother && untold.length === 0 ? this.messenger(groups) : undefined;
    if (messenger !== undefined) this.parts.client.send('thread', { reason: 'started', threadId: messenger.id });
  }

  /**
   * The thread that the event is about which has the client ask for the list: none that it is to show. VS Code drops what it
   * is about to do with the thread of such an event, such as showing it after its stop. Undefined: there is no other.
   */
  private messenger(groups: readonly Group[]): RankThread | undefined {
    const listed = groups.map(({ representative }) => representative);
    const hidden = this.job.threads.find((thread) => !listed.includes(thread));
    return hidden ?? listed.find((thread) => thread !== this.named[0]);
  }

  private async groups(): Promise<Group[]> {
    const focused = new Set(this.parts.focus().ranks);
    // Nobody can look at the other threads of a running rank, so their roles may not be known yet.
    const shown = shownThreads(this.job, this.withHelpers).filter(
      ({ thread, suffix }) => suffix === '' || canBeRead(thread.rank),
    );
    const placed = await Promise.all(
      shown.map(async ({ thread, suffix }) => {
        const place = await this.placeOf(thread);
        // Commands act on the focus: what a representative stands for is in it as a whole, or not at all.
        const key = JSON.stringify([
          suffix,
          place,
          focused.has(thread.rank),
          numberOrLabel(thread.rank),
          thread.rank.world,
        ]);
        return { thread, key, text: [...(suffix === '' ? [] : [suffix]), place].join(' · ') };
      }),
    );
    const groups = new Map<string, typeof placed>();
    for (const each of placed) groups.set(each.key, [...(groups.get(each.key) ?? []), each]);
    return [...groups.values()].map((members) => {
      const threads = members.map(({ thread }) => thread);
      const ranks = formatRanks(threads.map(({ rank }) => rank));
      return {
        representative: this.representative(threads),
        name: `${ranks === '' ? threads[0]!.rank.label : ranks} · ${members[0]!.text}`,
      };
    });
  }

  /** What the client is to show comes first, then what it shows already. */
  private representative(threads: readonly RankThread[]): RankThread {
    const named = this.named.find((thread) => threads.includes(thread));
    return named ?? threads.find((thread) => this.listed.has(thread)) ?? threads[0]!;
  }

  /** "MPI_Barrier · solver.c:88", "main · ring.c:31 · OpenMP 0 working", "main · ring.c:31 · SIGSEGV", "running". */
  private async placeOf(thread: RankThread): Promise<string> {
    const { rank, stop } = thread;
    const found = canBeRead(rank) ? await this.parts.whereIs(thread) : undefined;
    if (found === undefined) return rank.state;
    const at = found.source === undefined ? [] : [`${basename(found.source.file)}:${found.source.line}`];
    const openMp = await this.parts.openMp(thread);
    const told = openMp === undefined ? [] : [openMp];
    return [found.name, ...at, ...told, ...(stop?.signal === undefined ? [] : [stop.signal.name])].join(' · ');
  }
}

/** What events say of threads. */
interface Told {
  threadId?: number;
  reason?: string;
  preserveFocusHint?: boolean;
  allThreadsStopped?: boolean;
  allThreadsContinued?: boolean;
}

/**
 * The client is to show what it shows. When all threads stop, VS Code forgets the stacks of all, and shows only that of the
 * thread that it is told to: so a quiet event is about one thread.
 */
function isQuiet(body: Told | undefined): boolean {
  return body?.preserveFocusHint === true;
}

/** More are not at different places that somebody looks at in turn. */
const maxNamed = 16;

/** Ranks without a number are never one row. */
function numberOrLabel({ number, label }: Rank): string {
  return number === null ? label : '';
}
