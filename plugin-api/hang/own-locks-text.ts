/** Threads that wait for others of their process while one of them is in MPI, as people read it: they may be what does not happen. */
import { groupedBy } from '../grouped-by';
import { counted } from '../counted';
import type { WaitForGraph } from './wait-for-graph';
import { forLock, isOfOpenMp, ownThreadText } from './own-thread-text';
import { placeOf } from './place-text';
import { sentence, type HangWords } from './words';

/** Underscores of the C library before their names do not count. */
const locks = /^(pthread_(mutex|rwlock)_\w*lock|GOMP_critical(_name)?_start|omp_set_(nest_)?lock|__kmpc_critical\w*)$/;

const maxTold = 3;

/** "Thread 2 of rank 0 waits in pthread_mutex_lock (a.c:5) for a lock that thread 1 holds." */
export function ownLocksText({ stuck, waitsOf, waits: { processes } }: WaitForGraph, words: HangWords): string[] {
  const found = [...stuck].flatMap((process) => {
    const waits = waitsOf[process]!;
    const { positions } = processes[process]!;
    // Where no thread is in MPI, the verdict has told of the first. The others are added if it is known whom they wait for.
    if (waits.every(({ call }) => call === ''))
      return waits
        .filter(({ position }) => position.waitsOn?.on !== undefined && position !== positions[0])
        .map(({ position }) => ({ process, thread: position.thread, text: ownThreadText(position, positions)! }));
    return waits.flatMap(({ call, position, needs }) => {
      const isTold = call !== '' || needs.some(({ openmp }) => openmp !== undefined);
      const { where, thread, library, waitsOn } = position;
      if (isTold || where === undefined) return [];
      if (waitsOn !== undefined && (waitsOn.on !== undefined || isOfOpenMp(waitsOn)))
        return [{ process, thread, text: ownThreadText(position, positions)! }];
      const name = library?.function.replace(/^_+(?=pthread)/, '');
      if (name !== undefined && locks.test(name))
        return [{ process, thread, text: `in ${name}${placeOf(position)} ${forLock}` }];
      // A team of threads waits like this as well, for the one that is in MPI.
      return name === undefined ? [{ process, thread, text: `at ${where} for another thread of its rank` }] : [];
    });
  });
  return [...groupedBy(found, ({ text }) => text)].slice(0, maxTold).map(([text, of]) => {
    const ranks = words.ranks(of.map(({ process }) => process));
    return of.length === 1
      ? sentence(`thread ${of[0]!.thread} of ${ranks} waits ${text}`)
      : sentence(`${counted(of.length, 'thread')} of ${ranks} wait ${text.replace('of its rank', 'of the same rank')}`);
  });
}
