/** How much each member passes in a collective operation in which all have to pass alike. */
import { groupedBy } from '../grouped-by';
import { isUnavailable } from '../result';
import { operationOf } from './calls';
import type { Wait } from './need';
import type { Stuck, StuckNeed } from './stuck-job';
import type { HangWords } from './words';

interface Amount {
  bytes: number;
  /** "4 MPI_INT" */
  text: string;
}

/** undefined: it is not known, or not alike in all members. */
function amountOf({ call, position: { amount, gives } }: Wait): Amount | undefined {
  const blocks = amount ?? (/^MPI_(Allgather|Alltoall|Gather)$/.test(operationOf(call)) ? gives : undefined);
  if (blocks === undefined || isUnavailable(blocks) || blocks.length === 0) return undefined;
  const [{ datatype } = blocks[0]!] = blocks;
  const bytes = blocks
    .map((each) => (isUnavailable(each.bytes) ? NaN : each.bytes))
    .reduce((sum, each) => sum + each, 0);
  const count = blocks.reduce((sum, each) => sum + each.count, 0);
  return Number.isNaN(bytes) ? undefined : { bytes, text: `${count} ${datatype}` };
}

/** "rank 1 passes 1 MPI_DOUBLE, ranks 0,2-3 pass 100 MPI_DOUBLE: the counts disagree"; undefined: they are not known, or agree. */
export function amountsText(needs: readonly StuckNeed[], words: HangWords): string | undefined {
  const known = needs.flatMap(({ wait }) => {
    const amount = amountOf(wait);
    return amount === undefined ? [] : [{ process: wait.process, amount }];
  });
  if (new Set(known.map(({ amount }) => amount.bytes)).size < 2) return undefined;
  const groups = [...groupedBy(known, ({ amount }) => amount.text)].sort(([, a], [, b]) => a.length - b.length);
  const parts = groups.map(([text, of]) => {
    const who = new Set(of.map(({ process }) => process));
    return `${words.ranks(who)} ${who.size === 1 ? 'passes' : 'pass'} ${text}`;
  });
  return `${parts.join(', ')}: the counts disagree`;
}

/** "each of them passes 100 MPI_INT", where that is known of all. */
export function sameAmountText(needs: readonly StuckNeed[]): string | undefined {
  const amounts = needs.map(({ wait }) => amountOf(wait));
  const [first] = amounts;
  if (first === undefined || amounts.some((each) => each?.bytes !== first.bytes)) return undefined;
  const areAlike = amounts.every((each) => each?.text === first.text);
  return `each of them passes ${areAlike ? first.text : `${first.bytes} bytes`}`;
}

/** Those who pass another amount than most; undefined: not all are known, or they agree. */
export function withOtherAmount(needs: readonly Stuck[]): number[] | undefined {
  const amounts = needs.map((each) => ({ process: each.process, bytes: amountOf(each.wait)?.bytes }));
  if (amounts.some(({ bytes }) => bytes === undefined)) return undefined;
  const groups = [...groupedBy(amounts, ({ bytes }) => bytes).values()].sort((a, b) => b.length - a.length);
  const [most, next] = groups;
  if (most === undefined || next === undefined) return undefined;
  const wrong = most.length > next.length ? groups.slice(1) : groups;
  return wrong.flat().map(({ process }) => process);
}
