/** Blocks of collective operations that members wait for in vain, in words. */
import { groupedBy } from '../grouped-by';
import { isUnavailable } from '../result';
import { hasCounts, isRooted, operationOf } from './calls';
import type { BlockDisagreement } from './need';
import type { Block } from './position';
import type { StuckNeed } from './stuck-job';
import { calledFrom, type HangWords } from './words';

/**
 * "Rank 2 waits in MPI_Neighbor_allgather (x.c:7) on MPI_Comm "edges" for the block of rank 3, whose edges do not contain rank 2";
 * `blocks`: of each of `needs`.
 */
export function blockTexts(
  needs: readonly StuckNeed[],
  blocks: readonly BlockDisagreement[],
  words: HangWords,
): string[] {
  const told = blocks.map((block, i) => waitText(needs[i]!, block, words));
  const unsure = blocks.flatMap((block, i) => (block.why === 'unknown' ? [{ block, need: needs[i]! }] : []));
  const doubts = groupedBy(unsure, ({ block, need }) => doubtText(need, block, words));
  return [...told, ...doubts.keys()];
}

function waitText({ wait, need }: StuckNeed, block: BlockDisagreement, words: HangWords): string {
  const { from, to, waiting, why, given, taken } = block;
  const [own, other] = [words.ranks([waiting]), words.ranks([waiting === to ? from : to])];
  const operation = need.isNonblocking === true ? ' in a nonblocking collective operation' : '';
  const start = `${own} waits in ${calledFrom(wait.position, wait.call)}${operation}${words.onComm(need.comm)}`;
  const isTaking = waiting === to;
  const content = isTaking ? taken : given;
  const text = isTaking
    ? `${start} for ${blockText(content, 'the block')} of ${other}`
    : `${start} until ${other} takes its ${blockText(content, 'block')}`;
  switch (why) {
    case 'edges':
      return isTaking
        ? `${text}, whose edges do not contain ${own}`
        : `${text}, but the edges of ${other} do not contain ${own}`;
    case 'counts':
      return isTaking
        ? `${text}, which gives it ${blockText(given, 'none')}: the counts disagree`
        : `${text}, but ${other} expects ${blockText(taken, 'none')} of it: the counts disagree`;
    case 'unknown':
      return text;
  }
}

function doubtText(each: StuckNeed, { from, to, waiting }: BlockDisagreement, words: HangWords): string {
  const isTaking = waiting === to;
  const other = isTaking ? from : to;
  const exchange: Exchange = isTaking ? { takers: [to], givers: [] } : { takers: [], givers: [from] };
  return `${words.ranks([other])} ${words.absence(other)}: ${leftOrNotCalled(each, exchange, words)}`;
}

/** Those who still wait for one that is elsewhere: who takes its block, and whose block it should take. */
export interface Exchange {
  takers: readonly number[];
  givers: readonly number[];
}

/** "it has not called MPI_Gatherv, or has left it without giving rank 0 its block, as where counts or roots differ" */
export function leftOrNotCalled({ wait, need }: StuckNeed, { takers, givers }: Exchange, words: HangWords): string {
  const isNonblocking = need.isNonblocking === true;
  const operation = isNonblocking ? 'that operation' : operationOf(wait.call);
  const acts = [
    ...(takers.length === 0
      ? []
      : [`giving ${words.ranks(takers)} ${takers.length === 1 ? 'its block' : 'their blocks'}`]),
    ...(givers.length === 0
      ? []
      : [`taking the ${givers.length === 1 ? 'block' : 'blocks'} of ${words.ranks(givers)}`]),
  ];
  const what = isNonblocking
    ? 'counts, edges or roots differ'
    : isRooted(wait.call)
      ? 'counts or roots differ'
      : 'counts differ';
  return `it has not called ${operation}, or has left it without ${acts.join(' and ')}, as where ${what}`;
}

/** Libraries let a member leave at once that has nothing to give and to get. undefined: no operation in which it is awaited has a count. */
export function leftByCount(absent: number, needs: readonly StuckNeed[]): string | undefined {
  const awaiting = needs.filter(({ need }) => need.kind === 'collective' && need.on.includes(absent));
  const [first] = awaiting;
  const isClear = awaiting.every(({ wait, need }) => need.isNonblocking !== true && hasCounts(wait.call));
  if (first === undefined || !isClear) return undefined;
  return `it has not called ${operationOf(first.wait.call)}, or has left it already, as where its count is 0`;
}

/** "4 MPI_INT" */
function blockText(block: Block | undefined, otherwise: string): string {
  if (block === undefined) return otherwise;
  const empty = block.count > 0 && !isUnavailable(block.bytes) && block.bytes === 0 ? ' without data' : '';
  return `${block.count} ${block.datatype}${empty}`;
}
