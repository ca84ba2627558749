/** Requests about ranks as sets: mpidbg/focus, mpidbg/rankSet, mpidbg/value, mpidbg/nan and mpidbg/differences. */
import { numbersText } from '../../../plugin-api/mpi/rank-names';
import type { CommInfo } from '../../../plugin-api/mpi/records';
import { inWorld } from '../../../plugin-api/mpi/worlds';
import { truthOf } from '../../gdb/mi/value';
import type { Job } from '../../job/job';
import { canBeRead, type Rank, type RankThread } from '../../job/rank';
import { formatRanks, parseRanks } from '../../../plugin-api/answers/rank-set';
import { commRanks, NoRankSetError } from '../../query/across-ranks/comm-ranks';
import { languageOf } from '../../expressions/frames';
import { differencesOf, type Differences, type RankVariables } from '../../query/across-ranks/differences';
import { comparedMembers, comparedVariables, compoundNames } from '../../query/across-ranks/local-values';
import type { ValueOverRanks } from '../../../plugin-api/answers/value-over-ranks';
import type { NanDocument } from '../../../plugin-api/answers/nan-records';
import { rankId } from '../../query/rank-ids';
import { withVariablesMeant } from '../../query/shown/variables-meant';
import type { ValueQueries } from '../../query/shown/value-queries';
import { nan } from '../../questions/nan';
import { show } from '../../questions/show';
import type { Asking } from './asking';
import { cancelled, notEvaluated, nothingStopped, rankRuns, wrongArguments } from '../client/errors';
import type { Client } from '../client/connection';
import { Progress } from '../client/progress';
import type { FocusBody } from '../../../plugin-api/answers/focus-body';
import type { Focus } from '../ranks/focus';
import { whereLike, type FrameRef, type StackFrames } from '../references/stack-frames';
import type {
  DifferencesArguments,
  FocusArguments,
  NanArguments,
  RankSetArguments,
  SelectArguments,
  ValueArguments,
} from './query-arguments';

/** The limit for one function: each is evaluated in every rank. */
const maxCompound = 30;

export class RankRequests {
  /** For NaN, by the id of their progress. */
  private readonly searches = new Map<string, AbortController>();
  private searchCount = 0;

  constructor(
    private readonly parts: {
      job: Job;
      client: Pick<Client, 'send'>;
      focus: Focus;
      frames: StackFrames;
      values: ValueQueries;
      asking: Asking;
      changed: (focus: FocusBody) => void;
      /** The names of the frame's variables that are handles. */
      handlesIn: (frame: FrameRef) => Promise<ReadonlySet<string>>;
      /** Has the client show this thread. */
      show: (thread: RankThread) => void;
    },
  ) {}

  /** Without arguments: what it is. `ranks`: a rank set, or "all". */
  focus({ ranks, scope }: FocusArguments): FocusBody {
    const { focus, changed } = this.parts;
    if (ranks !== undefined) focus.choose(/^\s*(all)?\s*$/.test(ranks) ? undefined : parseRanks(ranks));
    if (scope !== undefined) focus.scope = scope;
    const body = { ranks: namesOf(focus.ranks), all: focus.text === undefined, scope: focus.scope };
    if (ranks !== undefined || scope !== undefined) changed(body);
    return body;
  }

  /** Throws RequestError when none of them can be read. */
  select({ threadId, ranks }: SelectArguments): { threadId: number } {
    const { focus, show } = this.parts;
    const thread = threadId === undefined ? this.firstStopped(ranks) : focus.stoppedThread(threadId);
    show(thread);
    return { threadId: thread.id };
  }

  private firstStopped(ranks: string | undefined): RankThread {
    const { focus } = this.parts;
    const chosen = focus.named(ranks) ?? focus.ranks;
    const rank = chosen.find(canBeRead);
    if (rank === undefined) throw chosen.length === 1 ? rankRuns(chosen[0]!) : nothingStopped();
    return rank.current ?? rank.threads[0]!;
  }

