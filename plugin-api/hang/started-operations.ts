/** Nonblocking collective operations that have been started, and whom they still need. */
import type { RequestInfo } from '../mpi/records';
import { kindOfCall } from './calls';
import type { Communicator, Communicators } from './communicators';
import type { ProcessState } from './job-state';
import type { PendingMessage, PendingMessages } from './messages';

export class StartedOperations {
  constructor(
    private readonly processes: readonly ProcessState[],
    private readonly comms: Communicators,
    private readonly pending: PendingMessages,
  ) {}

  has(process: number, comm: Communicator): boolean {
    return this.on(process, comm).length > 0;
  }

  /** Those among the members that have not started one that it needs, or that those need with whom it exchanges messages. */
  partnersWithout(process: number, comm: Communicator, absent: readonly number[]): number[] {
    const reached = new Set([process]);
    for (const each of reached)
      if (!absent.includes(each)) for (const partner of this.partners(each, comm)) reached.add(partner);
    return absent.filter((member) => reached.has(member));
  }

  /** With whom the only one on a communicator exchanges messages now; empty where the library does not tell. */
  private partners(process: number, comm: Communicator): number[] {
    const pending = this.messages(process, comm);
    return [...new Set(pending.flatMap(({ queue, from, to }) => (queue === 'posted' ? from : to) ?? []))];
  }

  /** That the only one on a communicator has posted and sends; empty where the library does not tell. */
  messages(process: number, comm: Communicator): PendingMessage[] {
    if (this.on(process, comm).length !== 1) return [];
    const isInAnother = this.processes[process]!.positions.some(
      ({ call = '' }) => kindOfCall(call).kind === 'collective',
    );
    if (isInAnother) return [];
    return this.pending.all.filter(
      ({ at, queue, isInternal, comm: on, collective }) =>
        at === process && queue !== 'unexpected' && isInternal && on.key === comm.key && collective === undefined,
    );
  }

  private on(process: number, comm: Communicator): readonly RequestInfo[] {
    return this.processes[process]!.requests.filter(
      ({ operation, active, comm: on }) =>
        (operation === 'collective' || operation === 'commDup') &&
        active === true &&
        this.comms.of(process, on)?.key === comm.key,
    );
  }
}
