/** Requests that a session alone has: mpidbg/ranks, mpidbg/variables, mpidbg/pvars and its like, mpidbg/hang and mpidbg/annotate. */
import type { HangDocument } from '../../../plugin-api/hang/hang-records';
import type { OverlayPart } from '../../../plugin-api/overlays/read-overlay';
import type { OverlayDocument, VariableChangeAnswer } from '../../../plugin-api/overlays/records';
import { namedRanks } from '../../../plugin-api/mpi/rank-names';
import { inWorld, ownWorld } from '../../../plugin-api/mpi/worlds';
import type { AbsentRank, Job } from '../../job/job';
import { commandLineOf } from '../../query/command-line';
import { canBeRead, type Rank, type RankState } from '../../job/rank';
import { textOfWhereabouts } from '../../query/across-ranks/stacks';
import { unseenThreadsOf } from '../../query/across-ranks/unseen-threads';
import type { Annotation } from '../../fortran/annotations';
import { VerdictAtStops } from '../../query/hang/verdict-at-stops';
import type { JobQueries } from '../../query/job-queries';
import { Follower, overlayOfRanks } from '../../query/overlays/overlay-document';
import { setVariable } from '../../query/overlays/set-variable';
import { variablesOfHandle } from '../../query/variables-of-handle';
import { openMpLine } from '../../../plugin-api/answers/text/openmp-doing';
import type { Client } from '../client/connection';
import { noSuchVariable, nothingStopped, rankRuns } from '../client/errors';
import type { Focus } from '../ranks/focus';
import type { StackFrames } from '../references/stack-frames';
import type {
  AnnotateArguments,
  HangArguments,
  RecordArguments,
  SetVariableArguments,
  VariablesArguments,
} from './query-arguments';

/** The most slots of a ring read at a time: some thousand records, so that a busy job of many ranks does not hold up everything else. */
const maxFollowedSlots = 4096;

export interface RanksBody {
  ranks: {
    rank: number | null;
    /** Where the job has several: see RankId. */
    world?: string;
    host: string;
    pid?: number;
    core?: string;
    /** 'absent': its process cannot be attached to; `reason` says why. */
    state: RankState | 'absent';
    reason?: string;
    exitCode?: number;
    signal?: string;
    threadIds: number[];
    /** Why a stopped rank has stopped, in a word: "breakpoint", "step", "SIGSEGV". Left out where nothing is known. */
    stopReason?: string;
    /** With `commands`: how its program was called, as far as that is known. */
    command?: string;
    /** With `places`: where it is, "MPI_Barrier" or "usleep at io.c:88"; left out while that is unknown. */
    place?: string;
    /** With `places`: true in a call of MPI, its own or one that a library makes. */
    inMpi?: boolean;
    /** With `places`: what it waits for outside MPI, "waits in read for the pipe /tmp/steps (descriptor 5)"; left out where it computes or nothing is known. */
    waits?: string;
    /** With `places`: true where only other threads are left, as after pthread_exit in main. */
    mainHasEnded?: true;
    /** Beside it, how many of them gdb cannot attach to; left out where it has all. */
    unseenThreads?: number;
    /** With `places`: the innermost line of the user's code, as far as it is known. */
    source?: { file: string; line: number };
    /** With `places`: what the threads of OpenMP regions do, "OpenMP: 0-1 working, 2 waiting for the lock of 1"; where it is collected. */
    openmp?: string;
  }[];
}

export interface VariablesBody {
  variables: {
    /** "requests[3]" */
    expression: string;
    /** The function whose variable it is. */
    frameId: number;
    threadId: number;
    function?: string;
    /** Where it is declared, as far as that is known. */
    source?: { file: string; line: number };
  }[];
}

interface AnnotateBody {
  /** Why the annotation may not apply to any variable. */
  note?: string;
}

export class CustomRequests {
  private readonly verdict: VerdictAtStops;
  /** By what they follow, and the client's name for them. */
  private readonly followers = new Map<string, Follower>();

  constructor(
    private readonly job: Job,
    private readonly focus: Focus,
    private readonly frames: StackFrames,
    private readonly queries: JobQueries,
    private readonly client: Client,
  ) {
    this.verdict = new VerdictAtStops(queries, job.plugins.known);
  }

  async ranksWith({ places, commands }: { places?: boolean; commands?: boolean }): Promise<RanksBody> {
    const { ranks } = places === true ? await this.ranksWithPlaces() : await this.ranks();
    if (commands !== true) return { ranks };
    const called = await Promise.all(this.job.ranks.map(commandLineOf));
    return { ranks: ranks.map((row, i) => ({ ...row, ...(called[i] === undefined ? {} : { command: called[i] }) })) };
  }

  async ranks(): Promise<RanksBody> {
    const rows = await Promise.all(this.job.ranks.map((rank) => this.rankRow(rank)));
    return { ranks: [...rows, ...this.job.absent.map(absentRow)] };
  }

  private async ranksWithPlaces(): Promise<RanksBody> {
    const alive = await Promise.all(
      this.job.ranks.map(async (rank): Promise<RanksBody['ranks'][number]> => {
        const found = canBeRead(rank) ? await this.queries.whereabouts(rank) : undefined;
        if (found === undefined) return this.rankRow(rank);
        const source = found.source && { source: found.source };
        const openmp = openMpLine([...(await this.queries.openMpThreads(rank)).values()]);
        const { waitsIn, isMpiCall: inMpi } = found;
        const waits = waitsIn?.what === undefined ? {} : { waits: `waits in ${waitsIn.call} ${waitsIn.what}` };
        const place = { place: textOfWhereabouts(found), inMpi, ...waits, ...source };
        return { ...(await this.rankRow(rank)), ...place, ...(openmp && { openmp }) };
      }),
    );
    return { ranks: [...alive, ...this.job.absent.map(absentRow)] };
  }