  /** One of `where`, `comm` and `stoppedLike` says which ranks; the answer is a rank set, "" for none. */
  async rankSet({ where, comm, dimension, stoppedLike, frameId }: RankSetArguments): Promise<{ ranks: string }> {
    const { frames } = this.parts;
    const like = frameId === undefined ? undefined : frames.get(frameId);
    if (where !== undefined) return { ranks: await this.ranksWhere(where, like) };
    if (comm !== undefined) return { ranks: await this.ranksOfComm(comm, dimension, like) };
    if (stoppedLike !== undefined) return { ranks: await this.ranksStoppedLike(frames.get(stoppedLike)) };
    throw wrongArguments('mpidbg/rankSet', 'name the ranks with "where", "comm" or "stoppedLike"');
  }

  async value({ expression, ranks, frameId }: ValueArguments): Promise<ValueOverRanks> {
    const { focus, frames } = this.parts;
    const like = frameId === undefined ? undefined : frames.get(frameId);
    return this.valueIn(expression, focus.named(ranks) ?? focus.ranks, like);
  }

  async valueIn(expression: string, ranks: readonly Rank[], like: FrameRef | undefined): Promise<ValueOverRanks> {
    return this.parts.values.overRanks(ranks, expression, await whereLike(this.parts.frames, ranks, like));
  }

  /** Where NaN and infinities are; without an expression in all variables. */
  async nan({ expression, ranks, frameId }: NanArguments): Promise<NanDocument> {
    const { client, focus, frames, asking } = this.parts;
    const asked = focus.named(ranks) ?? focus.ranks;
    const like = frameId === undefined ? undefined : frames.get(frameId);
    const expressions = expression === undefined ? [] : [expression];
    const progress = new Progress(client, `nan-${++this.searchCount}`);
    const search = new AbortController();
    this.searches.set(progress.id, search);
    progress.begin('MPI: looking for NaN');
    try {
      const onProgress = (done: number): void => progress.counted(done, asked.length, 'searched');
      const { signal } = search;
      const { document } = await asking.ask(nan, { expressions }, { ranks: asked, like, signal, onProgress });
      signal.throwIfAborted();
      return document;
    } finally {
      this.searches.delete(progress.id);
      progress.end();
    }
  }

  /** The request that began this progress is refused; nothing happens where it has been answered. */
  cancelSearch(progressId: string): void {
    this.searches.get(progressId)?.abort(cancelled());
  }

  /** Compares the variables of this frame with those of the corresponding frames in other ranks. */
  async differences({ frameId, ranks, compound }: DifferencesArguments): Promise<Differences> {
    return this.differencesIn(this.parts.frames.get(frameId), { ranks, compound, withMembers: true });
  }

  /** The names of the frame's simple variables that differ between the ranks of the focus. */
  async namesOfDiffering(frame: FrameRef): Promise<ReadonlySet<string>> {
    const { variables } = await this.differencesIn(frame);
    return new Set(variables.map(({ expression }) => expression));
  }

  /** `withMembers`: those of objects, too. */
  private async differencesIn(
    like: FrameRef,
    { ranks, compound, withMembers = false }: { ranks?: string; compound?: boolean; withMembers?: boolean } = {},
  ): Promise<Differences> {
    const { focus, frames } = this.parts;
    const asked = (focus.named(ranks) ?? focus.ranks).filter(canBeRead);
    const places = await Promise.all(asked.map((rank) => frames.corresponding(rank, like)));
    const standing = places.filter((place) => place !== undefined);
    const inFrame = standing.map(({ thread }) => thread.rank);
    // C has types for them; in Fortran they may be INTEGERs.
    const handles = languageOf(like.frame) === 'fortran' ? await this.parts.handlesIn(like) : new Set<string>();
    const found = await Promise.all(
      standing.map(async (at) => ({
        rank: rankId(at.thread.rank),
        at,
        variables: (await (withMembers ? comparedMembers : comparedVariables)(at.thread, at.frame)).filter(
          ({ name }) => !handles.has(name),
        ),
      })),
    );
    const compared = await withDeclarations(found);
    const names = compound === true ? (await compoundNames(like.thread, like.frame)).slice(0, maxCompound) : [];
    const values = await Promise.all(names.map((name) => this.valueIn(name, inFrame, like)));
    return {
      function: like.frame.function ?? '',
      ranks: namesOf(inFrame),
      ...differencesOf(compared, values),
    };
  }

