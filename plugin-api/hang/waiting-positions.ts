/** The positions of a verdict's document: where each thread is, and for which ranks it waits. */
import { compareWorlds } from '../mpi/worlds';
import type { RankError } from '../mpi/records';
import { groupedBy } from '../grouped-by';
import { onceFor } from '../once';
import { isUnavailable } from '../result';
import type { WithoutBystanders } from './bystanders';
import type { RankOfWorld, WaitingPosition } from './hang-records';
import type { ProcessState } from './job-state';
import type { Need } from './need';
import type { RankPosition } from './position';
import type { WaitForGraph } from './wait-for-graph';
import type { HangWords } from './words';

/** Where each thread is and whom it waits for, as a document has it: those of `aside` are shown, too. */
export function positionsWithWaits(
  { waits: { processes, comms }, waitsOf }: WaitForGraph,
  aside: WithoutBystanders['aside'],
  words: HangWords,
): (WaitingPosition | RankError)[] {
  const asideOf = groupedBy(aside, ({ process }) => process);
  // Many wait for the same ones.
  const ranksOfAll = onceFor((on: Need['on']) => ranksOf(on, processes));
  const worldsOfAll = onceFor((on: Need['on']) => withWorlds('waitsForRanks', on, processes));
  return processes.flatMap<WaitingPosition | RankError>(({ id, error, positions }, process) => {
    if (error !== undefined) return [{ ...id, error: { code: 'MPIDBG_ERR_UNAVAILABLE' as const, reason: error } }];
    const others = (asideOf.get(process) ?? []).map((each) => each.position);
    return [...positions, ...others]
      .sort((a, b) => a.thread - b.thread)
      .map((position) => {
        const { own: _own, gives: _gives, takes: _takes, amount: _amount, ...told } = position;
        const { outside: _outside, asks: _asks, fetches: _fetches, leaving, ...shown } = told;
        const { level: _level, ...out } = leaving ?? {};
        const on = onUnnamed(process, position);
        return {
          ...shown,
          ...(leaving && { leaving: out as typeof leaving }),
          ...(on && { on }),
          ...waitOf(process, position),
        };
      });
  });

  function onUnnamed(process: number, { comm }: RankPosition): string | undefined {
    const isUnnamed =
      comm !== undefined && !isUnavailable(comm) && (comm.name ?? '') === '' && comm.serves === undefined;
    const known = isUnnamed ? comms.of(process, comm) : undefined;
    return known && words.onComm(known).replace(/^ on /, '');
  }

  function waitOf(process: number, position: RankPosition): Pick<WaitingPosition, 'mode' | 'waitsFor'> {
    const wait = waitsOf[process]!.find((each) => each.position === position);
    if (wait === undefined || wait.call === '') return {};
    const needs = wait.needs.filter((need) => need.happens === undefined);
    const others = needs.length === 1 ? needs[0]!.on : needs.flatMap(({ on }) => on);
    const isOr =
      wait.mode === 'OR' || (needs.length > 0 && needs.every(({ mode, on }) => mode === 'OR' && on.length > 1));
    return {
      mode: isOr ? 'OR' : 'AND',
      waitsFor: ranksOfAll(others),
      ...worldsOfAll(others),
    };
  }
}

/** Sorted, each once. */
export function ranksOf(indices: Iterable<number>, processes: readonly ProcessState[]): number[] {
  const ranks = [...new Set(indices)].flatMap((index) => processes[index]!.id.rank ?? []);
  return [...new Set(ranks)].sort((a, b) => a - b);
}

/** Only of a job with several worlds. */
export function withWorlds<Name extends string>(
  name: Name,
  indices: Iterable<number>,
  processes: readonly ProcessState[],
): Partial<Record<Name, RankOfWorld[]>> {
  const ranks = [...new Set(indices)].flatMap((index) => {
    const { rank, world } = processes[index]!.id;
    return rank === null || world === undefined ? [] : [{ world, rank }];
  });
  const sorted = ranks.sort((a, b) => compareWorlds(a.world, b.world) || a.rank - b.rank);
  return sorted.length === 0 ? {} : ({ [name]: sorted } as Partial<Record<Name, RankOfWorld[]>>);
}
