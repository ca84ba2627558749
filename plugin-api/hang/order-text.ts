/** Members of one communicator that are in different operations, in words: who may have left one, and who waits for whom in it. */
import { groupedBy } from '../grouped-by';
import { hasCounts, operationOf, waitsForAll } from './calls';
import { goesStraight } from './passed-operations';
import type { StuckNeed } from './stuck-job';
import type { HangWords } from './words';

/** Files and windows are not made by such calls, but have been. */
export function membersOf(needs: readonly StuckNeed[]): string {
  const areAll = (calls: RegExp): boolean => needs.every(({ wait }) => calls.test(wait.call));
  if (areAll(/^MPI_File_(?!open)/)) return 'those who have opened a file';
  return `members of one ${areAll(/^MPI_Win_(fence|free)$/) ? 'window' : 'communicator'}`;
}

/**
 * An operation that members may leave before all have come, or where their counts let them, may have been left by those who are in another
 * one now.
 */
export function leftText(needs: readonly StuckNeed[]): string {
  const left = needs.filter(({ wait, need }) => hasCounts(wait.call) || goesStraight(wait, need));
  const [first] = left;
  if (first === undefined) return '';
  const operation = first.need.isNonblocking === true ? 'an operation' : operationOf(first.wait.call);
  const where = waitsForAll(first.wait.call) ? ', as they can where counts disagree,' : '';
  return `; whether some have left ${operation} already${where} is not known`;
}

/** "in MPI_Reduce, rank 0 waits for rank 2": where that is not everybody in another operation, as those have left it, or their turn has not come. */
export function awaitedTexts(needs: readonly StuckNeed[], words: HangWords): string[] {
  return [...groupedBy(needs, ({ wait }) => operationOf(wait.call))].flatMap(([operation, of]) => {
    const own = new Set(of.map(({ wait }) => wait.process));
    const elsewhere = new Set(needs.map(({ wait }) => wait.process).filter((process) => !own.has(process)));
    const exchanging = of.filter(({ wait, need }) => need.isPartial === true && hasCounts(wait.call));
    const isKnown = exchanging.every(({ need: { mode, on } }) => mode === 'AND' || on.length === 1);
    const waiting = exchanging.filter(({ need }) => need.on.some((process) => elsewhere.has(process)));
    const awaited = new Set(waiting.flatMap(({ need }) => need.on.filter((process) => elsewhere.has(process))));
    if (!isKnown || exchanging.length < of.length || awaited.size === 0 || awaited.size === elsewhere.size) return [];
    const who = new Set(waiting.map(({ wait }) => wait.process));
    return [`in ${operation}, ${words.ranks(who)} ${who.size === 1 ? 'waits' : 'wait'} for ${words.ranks(awaited)}`];
  });
}

/** Calls that make something, of which it is easily forgotten that they are collective. */
const makers =
  /^MPI_(Comm_(spawn|spawn_multiple|accept|connect|create|create_group|split|split_type|dup)|Intercomm_(create|merge)|Win_(create|allocate|allocate_shared|create_dynamic)|File_open)$/;

/** "MPI_Comm_spawn is collective: ranks 2-3 have to call it too" */
export function makersText(needs: readonly StuckNeed[], words: HangWords): string[] {
  const groups = groupedBy(needs, ({ wait }) => operationOf(wait.call));
  return [...groups].flatMap(([operation, of]) => {
    if (!makers.test(operation)) return [];
    const own = new Set(of.map(({ wait }) => wait.process));
    const others = needs.map(({ wait }) => wait.process).filter((process) => !own.has(process));
    return others.length === 0
      ? []
      : [`${operation} is collective: ${words.ranks(others)} ${others.length === 1 ? 'has' : 'have'} to call it too`];
  });
}
