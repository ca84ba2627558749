/** Threads that wait for others of their process while one of them is in MPI, as people read it: they may be what does not happen. */
import { groupedBy } from '../grouped-by';
import { counted } from '../counted';
import type { WaitForGraph } from './wait-for-graph';
import { placeOf, sentence, type HangWords } from './words';

/** Underscores of the C library before their names do not count. */
const locks = /^(pthread_(mutex|rwlock)_\w*lock|GOMP_critical(_name)?_start|omp_set_(nest_)?lock|__kmpc_critical\w*)$/;

const maxTold = 3;

/** "Thread 2 of rank 0 waits in pthread_mutex_lock (a.c:5) for a lock, which another thread of its rank has to release." */
export function ownLocksText({ stuck, waitsOf }: WaitForGraph, words: HangWords): string[] {
  const found = [...stuck].flatMap((process) => {
    const waits = waitsOf[process]!;
    // Where nobody is in MPI, they are the verdict itself.
    if (waits.every(({ call }) => call === '')) return [];
    return waits.flatMap(({ call, position, needs }) => {
      const isTold = call !== '' || needs.some(({ openmp }) => openmp !== undefined);
      const { where, thread, library } = position;
      if (isTold || where === undefined) return [];
      const name = library?.function.replace(/^_+(?=pthread)/, '');
      if (name !== undefined && locks.test(name))
        return [{ process, thread, text: ` in ${name}${placeOf(position)} for a lock, which`, end: ' has to release' }];
      // A team of threads waits like this as well, for the one that is in MPI.
      return name === undefined ? [{ process, thread, text: ` at ${where} for`, end: '' }] : [];
    });
  });
  return [...groupedBy(found, ({ text }) => text).values()].slice(0, maxTold).map((of) => {
    const [{ text, end, thread }] = of as [(typeof found)[number]];
    const ranks = words.ranks(of.map(({ process }) => process));
    const [who, verb] = of.length === 1 ? [`thread ${thread}`, 'waits'] : [counted(of.length, 'thread'), 'wait'];
    const whose = of.length === 1 ? 'its rank' : 'the same rank';
    return sentence(`${who} of ${ranks} ${verb}${text} another thread of ${whose}${end}`);
  });
}
