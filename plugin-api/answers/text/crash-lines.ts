/** How the ranks of a job died, as their core files say. */
import { namedRanks } from '../../mpi/rank-names';
import type { Crash, RankId } from '../../mpi/records';
import { mergeEqual } from '../merge';
import { isFault } from '../signal-words';

/**
 * "ranks 3,7: SIGSEGV at solver.f90:120, address 0x0 (nothing is mapped there)", one line for each way of dying. Faults
 * come first, since they may be why other ranks were ended.
 */
export function crashLines(ranks: readonly { rank: RankId; crash: Crash | undefined }[]): string[] {
  const told = ranks.flatMap(({ rank, crash }) =>
    crash === undefined ? [] : [{ rank, text: crash.text, order: orderOf(crash) }],
  );
  told.sort((a, b) => a.order - b.order);
  return mergeEqual(told).map(({ ranks: set, text }) => `${namedRanks(set)}: ${text}`);
}

function orderOf({ signal, wasSent }: Crash): number {
  if (isFault(signal)) return 0;
  return wasSent === true ? 2 : 1;
}
