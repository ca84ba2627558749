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
  const all = blocks.map((block, i) => ({ block, need: needs[i]! }));
  const alike = groupedBy(all, ({ block, need }) => waitText(need, block, words, { ranks: '', count: 1 }));
  const told = [...alike.values()].map((same) => {
    const waiting = new Set(same.map(({ block }) => block.waiting));
    const [{ block, need }] = same as [Pending];
    return waitText(need, block, words, { ranks: words.ranks(waiting), count: waiting.size });
  });
  const unsure = all.filter(({ block }) => block.why === 'unknown');
  const doubts = groupedBy(unsure, ({ block: { from, to, waiting }, need: { wait } }) =>
    [waiting === to ? from : to, operationOf(wait.call)].join(' '),
  );
  return [...told, ...[...doubts.values()].map((same) => doubtText(same, words))];
}

interface Pending {
  block: BlockDisagreement;
  need: StuckNeed;
}

/** Those for whom the sentence is the same. */
interface Waiting {
  ranks: string;
  count: number;
}

function waitText({ wait, need }: StuckNeed, block: BlockDisagreement, words: HangWords, own: Waiting): string {
  const { from, to, waiting, why, given, taken } = block;
  const { ranks, count } = own;
  const [verb, its] = count === 1 ? ['waits', 'its'] : ['wait', 'their'];
  const operation = need.isNonblocking === true ? ' in a nonblocking collective operation' : '';
  const start = `${ranks} ${verb} in ${calledFrom(wait.position, wait.call)}${operation}${words.onComm(need.comm)}`;
  if (from === to) {
    const whose = count === 1 ? 'its own block: it is' : 'their own blocks: each is';
    return `${start} for ${whose} among its own sources, and not among its own destinations`;
  }
  const isTaking = waiting === to;
  const other = words.ranks([isTaking ? from : to]);
  const content = isTaking ? taken : given;
  const text = isTaking
    ? `${start} for ${blockText(content, 'the block')} of ${other}`
    : `${start} until ${other} takes ${its} ${blockText(content, count === 1 ? 'block' : 'blocks')}`;
  switch (why) {
    case 'edges':
      return isTaking
        ? `${text}, whose edges do not contain ${ranks}`
        : `${text}, but the edges of ${other} do not contain ${ranks}`;
    case 'counts':
      return isTaking
        ? `${text}, which gives ${count === 1 ? 'it' : 'them'} ${blockText(given, 'none')}: the counts disagree`
        : `${text}, but ${other} expects ${blockText(taken, 'none')} of ${count === 1 ? 'it' : 'them'}: the counts disagree`;
    case 'unknown':
      return text;
  }
}

/** `same`: for the blocks of one rank, or until it takes theirs. */
function doubtText(same: readonly Pending[], words: HangWords): string {
  const [{ block: first, need }] = same as [Pending];
  const other = first.waiting === first.to ? first.from : first.to;
  const waiting = (isTaking: boolean): number[] => [
    ...new Set(same.flatMap(({ block }) => ((block.waiting === block.to) === isTaking ? [block.waiting] : []))),
  ];
  const exchange: Exchange = { takers: waiting(true), givers: waiting(false) };
  return `${words.ranks([other])} ${words.absence(other)}: ${leftOrNotCalled(need, exchange, words)}`;
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
