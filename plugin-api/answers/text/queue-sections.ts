/** The communicators of all ranks with what is in their queues: those that differ in nothing but their ranks come together. */
import { groupedBy } from '../../grouped-by';
import { describeRef, nameOf } from '../../mpi/describe-ref';
import type { CommInfo, RankId } from '../../mpi/records';
import { inWorld } from '../../mpi/worlds';
import { isUnavailable } from '../../result';
import { formatRankSet, isRankSet, parseRankSet, rankSetOf } from '../rank-set';
import { mergeAlike, type MergedText } from '../merge';

/** A communicator as one rank knows it; the rows are of its queues. */
export interface CommOfRank {
  info: CommInfo;
  /** The world of the rank, where the job has several: see RankId. */
  world?: string | undefined;
  rows: readonly { rank: RankId; text: string }[];
}

/** A communicator: what is in its queues, in all its ranks. */
interface Section {
  info: CommInfo;
  members: Members | undefined;
  rows: readonly MergedText[];
}

/** In ranks of MPI_COMM_WORLD. */
interface Members {
  text: string;
  /** undefined: some are of other worlds. */
  ranks: readonly number[] | undefined;
}

/** Those without rows are only counted. */
export function queueSections(comms: readonly CommOfRank[]): { titled: Map<string, MergedText[]>; empty: number } {
  const known = comms.map((each) => ({ ...each, members: membersOf(each) }));
  const sections = [...groupedBy(known, (each) => titleOf([each])).values()].map((of): Section => {
    const { info, members } = of[0]!;
    return { info, members, rows: mergeAlike(of.flatMap(({ rows }) => rows)) };
  });
  const titled = new Map<string, MergedText[]>();
  for (const alike of withEqualRows(sections.filter(({ rows }) => rows.length > 0)))
    titled.set(titleOf(alike), mergedRows(alike));
  return { titled, empty: sections.filter(({ rows }) => rows.length === 0).length };
}

/** Communicators without a name that have no rank in common; all others are alone. */
function withEqualRows(sections: readonly Section[]): Section[][] {
  const groups = groupedBy(sections, ({ info, members, rows }) =>
    members?.ranks === undefined || rows.some(({ ranks }) => !isRankSet(ranks))
      ? titleOf([{ info, members }])
      : `${purposeOf(info)} ${rows.map(({ text }) => text).join('\n')}`,
  );
  return [...groups.values()].flatMap((group) => (shareNoRank(group) ? [[...group]] : group.map((each) => [each])));
}

function shareNoRank(sections: readonly Section[]): boolean {
  const all = sections.flatMap(({ members }) => members?.ranks ?? []);
  return sections.length > 1 && new Set(all).size === all.length;
}

function mergedRows(sections: readonly Section[]): MergedText[] {
  const [first] = sections;
  if (sections.length === 1 || first === undefined) return [...(first?.rows ?? [])];
  return first.rows.map(({ text }, i) => {
    const ranks = sections.map(({ rows }) => rows[i]!.ranks).join(',');
    return { ranks: formatRankSet(parseRankSet(ranks)), text };
  });
}

/** Communicators in one title. */
const maxMembers = 4;

/** One without a name is known in all ranks by its members and its context id. */
function titleOf(comms: readonly Pick<Section, 'info' | 'members'>[]): string {
  const [first] = comms;
  if (first === undefined) return '';
  const { info } = first;
  const name = nameIn(info);
  if (name !== '') return `${nameOf('comm', name)}${purposeOf(info)}`;
  const contexts = new Set(comms.flatMap(({ info: { contextId } }) => (isUnavailable(contextId) ? [] : [contextId])));
  const context = contexts.size === 1 ? `, context id ${[...contexts].join()}` : '';
  const own = comms.length === 1 ? `MPI_Comm of ${first.members?.text ?? info.handle}` : severalText(comms);
  return `${own}${purposeOf(info)}${context}`;
}

/** "4 MPI_Comm of one rank each", "2 MPI_Comm: ranks 0-3; ranks 4-7" */
function severalText(comms: readonly Pick<Section, 'members'>[]): string {
  if (comms.every(({ members }) => members?.ranks?.length === 1)) return `${comms.length} MPI_Comm of one rank each`;
  const texts = comms.map(({ members }) => members?.text ?? '');
  const shown = texts.length > maxMembers ? [...texts.slice(0, maxMembers - 1), '…', texts.at(-1)] : texts;
  return `${comms.length} MPI_Comm: ${shown.join('; ')}`;
}

function nameIn({ name }: CommInfo): string {
  return typeof name === 'string' ? name : '';
}

function purposeOf({ serves }: CommInfo): string {
  return serves === undefined || isUnavailable(serves) ? '' : ` (internal, for ${describeRef(serves)})`;
}

/**
 * The members of a communicator without a name: "ranks 0-3", "ranks 0-3 and 2 of other worlds"; for an intercommunicator the
 * group with the lowest rank first.
 */
function membersOf({ info, world }: CommOfRank): Members | undefined {
  if (nameIn(info) !== '') return undefined;
  const { localProcs, remoteProcs } = info;
  const groups = [localProcs, ...(remoteProcs === undefined ? [] : [remoteProcs])];
  const sets: string[] = [];
  const ranks: number[] = [];
  let others = 0;
  for (const group of groups) {
    if (isUnavailable(group)) return undefined;
    const own = group.filter((rank) => rank !== null);
    others += group.length - own.length;
    ranks.push(...own);
    if (own.length > 0) sets.push(formatRankSet(rankSetOf(own)));
  }
  if (ranks.length === 0) return undefined;
  const named = sets.sort(byFirstRank).map((set) => inWorld(world, set));
  const text = `${ranks.length === 1 ? 'rank' : 'ranks'} ${named.join(' and ')}`;
  return others === 0 ? { text, ranks } : { text: `${text} and ${others} of other worlds`, ranks: undefined };
}

function byFirstRank(a: string, b: string): number {
  return parseInt(a, 10) - parseInt(b, 10);
}