  /** The ranks that can be read and for which the expression is true. */
  async ranksWhere(expression: string, like: FrameRef | undefined): Promise<string> {
    const ranks = this.parts.job.ranks.filter(canBeRead);
    if (ranks.length === 0) throw nothingStopped();
    const where = await whereLike(this.parts.frames, ranks, like);
    const answers = await this.parts.values.answersOf(ranks, expression, where);
    const truths = answers.map(({ value }) => value && truthOf(value));
    if (truths.every((truth) => truth === undefined)) {
      const value = answers.find(({ failed }) => failed !== true);
      throw notEvaluated(
        value === undefined ? (answers[0]?.text ?? 'it has no value') : `${value.text} is neither true nor false`,
      );
    }
    return namesOf(ranks.filter((_, index) => truths[index] === true));
  }

  /** In the frame's rank, or the first one that can be read. `dimension`: only along this one of a cartesian grid. */
  private async ranksOfComm(
    expression: string,
    dimension: number | undefined,
    like: FrameRef | undefined,
  ): Promise<string> {
    const rank = like?.thread.rank ?? this.parts.focus.ranks.find(canBeRead);
    if (rank === undefined) throw nothingStopped();
    const { document } = await this.parts.asking.ask(show, { expressions: [expression] }, { ranks: [rank], like });
    const [answered] = document.ranks;
    const answer = answered !== undefined && 'answers' in answered ? answered.answers[0] : undefined;
    if (answer === undefined) throw notEvaluated(`${rank.label} cannot tell`);
    if (answer.code !== 'MPIDBG_SUCCESS') throw notEvaluated(answer.reason);
    if (answer.kind !== 'comm') throw notEvaluated(`${expression} is not a communicator`);
    try {
      return inWorld(answered?.world, numbersText(commRanks(answer.info as CommInfo, dimension)));
    } catch (error) {
      if (error instanceof NoRankSetError) throw notEvaluated(error.message);
      throw error;
    }
  }

  /** The ranks in the same function and line; for the innermost frame, only those with the same innermost frame. */
  private async ranksStoppedLike(ref: FrameRef): Promise<string> {
    const { job, frames } = this.parts;
    const standing = await frames.standing(ref);
    const same = await Promise.all(
      job.ranks.filter(canBeRead).map(async (rank) => {
        const other = await frames.corresponding(rank, ref);
        if (other === undefined || (ref.frame.level === 0 && other.frame.level > 0)) return [];
        return (await frames.standing(other)) === standing ? [rank] : [];
      }),
    );
    return namesOf(same.flat());
  }
}

/** With where they are declared: those that differ, where the ranks are at different lines of the function. */
async function withDeclarations<Found extends RankVariables & { at: FrameRef }>(
  found: readonly Found[],
): Promise<readonly RankVariables[]> {
  const differing = differencesOf(found).variables.map(({ expression }) => expression);
  const names = differing.filter((name) => /^[A-Za-z_]\w*$/.test(name));
  const keys = new Map<string, (string | undefined)[]>();
  for (const name of names)
    keys.set(
      name,
      (await withVariablesMeant(name, found)).map(({ variable }) => variable?.key),
    );
  return found.map(({ rank, variables }, at) => ({
    rank,
    variables: variables.map((each) => {
      const declared = keys.get(each.name)?.[at];
      return declared === undefined ? each : { ...each, declared };
    }),
  }));
}

function namesOf(ranks: readonly Rank[]): string {
  return formatRanks(ranks);
}
