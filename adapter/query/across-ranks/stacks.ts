/** The stacks of all ranks and threads as one tree, and which ranks are elsewhere than the others. */
import { basename } from 'node:path';
import { groupedBy } from '../../../plugin-api/grouped-by';
import { endedMainText } from '../../../plugin-api/hang/ended-mains';
import { stoppedBySignal } from '../../../plugin-api/hang/wait-for-graph';
import type { SystemWait } from '../../../plugin-api/hang/position';
import type { RankError, RankId, StackNode, StacksDocument } from '../../../plugin-api/mpi/records';
import { cutFrame, maxFrames, type Frame } from '../../stacks/frame';
import { namesOfRanks, ranksInWords } from '../../../plugin-api/mpi/rank-names';
import type { ProcessCode } from '../../expressions/code-modules';
import { callPlace, shortName } from './call-place';
import { isMpiCall, nameOfCall, plainName } from './mpi-calls';
import { nameInSource, withoutName } from './openmp-frames';
import { openMpStacks, type ShownFrame } from './openmp-stacks';
import { programFrames, withCallName } from './program-frames';

/** What was read of one rank. A rank without a number counts in the trees by its pid. */
export interface RankStacks {
  id: RankId;
  code: ProcessCode;
  /**
   * Per thread, the rank's first thread first; each with the innermost frame first, as gdb lists them. A frame beyond
   * `maxFrames` says that the stack goes on.
   */
  threads: readonly (readonly Frame[])[];
  /** Where OpenMP is collected, of threads in a team the thread that is its master; by their places in `threads`. */
  masters?: ReadonlyMap<number, number>;
  /** What the first thread waits for outside MPI. */
  waitsIn?: SystemWait | undefined;
  /** main has ended by pthread_exit, and the first of `threads` is another one: how many more gdb does not show. undefined: it has not. */
  unseenThreads?: number | undefined;
  /** A signal had stopped it when mpidbg came: it does not go on when mpidbg lets it go. */
  isStopped?: boolean;
}

/**
 * Which frames: 'program': from main, or the function of a thread, to the first call of MPI or of another library;
 * 'calls': from the very first to the first call of MPI; 'all': below MPI calls too, which are those of the MPI library
 * and what it calls.
 */
export type StackExtent = 'program' | 'calls' | 'all';

export function mergeStacks(
  ranks: readonly RankStacks[],
  errors: RankError[],
  target: StacksDocument['target'],
  extent: StackExtent,
): StacksDocument {
  const worlds = [...groupedBy(ranks, ({ id }) => id.world)];
  return {
    ...{ schema: 'mpidbg/1', target },
    tree: worlds.flatMap(([world, of]) => treeOf(of, extent).map((root) => ({ ...root, ...(world && { world }) }))),
    outliers: worlds.flatMap(([, of]) => [...outliersOf(of), ...remarks(of)]),
    errors,
  };
}

/** The tree of the ranks of one world. */
function treeOf(ranks: readonly RankStacks[], extent: StackExtent): StackNode[] {
  const roots = new Map<string, MergedNode>();
  for (const rank of ranks) {
    const { world: _, ...id } = rank.id;
    for (const frames of shownStacks(rank, extent)) {
      let level = roots;
      for (const frame of frames) {
        const node = nodeFor(level, frame, extent);
        node.ranks.push(id);
        level = node.children;
      }
    }
  }
  return finish(roots);
}

interface MergedNode {
  frame: StackNode['frame'];
  /** One entry per thread. */
  ranks: RankId[];
  children: Map<string, MergedNode>;
}

function nodeFor(
  level: Map<string, MergedNode>,
  { function: symbol, fullName, file, line, openmp }: ShownFrame,
  extent: StackExtent,
): MergedNode {
  const source = fullName ?? file;
  // Where the library's own functions are looked at, its entry for Fortran is one of them.
  const name = extent === 'all' ? plainName(symbol) : nameOfCall(symbol);
  const key = `${name} ${source ?? ''} ${line ?? ''} ${openmp ?? ''}`;
  let node = level.get(key);
  if (node === undefined) {
    const frame = { name, ...(source && { source }), ...(line !== undefined && { line }), ...(openmp && { openmp }) };
    node = { frame, ranks: [], children: new Map() };
    level.set(key, node);
  }
  return node;
}

/** The widest branches first: what most ranks do is what they are expected to do. */
function finish(level: Map<string, MergedNode>): StackNode[] {
  return [...level.values()]
    .sort((a, b) => b.ranks.length - a.ranks.length)
    .map(({ frame, ranks, children }) => ({
      frame,
      ranks: rankText(ranks),
      threads: ranks.length,
      children: finish(children),
    }));
}

