/** MPI_Intercomm_create once all of its own group have come: the leaders of both groups exchange messages, and all others wait for theirs. */
import { isUnavailable } from '../result';
import { operationOf } from './calls';
import type { Communicator, Communicators } from './communicators';
import type { ProcessState } from './job-state';
import type { Message } from './message';
import type { PendingMessages } from './messages';
import type { Need } from './need';
import type { RankPosition } from './position';

/** How the leader meets the other one. */
type Meeting = Message & { from: number; to: number; tag: number };

/** undefined: it is not known, or they have met. */
export function leaderNeeds(
  process: number,
  position: RankPosition,
  processes: readonly ProcessState[],
  comms: Communicators,
  messages: PendingMessages,
): readonly Need[] | undefined {
  if (!isMaking(position)) return undefined;
  const own = comms.of(process, position.comm);
  if (own === undefined) return undefined;
  const leader =
    typeof position.leader === 'number'
      ? own.members[position.leader]
      : (leaderByMeeting(own, processes, comms) ?? leaderByReceive(own, processes, comms, messages));
  if (leader === undefined) return undefined;
  if (leader !== process) return [{ kind: 'collective', mode: 'AND', on: [leader], comm: own }];
  const sent = meetingOf(process, position, comms);
  if (sent === undefined) return undefined;
  const theirs = processes[sent.to]!.positions.filter(isMaking);
  if (theirs.length === 0) return [{ kind: 'collective', mode: 'AND', on: [sent.to], comm: sent.comm }];
  const received = { ...sent, from: sent.to, to: sent.from };
  const isMet = theirs.some((other) => {
    const meeting = meetingOf(sent.to, other, comms);
    return (
      meeting === undefined ||
      (meeting.to === process && meeting.tag === sent.tag && meeting.comm.key === sent.comm.key)
    );
  });
  if (isMet || messages.sentFor(received) !== undefined) return undefined;
  const need = { mode: 'AND', on: [sent.to], comm: sent.comm } as const;
  return [
    { kind: 'receive', ...need, message: received },
    { kind: 'send', ...need, message: sent },
  ];
}

/** The only member that names one of the other group that names it, too. */
function leaderByMeeting(
  { members }: Communicator,
  processes: readonly ProcessState[],
  comms: Communicators,
): number | undefined {
  const metBy = (process: number): (number | undefined)[] =>
    processes[process]!.positions.filter(isMaking).map((position) => meetingOf(process, position, comms)?.to);
  const found = members.filter(
    (member): member is number =>
      member !== undefined && metBy(member).some((to) => to !== undefined && metBy(to).includes(member)),
  );
  return found.length === 1 ? found[0] : undefined;
}

/** The only member that still waits for the message of the one whom it names: the others get theirs from their leader. */
function leaderByReceive(
  { members }: Communicator,
  processes: readonly ProcessState[],
  comms: Communicators,
  messages: PendingMessages,
): number | undefined {
  const isReceiving = (process: number): boolean =>
    processes[process]!.positions.filter(isMaking).some((position) => {
      const meeting = meetingOf(process, position, comms);
      if (meeting === undefined) return false;
      const wanted = { ...meeting, from: meeting.to, to: process };
      return messages.all.some(
        (each) =>
          each.at === process &&
          each.queue === 'posted' &&
          each.from === wanted.from &&
          each.tag === wanted.tag &&
          each.comm.key === wanted.comm.key,
      );
    });
  const found = members.filter((member): member is number => member !== undefined && isReceiving(member));
  return found.length === 1 ? found[0] : undefined;
}

function isMaking({ call }: RankPosition): boolean {
  return call !== undefined && operationOf(call) === 'MPI_Intercomm_create';
}

/** What a leader sends; undefined: it is not known. */
function meetingOf(process: number, { peerComm, peer, tag }: RankPosition, comms: Communicators): Meeting | undefined {
  const comm = comms.of(process, peerComm);
  if (comm === undefined || typeof peer !== 'number' || typeof tag !== 'number' || isUnavailable(tag)) return undefined;
  const to = comm.peers[peer];
  return to === undefined ? undefined : { from: process, to, comm, tag };
}
