/** Nonblocking collective operations that have been started, and whom they still need. */
import type { RequestInfo } from '../mpi/records';
import { kindOfCall } from './calls';
import { carries, type Communicator, type Communicators } from './communicators';
import type { ProcessState } from './job-state';
import { fits, type PendingMessage } from './message';
import type { PendingMessages } from './messages';

export class StartedOperations {
  constructor(
    private readonly processes: readonly ProcessState[],
    private readonly comms: Communicators,
    private readonly pending: PendingMessages,
  ) {}

  has(process: number, comm: Communicator): boolean {
    return this.on(process, comm).length > 0;
  }

  /**
   * Those among the members that have not started one that it needs, or that those need with whom it exchanges messages; `through`: the latter,
   * who may have got what they need without having looked at it yet.
   */
  partnersWithout(
    process: number,
    comm: Communicator,
    absent: readonly number[],
  ): { needed: number[]; through: number[] } {
    const own = this.partners(process, comm).filter((member) => absent.includes(member));
    if (own.length > 0) return { needed: own, through: [] };
    const reached = new Set([process]);
    for (const each of reached)
      if (!absent.includes(each)) for (const partner of this.partners(each, comm)) reached.add(partner);
    const needed = absent.filter((member) => reached.has(member));
    const through = comm.members.filter(
      (member) => member !== undefined && member !== process && !absent.includes(member),
    ) as number[];
    return { needed, through };
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
    return this.pending
      .at(process)
      .filter(
        ({ queue, isInternal, comm: on, collective }) =>
          queue !== 'unexpected' && isInternal && on.key === comm.key && collective === undefined,
      );
  }

  /**
   * Where all members have started some: all those whose messages `process` and they themselves still need, if each of these messages has not
   * been sent, or lies untaken. undefined: one of them may come by itself, or whose it is is not known.
   */
  inEachOthersWay(process: number, comm: Communicator): number[] | undefined {
    const reached = new Set([process]);
    for (const each of reached) {
      const own = this.pending
        .at(each)
        .filter(
          ({ queue, isInternal, comm: on, collective }) =>
            queue !== 'unexpected' &&
            isInternal &&
            collective === undefined &&
            (on.key === comm.key || carries(on, comm)),
        );
      // Each operation has a tag of its own.
      const tags = new Set(own.map(({ tag }) => tag));
      const isWhole =
        !tags.has(undefined) &&
        tags.size >= Math.max(1, this.on(each, comm).filter(({ complete }) => complete !== true).length);
      if (!isWhole || own.some((message) => this.mayEnd(message))) return undefined;
      for (const { queue, from, to } of own) {
        const partner = queue === 'posted' ? from : to;
        if (partner === undefined) return undefined;
        reached.add(partner);
      }
    }
    reached.delete(process);
    return [...reached];
  }

  /** Whether a message that is needed may be under way, or one that is sent is being taken. */
  private mayEnd(message: PendingMessage): boolean {
    return message.queue === 'posted'
      ? this.pending.mayReach(message.to).some((each) => each.queue !== 'posted' && fits(message, each))
      : !this.pending.at(message.to).some((each) => each.queue === 'unexpected' && fits(each, message));
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