  private async rankRow(rank: Rank): Promise<RanksBody['ranks'][number]> {
    const { world } = this.queries.idOf(rank);
    const unseenThreads = await unseenThreadsOf(rank);
    return {
      ...rowOf(rank),
      ...(world === undefined ? {} : { world }),
      ...(unseenThreads !== undefined && { mainHasEnded: true }),
      ...(unseenThreads !== undefined && unseenThreads > 0 && { unseenThreads }),
    };
  }

  /** Those of the functions in which the rank's thread is, that hold this handle. */
  async variables({ rank: number, world, kind, handle }: VariablesArguments): Promise<VariablesBody> {
    const rank = this.rankNumbered(number, world);
    if (rank !== undefined && !canBeRead(rank)) throw rankRuns(rank);
    const thread = rank?.current ?? rank?.threads[0];
    if (thread === undefined) throw nothingStopped();
    const found = await variablesOfHandle(this.queries, thread, { kind, handle });
    return {
      variables: found.map(({ expression, frame, declaration }) => ({
        ...{ expression, threadId: thread.id, frameId: this.frames.idOf({ thread, frame }) },
        ...(frame.function === undefined ? {} : { function: frame.function }),
        ...(declaration === undefined ? {} : { source: declaration }),
      })),
    };
  }

  /** As the ranks' memory is now, also while they run. */
  async overlay(part: OverlayPart, { ranks, patterns = [], last, follow }: RecordArguments): Promise<OverlayDocument> {
    const asked = this.focus.named(ranks) ?? this.focus.ranks;
    return overlayOfRanks(asked, this.job.plugins, {
      ...{ part, patterns },
      ...(last === undefined ? {} : { last }),
      ...(follow === undefined ? {} : { follower: this.followerOf(part, follow) }),
    });
  }

  private followerOf(part: OverlayPart, name: string): Follower {
    const key = `${part} ${name}`;
    const follower = this.followers.get(key) ?? new Follower(maxFollowedSlots);
    this.followers.set(key, follower);
    return follower;
  }

  private rankNumbered(number: number, world = ownWorld): Rank | undefined {
    return this.job.ranks.find((each) => each.number === number && (each.world ?? ownWorld) === world);
  }

  /** Changes a variable of MPI_T in one rank. */
  async setVariable({ rank: number, world, ...change }: SetVariableArguments): Promise<VariableChangeAnswer> {
    const rank = this.rankNumbered(number, world);
    const name = namedRanks(inWorld(world, String(number)));
    return rank === undefined ? { done: false, error: `there is no ${name}` } : setVariable(rank, change);
  }

  /** At all ranks unless some are named: who is left out may be waited for. */
  async hang({ ranks }: HangArguments): Promise<HangDocument> {
    return this.verdict.of(this.focus.named(ranks) ?? this.job.ranks);
  }

  /** Applies from now on, in all ranks. The client's views of values are then out of date. */
  async annotate({ kind, ...scope }: AnnotateArguments): Promise<AnnotateBody> {
    const { annotations } = this.queries.integers;
    const body = kind === 'inferred' ? {} : await this.checkDeclared({ ...scope, kind });
    if (kind === 'inferred') annotations.remove(scope);
    else annotations.add({ ...scope, kind });
    this.client.send('invalidated', { areas: ['variables'] });
    return body;
  }

  /** Throws RequestError when there is such a scope without such a variable. */
  private async checkDeclared(annotation: Annotation): Promise<AnnotateBody> {
    const isDeclared = await this.queries.isDeclared(annotation);
    if (isDeclared === true) return {};
    const { variable, function: fn, file } = annotation;
    if (fn === undefined && file === undefined)
      return { note: `kept, although no Fortran source known so far has a variable ${variable}` };
    const scope = [fn, file].filter((part) => part !== undefined).join(' of ');
    if (isDeclared === false) throw noSuchVariable(variable, scope);
    return { note: `kept, but not checked: no Fortran source known so far has ${scope}` };
  }
}

function rowOf(rank: Rank): RanksBody['ranks'][number] {
  const died = rank.state === 'core' ? rank.current?.stop?.signal?.name : undefined;
  return {
    rank: rank.number,
    host: rank.host,
    ...(rank.pid === undefined ? {} : { pid: rank.pid }),
    ...(rank.core === undefined ? {} : { core: rank.core }),
    state: rank.state,
    ...rank.end,
    ...(rank.state === 'stopped' ? reasonOf(rank) : {}),
    ...(died === undefined ? {} : { signal: died }),
    threadIds: rank.threads.map(({ id }) => id),
  };
}

function absentRow({ number, world, host, pid, refused: reason }: AbsentRank): RanksBody['ranks'][number] {
  const state = reason === undefined ? { state: 'exited' as const } : { state: 'absent' as const, reason };
  return { rank: number, ...(world === undefined ? {} : { world }), host, pid, ...state, threadIds: [] };
}

function reasonOf({ current }: Rank): { stopReason?: string } {
  const { reason, signal } = current?.stop ?? {};
  return reason === undefined || reason === 'unknown' ? {} : { stopReason: signal?.name ?? reason };
}
