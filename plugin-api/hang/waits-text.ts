/** Who waits for what in a deadlock, in words: those in which the mistake is seen, and those who queue behind them. */
import { groupedBy } from '../grouped-by';
import type { StuckNeed } from './stuck-job';
import { mergedWaits, type ToldWaits } from './merged-waits';
import type { Need } from './need';
import { happensFor, type WaitForGraph } from './wait-for-graph';
import type { HangWords } from './words';

const maxCauses = 4;
const maxQueues = 3;

export class WaitsText {
  /** Those who queue, by what is told of each of them: whoever has been told is not in it any more. */
  private readonly queued: Map<string, readonly StuckNeed[]>;

  constructor(
    graph: WaitForGraph,
    isTold: ReadonlySet<number>,
    private readonly words: HangWords,
  ) {
    const others = [...graph.stuck].filter((process) => !isTold.has(process));
    // The first of several things that are waited for says enough.
    const needs = others.flatMap((process) =>
      graph.waitsOf[process]!.flatMap((wait) => {
        const need = wait.needs.find((each) => each.kind !== 'thread' && !happensFor(each, graph.free));
        return need === undefined ? [] : [{ wait, need }];
      }),
    );
    this.queued = new Map(groupedBy(needs, ({ wait, need }) => words.wait(wait, need, 2)));
  }

  /** "Ranks 0-2 wait in MPI_Barrier (a.c:5) on MPI_COMM_WORLD for rank 3": with those behind them who wait for the same. */
  of(needs: readonly StuckNeed[]): string[] {
    // What waits for one of several is told once.
    const waiting = [...groupedBy(needs, (each) => (each.wait.mode === 'OR' ? each.wait : each)).values()].map(
      (of) => ({ wait: of[0]!.wait, needs: of.map(({ need }) => need) as [Need, ...Need[]] }),
    );
    const groups = groupedBy(waiting, (each) => this.words.waitForAny(each.wait, each.needs, 2));
    const alike = [...groups].map(([text, of]) => ({
      ...of[0]!,
      processes: new Set([...of, ...this.take(text)].map(({ wait }) => wait.process)),
    }));
    return this.shown(mergedWaits(alike, this.words), maxCauses, (rest) =>
      rest.size === 1 ? 'waits likewise' : 'wait likewise',
    );
  }

  /** Those who have not been told. */
  rest(): string[] {
    const alike = [...this.queued.values()].map((of) => ({
      wait: of[0]!.wait,
      needs: [of[0]!.need] as [Need],
      processes: new Set(of.map(({ wait }) => wait.process)),
    }));
    return this.shown(mergedWaits(alike, this.words), maxQueues, (rest) =>
      rest.size === 1 ? 'waits, too' : 'wait, too',
    );
  }

  private shown(all: readonly ToldWaits[], max: number, doing: (rest: ReadonlySet<number>) => string): string[] {
    const rest = new Set(all.slice(max).flatMap(({ processes }) => [...processes]));
    const shown = all.slice(0, max).map(({ text }) => text);
    return rest.size === 0 ? shown : [...shown, `${this.words.ranks(rest)} ${doing(rest)}`];
  }

  private take(text: string): readonly StuckNeed[] {
    const found = this.queued.get(text) ?? [];
    this.queued.delete(text);
    return found;
  }
}

export function limited(all: readonly string[]): string[] {
  const more = all.length - maxCauses;
  return more > 0 ? [...all.slice(0, maxCauses), `${more} more ${more === 1 ? 'waits' : 'wait'} likewise`] : [...all];
}
