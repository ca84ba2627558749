/**
 * The queues of a UCX worker: receives that wait for a message, and messages that wait for a receive. A table is believed
 * only where the heads of both queues are consistent in themselves, because a worker is large and changes often.
 */
import { counted } from '../../counted';
import { boundedCount, readPointer, walkList } from '../../memory';
import { CorruptError, QueryError, guard } from '../../result';
import type { StructValues } from '../../struct';
import type { Ucx } from './library';
import {
  firstFragmentSpec,
  firstSynchronousSpec,
  messageSpec,
  rendezvousSpec,
  requestSpec,
  tagSpec,
  workerContextSpec,
  workerSpec,
} from './specs';
import { receiveOf, type Receive } from './transfer';

type Worker = StructValues<typeof workerSpec>;

/** A message that has arrived or has been announced. */
export interface UnexpectedMessage {
  /** The address of the ucp_recv_desc, which is UCX's ucp_tag_message_h too. */
  address: bigint;
  tag: bigint;
  bytes: bigint;
  /** The data is still with the sender, who waits. */
  isRendezvous: boolean;
  /** The sender waits for the receive (MPI_Ssend). */
  isSynchronous: boolean;
}

const maxElements = 1 << 20;
/** Receives without a wildcard are sorted by their tag into so many queues. */
const hashQueues = 1021;
const hashQueueBytes = 24;

/** The receives that wait, in the order in which they match. Throws QueryError, FaultError, CorruptError. */
export async function postedReceives(ucx: Ucx, worker: bigint): Promise<Receive[]> {
  const found = await readWorker(ucx, worker);
  const queues = [await queueLinks(ucx, found.posted, found.postedHead, found.postedTail)];
  for (const { head, tail, address } of await hashedQueues(ucx, found))
    queues.push(await queueLinks(ucx, address, head, tail));
  const links = queues.flat();
  boundedCount(links.length, maxElements, 'the number of posted receives');
  const receives = await Promise.all(links.map((link) => receiveAt(ucx, link)));
  return receives.sort((a, b) => (a.sequence < b.sequence ? -1 : a.sequence > b.sequence ? 1 : 0));
}

/** In order of arrival, without those that are partly received already. */
export async function unexpectedMessages(ucx: Ucx, worker: bigint): Promise<UnexpectedMessage[]> {
  const { unexpected, unexpectedNext } = await readWorker(ucx, worker);
  const first = unexpectedNext === unexpected ? undefined : unexpectedNext;
  const read = async (link: bigint) => ({ link, next: await nextOf(ucx, link) });
  const next = (node: { next: bigint }) => (node.next === unexpected ? undefined : node.next);
  const messages: UnexpectedMessage[] = [];
  for await (const { link } of walkList(first, read, next, maxElements, 'the list of unexpected messages'))
    messages.push(await readMessage(ucx, link - linkInMessage));
  return messages;
}

/** ucs_list_link_t has `prev` first; ucp_recv_desc begins with two of them, the second in the list of all messages. */
const linkBytes = 16n;
const nextInLink = 8n;
const linkInMessage = linkBytes;

function nextOf({ image }: Ucx, link: bigint): Promise<bigint> {
  return readPointer(image, link + nextInLink);
}

/** UCP_RECV_DESC_FLAG_*. */
const synchronous = 1 << 3;
const rendezvous = 1 << 6;

/** The message that a ucp_tag_message_h stands for. Throws FaultError, CorruptError. */
export async function readMessage({ reader }: Ucx, address: bigint): Promise<UnexpectedMessage> {
  const message = await reader.read(messageSpec, address);
  const header = address + BigInt(await reader.sizeOf(messageSpec));
  const { tag } = await reader.read(tagSpec, header);
  const found = { address, tag, isSynchronous: (message.flags & synchronous) !== 0 };
  if ((message.flags & rendezvous) !== 0)
    return { ...found, bytes: (await reader.read(rendezvousSpec, header)).size, isRendezvous: true };
  if (message.headerLength > message.length)
    throw new CorruptError(
      `an unexpected message of ${counted(message.length, 'byte')} has ${message.headerLength} of header`,
    );
  const fragment = found.isSynchronous ? firstSynchronousSpec : firstFragmentSpec;
  // Only the first fragment of a longer message has a header of this length.
  const bytes =
    message.headerLength === (await reader.sizeOf(fragment))
      ? (await reader.read(fragment, header)).totalLength
      : BigInt(message.length - message.headerLength);
  return { ...found, bytes, isRendezvous: false };
}

/** Whether there is a worker that was made in this context. */
export async function isWorkerOf(ucx: Ucx, context: bigint, worker: bigint): Promise<boolean> {
  const found = await guard(async () => {
    const { context: own } = await ucx.reader.read(workerContextSpec, worker);
    return own === context && (await readWorker(ucx, worker)).address === worker;
  });
  return found.ok && found.value;
}

async function readWorker(ucx: Ucx, address: bigint): Promise<Worker> {
  const worker = await ucx.reader.read(workerSpec, address);
  const isConsistent = await guard(async () => {
    const { unexpected, unexpectedNext, unexpectedPrevious, posted, postedTail } = worker;
    const isList =
      (await readPointer(ucx.image, unexpectedNext)) === unexpected &&
      (await nextOf(ucx, unexpectedPrevious)) === unexpected;
    return isList && (postedTail === posted || (postedTail !== 0n && worker.postedHead !== 0n));
  });
  if (isConsistent.ok && isConsistent.value) return worker;
  throw new QueryError(
    'MPIDBG_ERR_NOT_SUPPORTED',
    `the queues of UCX do not lie where those of ${ucx.version} do: they are not decoded`,
  );
}

/** ucs_queue_head_t: an empty queue's tail is the head itself, whose content is then stale. */
async function queueLinks(ucx: Ucx, queue: bigint, head: bigint, tail: bigint): Promise<bigint[]> {
  if (tail === queue) return [];
  const links: bigint[] = [];
  const read = async (link: bigint) => ({ link, next: link === tail ? 0n : await readPointer(ucx.image, link) });
  const next = ({ link, next }: { link: bigint; next: bigint }) => (link === tail ? undefined : next);
  for await (const { link } of walkList(head, read, next, maxElements, 'a queue of posted receives')) links.push(link);
  return links;
}

async function hashedQueues(
  { image }: Ucx,
  { postedHash }: Worker,
): Promise<{ address: bigint; head: bigint; tail: bigint }[]> {
  const bytes = await image.readMemory(postedHash, hashQueues * hashQueueBytes);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: hashQueues }, (_, i) => {
    const at = i * hashQueueBytes;
    return {
      address: postedHash + BigInt(at),
      head: view.getBigUint64(at, true),
      tail: view.getBigUint64(at + 8, true),
    };
  });
}

async function receiveAt(ucx: Ucx, link: bigint): Promise<Receive> {
  const offset = await ucx.reader.offsetOf(requestSpec, 'link');
  return receiveOf(ucx, await ucx.reader.read(requestSpec, link - BigInt(offset)));
}
