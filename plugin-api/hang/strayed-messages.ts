/** Messages of collective operations that nobody takes: they show who was in an operation, on which communicator and in whose tree. */
import { isGathering, operationOf } from './calls';
import type { Communicator } from './communicators';
import { fits, type PendingMessage } from './message';
import type { Need, Wait } from './need';
import type { Waits } from './waits';

/** A message of an operation, from one process to another. */
export interface StrayedMessage {
  from: number;
  to: number;
  comm: Communicator;
}

/** The messages of the operation that the wait is in: sent on any communicator, and no receive asks for them. */
function strayedMessages({ call }: Wait, { messages }: Waits): StrayedMessage[] {
  const operation = operationOf(call);
  const isOf = ({ isInternal, collective }: PendingMessage): boolean => isInternal && collective === operation;
  const posted = messages.all.filter((each) => isOf(each) && each.queue === 'posted');
  return messages.all.flatMap((each) => {
    const { from, to, comm } = each;
    if (!isOf(each) || each.queue === 'posted' || from === undefined || to === undefined) return [];
    return posted.some((wanted) => fits(wanted, each)) ? [] : [{ from, to, comm }];
  });
}

/** Who sent theirs of a gathering operation to another process than the one that waits for them: to another root. */
export function sentElsewhere(process: number, wait: Wait, need: Need, waits: Waits): StrayedMessage[] {
  if (!isGathering(wait.call)) return [];
  // The root of MPI_Gather may ask for the parts, too: a message of its own shows no other root.
  const { root } = wait.position;
  const named = typeof root === 'number' && need.comm?.isIntercomm !== true ? need.comm?.members[root] : undefined;
  return strayedMessages(wait, waits).filter(
    ({ from, to, comm }) => comm.key === need.comm?.key && to !== process && from !== named && need.on.includes(from),
  );
}

/** What it got of a spreading operation from another process than those that it waits for: of another root. */
export function gotFromElsewhere(process: number, wait: Wait, need: Need, waits: Waits): StrayedMessage[] {
  if (!/^MPI_(Scatterv?|Bcast)$/.test(operationOf(wait.call))) return [];
  return strayedMessages(wait, waits).filter(
    ({ from, to, comm }) => comm.key === need.comm?.key && to === process && !need.on.includes(from),
  );
}

/** Who of those that it waits for has sent it messages of the operation on another communicator. */
export function sentOnOther(process: number, wait: Wait, need: Need, waits: Waits): number[] {
  return strayedMessages(wait, waits)
    .filter(({ from, to, comm }) => comm.key !== need.comm?.key && to === process && need.on.includes(from))
    .filter(({ from, comm }) => !comm.isInternal && !isInAnotherOn(from, comm, wait, waits))
    .map(({ from }) => from);
}

/** Whether a process is in another operation on this communicator: some consist of others, as MPI_Comm_dup of a reduction. */
function isInAnotherOn(process: number, comm: Communicator, { call }: Wait, waits: Waits): boolean {
  return waits.processes[process]!.positions.some(
    (position) =>
      position.call !== undefined &&
      operationOf(position.call) !== operationOf(call) &&
      waits.of(process, position).needs.some((need) => need.comm?.key === comm.key),
  );
}
