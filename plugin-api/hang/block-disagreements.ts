/** Blocks that one member of a collective operation waits to take or to give, though the other one does not exchange them. */
import { isUnavailable } from '../result';
import { isGathering, isNeighborhood, isRooted, operationOf } from './calls';
import type { Communicator } from './communicators';
import type { Edges } from './edges';
import type { BlockDisagreement, Wait } from './need';
import type { Block, RankPosition } from './position';
import type { Cause, Stuck, StuckJob } from './stuck-job';
import type { Waits } from './waits';

/** Edges or counts of both sides are there, and contradict each other. */
export function disagreeingBlocks(stuck: StuckJob): Omit<Cause, 'type'> | undefined {
  return causeOfBlocks(blocksOf(stuck.last, stuck).filter(({ block: { why } }) => why !== 'unknown'));
}

/** What is known of each block that these processes wait for. */
export function pendingBlocks(needs: readonly Stuck[], stuck: StuckJob): Omit<Cause, 'type'> | undefined {
  return causeOfBlocks(blocksOf(needs, stuck));
}

interface Found {
  each: Stuck;
  block: BlockDisagreement;
}

function causeOfBlocks(found: readonly Found[]): Omit<Cause, 'type'> | undefined {
  if (found.length === 0) return undefined;
  return {
    culprits: found.flatMap(({ block: { from, to } }) => [from, to]),
    needs: found.map(({ each }) => each),
    blocks: found.map(({ block }) => block),
  };
}

function blocksOf(needs: readonly Stuck[], { graph: { free, waits } }: StuckJob): Found[] {
  return needs.flatMap((each) => {
    const { process, need } = each;
    const { from = [], to = [] } = need.kind === 'collective' ? (need.pending ?? {}) : {};
    const pairs = [
      ...from.map((other) => ({ from: other, to: process })),
      ...to.map((other) => ({ from: process, to: other })),
    ].filter((pair) => !free.has(pair.from) && !free.has(pair.to));
    const found = pairs.map((pair) => ({ each, block: { ...pair, waiting: process, ...compared(pair, each, waits) } }));
    // What goes to the process itself only its edges keep.
    return found.filter(({ block }) => block.from !== block.to || block.why === 'edges');
  });
}

type Pair = Pick<BlockDisagreement, 'from' | 'to'>;

function compared(
  { from, to }: Pair,
  { process, wait, need }: Stuck,
  waits: Waits,
): Omit<BlockDisagreement, 'from' | 'to' | 'waiting'> {
  const comm = need.comm!;
  const given = blockAt(waits, from, comm, wait, 'gives', to);
  const taken = blockAt(waits, to, comm, wait, 'takes', from);
  const sides = { ...(given === undefined ? {} : { given }), ...(taken === undefined ? {} : { taken }) };
  if (isNeighborhood(wait.call) || need.isNonblocking === true) {
    const [giver, taker] = [waits.comms.as(from, comm)?.edges, waits.comms.as(to, comm)?.edges];
    const isGiven = giver?.destinations.includes(to);
    const isTaken = taker?.sources.includes(from);
    if (process === to ? isTaken === true && isGiven === false : isGiven === true && isTaken === false)
      return { why: 'edges', ...sides };
  }
  const [awaited, other] = process === to ? [taken, given] : [given, taken];
  const isContradiction = awaited !== undefined && other?.bytes === 0 && awaited.bytes !== 0;
  return { why: isContradiction ? 'counts' : 'unknown', ...sides };
}

/** What a process' own arguments say of its block for another one, or from it, while it is in the operation. */
function blockAt(
  waits: Waits,
  process: number,
  comm: Communicator,
  { call }: Wait,
  side: 'gives' | 'takes',
  other: number,
): Block | undefined {
  const own = waits.comms.as(process, comm);
  const position = waits.processes[process]!.positions.find(
    (each) =>
      each.call !== undefined &&
      operationOf(each.call) === operationOf(call) &&
      waits.comms.of(process, each.comm)?.key === comm.key,
  );
  const blocks = position?.[side];
  if (own === undefined || position === undefined || blocks === undefined || isUnavailable(blocks)) return undefined;
  const isSpread = blocks.length === 1;
  const index = partnersOf(own, position, side).indexOf(other);
  const isOnce = index >= 0 && partnersOf(own, position, side).lastIndexOf(other) === index;
  return isOnce ? blocks[isSpread ? 0 : index] : undefined;
}

/** Whom it exchanges blocks with, in their order. */
function partnersOf(
  { peers, edges }: Communicator,
  { call = '', root }: RankPosition,
  side: 'gives' | 'takes',
): readonly (number | undefined)[] {
  const neighbors: Record<typeof side, keyof Edges> = { gives: 'destinations', takes: 'sources' };
  if (isNeighborhood(call)) return edges?.[neighbors[side]] ?? [];
  if (!isRooted(call)) return peers;
  const isToRoot = isGathering(call) === (side === 'gives');
  if (!isToRoot) return peers;
  return typeof root === 'number' ? [peers[root]] : [];
}
