/** A message between two processes, and what fits together. */
import { groupedBy } from '../grouped-by';
import type { Communicator } from './communicators';

/** A message, or what a receive asks for. from, to: processes; undefined: any. */
export interface Message {
  from: number | undefined;
  to: number | undefined;
  comm: Communicator;
  /** undefined: not known. */
  tag: number | 'MPI_ANY_TAG' | undefined;
}

/** at: the process in whose queues it is. */
export interface PendingMessage extends Message {
  at: number;
  queue: 'posted' | 'unexpected' | 'sends';
  collective?: string;
  isInternal: boolean;
}

/** What a call or a request says of a message. isVague: it may be another one than asked for, since its peer or its tag is not known. */
export interface ToldMessage extends PendingMessage {
  isVague: boolean;
}

/** Whether the message may be what the receive asks for; what is not known fits. */
export function fits(wanted: Message, sent: Message): boolean {
  return isFromAndTo(wanted, sent) && wanted.comm.key === sent.comm.key && sameTag(wanted.tag, sent.tag);
}

/** `wanted` may come from anybody, and what is sent may go to somebody who is not known. */
export function isFromAndTo(wanted: Message, sent: Message): boolean {
  const isTo = sent.to === undefined || wanted.to === sent.to;
  return isTo && (wanted.from === undefined || wanted.from === sent.from);
}

/** For each of many processes: the messages that it is to get, or may get, in their order; of undefined, all that may go anywhere. */
export function byReceiver<Of extends Message>(
  messages: readonly Of[],
): (process: number | undefined) => readonly Of[] {
  const groups = groupedBy(messages, ({ to }) => to);
  const toAny = groups.get(undefined);
  return (process) => {
    if (process === undefined) return messages;
    if (toAny === undefined) return groups.get(process) ?? [];
    return messages.filter(({ to }) => to === undefined || to === process);
  };
}

export function sameTag(wanted: Message['tag'], sent: Message['tag']): boolean {
  return wanted === undefined || sent === undefined || wanted === 'MPI_ANY_TAG' || wanted === sent;
}
