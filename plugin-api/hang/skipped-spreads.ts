/**
 * Members that others have overtaken in an operation that spreads from its root, which nobody has to stay in: the root has left it, and
 * a message of it has not been taken by one that others in it wait for, or to whom one of them passes it on.
 */
import { operationOf } from './calls';
import { asSent } from './collective-waits';
import type { Communicator } from './communicators';
import { minority, type Cause, type StuckNeed } from './stuck-job';
import type { Waits } from './waits';

/** `needs`: of members that are in different operations. undefined: no message shows it. */
export function skippedSpread(needs: readonly StuckNeed[], { messages }: Waits): Omit<Cause, 'type'> | undefined {
  const inOne = (one: StuckNeed): number[] =>
    needs.flatMap(({ wait }) => (operationOf(wait.call) === operationOf(one.wait.call) ? [wait.process] : []));
  for (const each of needs) {
    const { wait, need } = each;
    const { call, process, position } = wait;
    const { comm } = need;
    if (comm === undefined || comm.isIntercomm || need.isNonblocking === true) continue;
    if (!/^MPI_(Bcast|Scatterv?)$/.test(operationOf(call)) || typeof position.root !== 'number') continue;
    const own = inOne(each);
    const root = comm.members[position.root];
    const isElsewhere = (other: number | undefined): boolean =>
      other !== undefined && !own.includes(other) && needs.some((one) => one.wait.process === other);
    if (root === process || !isElsewhere(root)) continue;
    const skipping = messages.all.flatMap(({ at, from, queue, isInternal, collective, comm: on }) =>
      queue === 'unexpected' &&
      isInternal &&
      (from === process || (from === root && need.on.includes(at))) &&
      collective === asSent(call) &&
      (on.key === comm.key || carries(on, comm)) &&
      at !== root &&
      isElsewhere(at)
        ? [{ at, from: from! }]
        : [],
    );
    const [first] = skipping;
    const behind = [...new Set(skipping.map(({ at }) => at))];
    const culprits = minority(behind, need);
    if (first === undefined || culprits.length !== behind.length) continue;
    const told = needs.filter((one) => culprits.includes(one.wait.process));
    return {
      culprits,
      needs: [each, ...told, ...needs.filter((one) => one !== each && !told.includes(one))],
      passedOn: { root: root!, from: first.from },
    };
  }
  return undefined;
}

/** A communicator of the library's own for the messages of one that has a name. */
function carries({ ref: { serves }, members }: Communicator, { ref, members: its }: Communicator): boolean {
  const { name = '' } = ref;
  return serves?.kind === 'comm' && name !== '' && serves.name === name && members.join() === its.join();
}
