/** Messages of a broadcast or a scatter that lie at a process which waits for another message, and is in no such operation. */
import { groupedBy } from '../grouped-by';
import { asSent } from './collective-waits';
import { unionOf } from './cycles';
import type { PendingMessage } from './message';
import type { StuckNeed } from './stuck-job';
import type { WaitForGraph } from './wait-for-graph';
import type { HangWords } from './words';

/** Libraries make other operations of these, too. */
const spreads: Readonly<Record<string, string>> = {
  MPI_Bcast: 'a broadcast',
  MPI_Scatter: 'a scatter',
  MPI_Scatterv: 'a scatter',
};

/** "a message of a broadcast from rank 0 lies at rank 1, which is in none", "messages … lie at ranks 1-3"; `needs`: what a verdict is about. */
export function untakenSpreadTexts(
  needs: readonly StuckNeed[],
  { waits: { messages, processes }, waitsOf }: WaitForGraph,
  words: HangWords,
): string[] {
  const concerned = unionOf([needs.map(({ wait }) => wait.process), ...needs.map(({ need }) => need.on)]);
  const isInOne = (process: number, spread: string): boolean =>
    processes[process]!.positions.some(({ call = '' }) => spreads[asSent(call)] === spread);
  const isReceiving = (process: number): boolean =>
    waitsOf[process]!.some((wait) => wait.needs.some(({ kind }) => kind === 'receive'));
  const found = messages.all.flatMap(({ at, from, queue, isInternal, collective = '' }: PendingMessage) => {
    const spread = spreads[collective];
    if (queue !== 'unexpected' || !isInternal || spread === undefined || from === undefined) return [];
    return concerned.has(at) && isReceiving(at) && !isInOne(at, spread) ? [{ at, from, spread }] : [];
  });
  return [...groupedBy(found, ({ from, spread }) => `${from} ${spread}`).values()].map((of) => {
    const [{ from, spread }] = of as [(typeof of)[number]];
    const at = new Set(of.map((each) => each.at));
    const lie = at.size === 1 ? ['a message', 'lies', 'which is'] : ['messages', 'lie', 'which are'];
    return `${lie[0]} of ${spread} from ${words.ranks([from])} ${lie[1]} at ${words.ranks(at)}, ${lie[2]} in none`;
  });
}
