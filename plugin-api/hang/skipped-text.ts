/** Members of one communicator in different operations, in words, and which messages show who has been in one. */
import { groupedBy } from '../grouped-by';
import { operationOf } from './calls';
import type { Cause, StuckNeed } from './stuck-job';
import { calledFrom, type HangWords } from './words';

/** "rank 2 calls MPI_Bcast (x.c:5) with root 1, ranks 0-1 call MPI_Bcast (x.c:7) with root 0" */
export function calls(needs: readonly StuckNeed[], words: HangWords, about: (need: StuckNeed) => string): string {
  const groups = groupedBy(
    needs,
    ({ wait, ...each }) => `in ${calledFrom(wait.position, operationOf(wait.call))} ${about({ wait, ...each })}`,
  );
  return [...groups]
    .map(([text, of]) => {
      const processes = new Set(of.map(({ wait }) => wait.process));
      return `${words.ranks(processes)} ${processes.size === 1 ? 'is' : 'are'} ${text}`;
    })
    .join(', ');
}

/**
 * "…: rank 0, the root, has left MPI_Bcast already, and rank 3 has not taken the message of it that rank 2 passes on", "…: rank 3
 * has sent its part of MPI_Reduce already, which rank 2 has not taken"
 */
export function untakenText(
  { needs, culprits }: Cause,
  { root, from }: NonNullable<Cause['untaken']>,
  words: HangWords,
): string {
  const told = calls(needs, words, ({ wait, need }) => words.onWhat(need.comm, wait.position).trimStart());
  const operation = operationOf(needs[0]!.wait.call);
  const isIn = (root ?? from) === from && from === needs[0]!.wait.process;
  const behind = culprits.filter((process) => !isIn || process !== from);
  const who = `${words.ranks(behind)} ${behind.length === 1 ? 'has' : 'have'} not taken`;
  const sender = `${words.ranks([from])}${root === undefined ? '' : ', the root,'}`;
  if (isIn) return `${told}: ${who} the message of ${operation} that ${sender} has sent`;
  if (root === undefined)
    return `${told}: ${words.ranks([from])} has sent its part of ${operation} already, which ${who}`;
  return (
    `${told}: ${words.ranks([root])}, the root, has left ${operation} already, and ${who} the message of it that ` +
    (from === root ? 'it has sent' : `${words.ranks([from])} passes on`)
  );
}

/** "…: rank 1 has given its part of MPI_Gather already; rank 3, for whose part rank 2 waits, has not" */
export function withheldText({ needs, culprits }: Cause, given: readonly number[], words: HangWords): string {
  const told = calls(needs, words, ({ wait, need }) => words.onWhat(need.comm, wait.position).trimStart());
  const operation = operationOf(needs[0]!.wait.call);
  const waiting = needs.filter(
    ({ wait, need }) => operationOf(wait.call) === operation && need.on.some((process) => culprits.includes(process)),
  );
  const who = new Set(waiting.map(({ wait }) => wait.process));
  const [has, its] = given.length === 1 ? ['has', 'its part'] : ['have', 'their parts'];
  const [hasNot, part] = culprits.length === 1 ? ['has not', 'part'] : ['have not', 'parts'];
  return (
    `${told}: ${words.ranks(given)} ${has} given ${its} of ${operation} already; ${words.ranks(culprits)}, for whose ` +
    `${part} ${words.ranks(who)} ${who.size === 1 ? 'waits' : 'wait'}, ${hasNot}`
  );
}
