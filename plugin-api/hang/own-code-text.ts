/** What a thread outside MPI does, in words. */
import { ranksInWords } from '../mpi/rank-names';
import type { ProcessState } from './job-state';
import { placeOf } from './place-text';
import type { RankPosition } from './position';

/**
 * "is in its own code at solver.c:12", "waits in read (solver.c:12) for its standard input (descriptor 0, the terminal /dev/pts/3)",
 * "waits in flock (io.c:7) for a lock of /scratch/restart, which rank 0 has"
 */
export function ownCodeText(position: RankPosition, processes: readonly ProcessState[]): string {
  const { where, thread, waitsIn } = position;
  const inThread = thread === 1 ? '' : ` in thread ${thread}`;
  if (waitsIn === undefined) return `is in its own code${where === undefined ? '' : ` at ${where}`}${inThread}`;
  const { call, what, holder } = waitsIn;
  const other = holder === undefined ? '' : `, which ${holderText(position, holder, processes)} has`;
  return `waits in ${call}${placeOf(position)}${inThread}${what === undefined ? '' : ` ${what}`}${other}`;
}

function holderText({ host, pid }: RankPosition, holder: number, processes: readonly ProcessState[]): string {
  if (holder === pid) return 'it';
  const rank = processes.find(({ id }) => id.pid === holder && id.host === host);
  return rank === undefined ? `process ${holder}` : ranksInWords([rank.id]);
}
