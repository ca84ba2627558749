/** What OpenMP threads do, in a few words: "2 waiting for the lock of 1". Threads have the numbers that they have in their team. */
import { groupedBy } from '../../grouped-by';
import type { OmptThread } from '../../overlays/ompt-records';
import { formatRankSet, rankSetOf } from '../rank-set';
import { missingAtBarrier, mutexName } from './ompt-waits';

/** "OpenMP: 0-1 working, 2 waiting for the lock of 1, 3 waiting in the barrier for 0-2"; undefined: no thread is in a region or waits. */
export function openMpLine(threads: readonly OmptThread[]): string | undefined {
  const busy = threads.filter(({ parallel, waitsFor }) => parallel !== undefined || waitsFor !== undefined);
  const groups = groupedBy(busy, (thread) => doing(thread, threads));
  const parts = [...groups].map(([words, of]) => [numbersOf(of), words].filter((text) => text !== '').join(' '));
  return parts.length === 0 ? undefined : `OpenMP: ${parts.sort(byNumber).join(', ')}`;
}

/** "OpenMP 3 waiting in the barrier for 0-2", "OpenMP idle"; undefined: it is alone in the program's serial part. */
export function openMpWords(thread: OmptThread, threads: readonly OmptThread[]): string | undefined {
  if (thread.state === 'work_serial') return undefined;
  return ['OpenMP', numbersOf([thread]), doing(thread, threads)].filter((text) => text !== '').join(' ');
}

function doing(thread: OmptThread, threads: readonly OmptThread[]): string {
  const { state, waitsFor } = thread;
  if (waitsFor === undefined) return stateWords[state] ?? state;
  const { kind, waitId } = waitsFor;
  switch (kind) {
    case 'barrier':
    case 'reduction':
      return `waiting in the ${kind}${forNumbers(missingAtBarrier(thread, threads))}`;
    case 'taskwait':
    case 'taskgroup':
      return `waiting in the ${kind}`;
    case 'target':
      return 'waiting for the target region';
    default: {
      const holder = threads.filter(({ holds }) => holds.some((hold) => hold.waitId === waitId));
      return `waiting for the ${mutexName(kind)}${holder.length === 0 ? '' : ` of ${numbersOf(holder)}`}`;
    }
  }
}

const stateWords: Readonly<Record<string, string>> = {
  work_serial: 'working',
  work_parallel: 'working',
  work_reduction: 'reducing',
  overhead: 'in the runtime',
};

function forNumbers(threads: readonly OmptThread[]): string {
  const numbers = numbersOf(threads);
  return numbers === '' ? '' : ` for ${numbers}`;
}

function numbersOf(threads: readonly OmptThread[]): string {
  return formatRankSet(rankSetOf(threads.flatMap(({ parallel }) => parallel?.index ?? [])));
}

function byNumber(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}