/** Outermost first, each. */
function shownStacks({ threads, code, masters }: RankStacks, extent: StackExtent): ShownFrame[][] {
  const stacks = threads.map((frames) => {
    const read = frames.slice(0, maxFrames).reverse();
    const outward = extent === 'all' ? read : read.map((frame) => withCallName(frame, code));
    return { frames: outward, isCut: frames.length > outward.length };
  });
  const inSource = extent === 'all' ? stacks.map(({ frames }) => frames) : openMpStacks(stacks, code, masters);
  return inSource.map((frames, i) => {
    const shown = shownFrames(frames, code, extent);
    return stacks[i]!.isCut ? [cutFrame(maxFrames), ...shown] : shown;
  });
}

/** Outermost first, both. */
function shownFrames(outward: ShownFrame[], code: ProcessCode, extent: StackExtent): ShownFrame[] {
  if (extent === 'program') return programFrames(outward, code);
  const call = extent === 'all' ? -1 : outward.findIndex((frame) => isMpiCall(frame.function));
  return call < 0 ? outward : outward.slice(0, call + 1);
}

/** One sentence for each group of ranks whose first threads are at the same place; none while all are at one. */
function outliersOf(ranks: readonly RankStacks[]): string[] {
  const groups = groupedBy(ranks, ({ code, threads, waitsIn }) =>
    [textOfWhereabouts(whereIs(threads[0] ?? [], code)), waitText(waitsIn)].join(''),
  );
  if (groups.size < 2) return [];
  return [...groups]
    .sort(([, a], [, b]) => a.length - b.length)
    .map(
      ([whereabouts, of]) =>
        `${ranksInWords(of.map(({ id }) => id))} (${of.length} of ${ranks.length}) in ${whereabouts}`,
    );
}

/** What the stacks do not show. */
function remarks(ranks: readonly RankStacks[]): string[] {
  const said = (which: readonly RankStacks[], what: string): string[] =>
    which.length === 0 ? [] : [`${ranksInWords(which.map(({ id }) => id))}: ${what}`];
  return [
    ...[...groupedBy(ranks, ({ unseenThreads }) => unseenThreads)].flatMap(([unseen, of]) =>
      unseen === undefined ? [] : said(of, endedMainText(unseen)),
    ),
    ...said(
      ranks.filter(({ isStopped }) => isStopped),
      stoppedBySignal,
    ),
  ];
}

/** Where a thread stands. */
export interface Whereabouts {
  /** The MPI call that it is in, else what the program has called: "MPI_Barrier", "H5Dwrite, inside MPI_Barrier", "usleep". */
  name: string;
  isMpiCall: boolean;
  /** Outside MPI: the system call that it waits in. */
  waitsIn?: SystemWait | undefined;
  /** The innermost line of the user's code: the path as the compiler wrote it, made absolute by gdb. */
  source?: { file: string; line: number };
}

export function whereIs(frames: readonly Frame[], code: ProcessCode): Whereabouts {
  const { frame: user, library } = callPlace(frames, code) ?? {};
  const { line, file = '', fullName = file } = user ?? {};
  const source = line === undefined ? {} : { source: { file: fullName, line } };
  const call = frames.map((frame) => withCallName(frame, code)).findLast((frame) => isMpiCall(frame.function));
  if (call !== undefined) {
    const name = nameOfCall(call.function);
    const inside = library?.function === undefined ? name : `${shortName(library.function)}, inside ${name}`;
    return { name: inside, isMpiCall: true, ...source };
  }
  const called = user === undefined ? frames[0] : frames[Math.max(0, frames.indexOf(user) - 1)];
  return {
    name: called === undefined ? withoutName : withoutArguments(nameInSource(called, code)),
    isMpiCall: false,
    ...source,
  };
}

/** "std::vector::at" of "std::vector<double, std::allocator<double> >::at". */
function withoutArguments(name: string): string {
  return /<lambda|^OpenMP/.test(name) ? name : shortName(name);
}

/** "MPI_Barrier"; outside MPI "usleep at io.c:88": what was called, and the line of the user's code that called it. */
export function textOfWhereabouts({ name, isMpiCall: isCall, source }: Whereabouts): string {
  return isCall || source === undefined ? name : `${name} at ${basename(source.file)}:${source.line}`;
}

/** ", waits in read for the pipe /tmp/steps (descriptor 5)"; empty where nothing more than the call is known. */
function waitText(wait: SystemWait | undefined): string {
  return wait?.what === undefined ? '' : `, waits in ${wait.call} ${wait.what}`;
}

function rankText(ids: readonly RankId[]): string {
  const { set, others } = namesOfRanks(ids);
  return [...set, ...others].join(',');
}
