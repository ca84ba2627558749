/** Communicators that some of their members have freed while others still use them: MPI_Comm_free is collective, but does not wait. */
import { makesNone } from './movement';
import type { StuckNeed } from './stuck-job';
import type { Waits } from './waits';
import type { HangWords } from './words';

/** "ranks 0-2 have freed MPI_Comm "scratch"" */
export function freedTexts(needs: readonly StuckNeed[], { comms, processes }: Waits, words: HangWords): string[] {
  const used = new Map(needs.flatMap(({ need: { comm } }) => (comm === undefined ? [] : [[comm.key, comm] as const])));
  return [...used].flatMap(([key, comm]) => {
    const without = comm.members.filter(
      (member) => member !== undefined && comms.lacks(member, key) && makesNone(processes[member]!),
    ) as number[];
    const [verb, name] = [without.length === 1 ? 'has' : 'have', words.onComm(comm).replace(/^ on /, '')];
    return without.length === 0 ? [] : [`${words.ranks(without)} ${verb} freed ${name}`];
  });
}
