/** Many ranks that wait for each other in a ring, in one sentence. */
import { tagsText } from './merged-waits';
import type { Need } from './need';
import type { StuckNeed } from './stuck-job';
import { firstAndLast, type HangWords } from './words';

/** A shorter ring takes a sentence for each rank. */
const fewest = 4;

/**
 * "Ranks 0-7 wait for each other in a ring (rank 0 for rank 1, rank 1 for rank 2, … rank 7 for rank 0): each waits in MPI_Send (w.c:15)
 * until the next receives its message with tag 1 on MPI_COMM_WORLD". undefined: it is no ring, or they do not all wait in the same way.
 */
export function ringText(needs: readonly StuckNeed[], words: HangWords): string | undefined {
  if (needs.length < fewest) return undefined;
  const byProcess = new Map(needs.map((each) => [each.wait.process, each]));
  const order = orderOf(byProcess);
  if (order === undefined || order.length !== needs.length) return undefined;
  const ways = new Set(
    needs.map(({ wait, need }) => words.wait(wait, need, 1, { partner: 'the next', tags: kindOfTag(need) })),
  );
  const [first] = needs;
  if (first === undefined || ways.size > 1) return undefined;
  const { wait, need } = first;
  const isNumber = typeof need.message?.tag === 'number';
  const tags = tagsText(needs.map((each) => each.need.message?.tag));
  const way = words.wait(wait, need, 1, { partner: 'the next', ...(isNumber && { tags }) });
  const links = order.map(
    (process, i) => `${words.ranks([process])} for ${words.ranks([order[(i + 1) % order.length]!])}`,
  );
  return `${words.ranks(order)} wait for each other in a ring (${firstAndLast(links)}): each ${way}`;
}

/** Tags that are numbers may differ. */
function kindOfTag({ message }: Need): string {
  return typeof message?.tag === 'number' ? '' : String(message?.tag);
}

/** From the first process on, each followed by the one that it waits for. */
function orderOf(needs: ReadonlyMap<number, StuckNeed>): number[] | undefined {
  const order: number[] = [];
  for (let process = Math.min(...needs.keys()); !order.includes(process);) {
    const { kind, on, message } = needs.get(process)?.need ?? {};
    if ((kind !== 'receive' && kind !== 'send') || message === undefined || on?.length !== 1) return undefined;
    order.push(process);
    process = on[0]!;
  }
  return order;
}
