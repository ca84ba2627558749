/**
 * The messages of MPI_Bsend and MPI_Ibsend that wait in a buffer, which refers to their requests. Since 4.2 the
 * process, each communicator and each session may have a buffer; before, the library has one variable for the
 * process, which is recognised by its addresses and sizes: all of them must be consistent, and the messages must lie
 * inside and lead back.
 */
import { walkList } from '../../memory';
import { once } from '../../once';
import { CorruptError, guard } from '../../result';
import type { StructReader, StructValues } from '../../struct';
import { addressAt } from './containers';
import type { Decoder } from './handles';
import { liveComms, liveObjects } from './live-objects';
import { anyBufferSpec, automaticSpec, bufferedSpec, commBufferSpec, onlyBufferSpec, sessionBufferSpec } from './specs';

type Buffered = StructValues<typeof bufferedSpec>;

export interface BufferedSends {
  /** Addresses of the requests. */
  requests: ReadonlySet<bigint>;
  /** False for messages in memory that MPICH allocates itself (MPI_BUFFER_AUTOMATIC): 4.2 and 5.0 lose some that still wait. */
  areAll: boolean;
}

const maxMessages = 1 << 20;

/** Throws CorruptError, FaultError, MissingTypeError. */
export const bufferedSends = once(async (decoder: Decoder): Promise<BufferedSends> => {
  const { reader, process } = decoder.objects;
  if (process === undefined) return { requests: new Set(), areAll: true };
  if (process.buffer === undefined) return { requests: new Set(await onlyBuffer(decoder)), areAll: true };
  const requests = new Set<bigint>();
  let areAll = true;
  for (const address of await buffersOf(decoder, process.buffer)) {
    const buffer = await reader.read(anyBufferSpec, address);
    const isAutomatic = buffer.isAutomatic !== 0;
    const found = isAutomatic
      ? await automaticMessages(reader, buffer.firstAutomatic)
      : await messages(reader, buffer.active);
    for (const request of found) requests.add(request);
    if (isAutomatic) areAll = false;
  }
  return { requests, areAll };
});

async function buffersOf(decoder: Decoder, ofProcess: bigint): Promise<Set<bigint>> {
  const { reader } = decoder.objects;
  const addresses = new Set([ofProcess]);
  for (const { address } of await liveComms(decoder))
    addresses.add((await reader.read(commBufferSpec, address)).buffer ?? 0n);
  for (const { address } of await liveObjects(decoder, 'session'))
    addresses.add((await reader.read(sessionBufferSpec, address)).buffer ?? 0n);
  addresses.delete(0n);
  return addresses;
}

/** The requests of the messages in the process' only buffer; none without a buffer. */
async function onlyBuffer({ objects }: Decoder): Promise<bigint[]> {
  const { reader } = objects;
  const wordOf = async (key: keyof typeof onlyBufferSpec.fields) => (await reader.offsetOf(onlyBufferSpec, key)) / 4;
  const [atBuffer, atSize, atActive] = [await wordOf('buffer'), await wordOf('size'), await wordOf('active')];
  const [atAttached, atAttachedSize] = [await wordOf('attached'), await wordOf('attachedSize')];
  const last = (await reader.sizeOf(onlyBufferSpec)) / 4;
  for (const { words } of objects.data) {
    for (let at = 0; at + last <= words.length; at += 2) {
      const active = addressAt(words, at + atActive);
      if (active === 0n) continue;
      const buffer = addressAt(words, at + atBuffer);
      const size = addressAt(words, at + atSize);
      const skipped = buffer - addressAt(words, at + atAttached);
      if (skipped < 0n || skipped >= alignment || buffer % alignment !== 0n) continue;
      if (addressAt(words, at + atAttachedSize) - size !== skipped) continue;
      const end = buffer + size;
      const found = active >= buffer && active < end && (await guard(() => messages(reader, active, [buffer, end])));
      if (found !== false && found.ok) return found.value;
    }
  }
  return [];
}

const alignment = 8n;

/** The requests of a list of messages that all lie in `range`. Throws CorruptError, FaultError. */
async function messages(reader: StructReader, first: bigint, range?: [start: bigint, end: bigint]): Promise<bigint[]> {
  const found: bigint[] = [];
  const read = (address: bigint) => reader.read(bufferedSpec, address);
  let before = 0n;
  for await (const message of listFrom<Buffered>(first, read)) {
    const isInside = range === undefined || (message.address >= range[0] && message.address < range[1]);
    if (message.previous !== before || !isInside) throw new CorruptError('no list of buffered messages is there');
    before = message.address;
    found.push(message.request);
  }
  return found;
}

async function automaticMessages(reader: StructReader, first: bigint): Promise<bigint[]> {
  const found: bigint[] = [];
  const read = (address: bigint) => reader.read(automaticSpec, address);
  for await (const { request } of listFrom<StructValues<typeof automaticSpec>>(first, read)) found.push(request);
  return found;
}

function listFrom<T extends { next: bigint }>(first: bigint, read: (address: bigint) => Promise<T>) {
  const orNone = (address: bigint) => (address === 0n ? undefined : address);
  return walkList(orNone(first), read, ({ next }) => orNone(next), maxMessages, 'the list of buffered messages');
}
