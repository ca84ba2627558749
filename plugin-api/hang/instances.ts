/** The ordinal of the collective operation that each rank is in, among its communicator's: it tells a rank that is behind from the others. */
import { groupedBy } from '../grouped-by';
import { operationOf } from './calls';
import { isCollective } from './stuck-job';
import type { WaitForGraph } from './wait-for-graph';
import type { Communicator } from './communicators';
import { HangWords, sentence } from './words';

interface Counted {
  process: number;
  comm: Communicator;
  instance: number;
  call: string;
}

/**
 * "Rank 3 is in the 14th collective operation on MPI_Comm "ocean" (MPI_Bcast), ranks 0-2 are in the 15th (MPI_Reduce)." for each
 * communicator where they differ; nothing where calls are not collected.
 */
export function instancesText({ stuck, waitsOf, waits: { processes } }: WaitForGraph): string[] {
  const words = new HangWords(processes);
  const counted = [...stuck].flatMap((process) =>
    waitsOf[process]!.flatMap((wait): Counted[] => {
      const comm = wait.needs.find((need) => isCollective(need) && need.isNonblocking !== true)?.comm;
      const told = processes[process]!.collectives?.find(({ thread }) => thread === wait.position.tid);
      if (comm === undefined || told === undefined) return [];
      return [{ process, comm, instance: told.instance, call: operationOf(wait.call) }];
    }),
  );
  return [...groupedBy(counted, ({ comm }) => comm.key).values()].flatMap((of) => {
    if (new Set(of.map(({ instance }) => instance)).size < 2) return [];
    const groups = groupedBy(
      [...of].sort((a, b) => a.instance - b.instance),
      ({ instance, call }) => `${instance} ${call}`,
    );
    const parts = [...groups.values()].map((group, i) => {
      const [{ instance, call, comm }] = group as [Counted];
      const verb = new Set(group.map(({ process }) => process)).size === 1 ? 'is' : 'are';
      const what = i === 0 ? ` collective operation${words.onComm(comm)}` : '';
      return `${words.ranks(group.map(({ process }) => process))} ${verb} in the ${ordinal(instance)}${what} (${call})`;
    });
    return [sentence(parts.join(', '))];
  });
}

function ordinal(number: number): string {
  const isTeen = number % 100 >= 11 && number % 100 <= 13;
  const ending = isTeen ? 'th' : (['th', 'st', 'nd', 'rd'][number % 10] ?? 'th');
  return `${number}${ending}`;
}
