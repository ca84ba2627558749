/**
 * Messages of matched probes that have not arrived yet: MPI_Mprobe takes an object, waits for the message, and then
 * fills the object.
 */
import { groupedBy } from '../../grouped-by';
import { once } from '../../once';
import { BeingMadeError, CorruptError, QueryError } from '../../result';
import type { StructValues } from '../../struct';
import { freeListItems } from './containers';
import type { Decoder } from './handles';
import { isMessageInUse, messageItems, messageLayer, maxRequests, requestStates } from './live-requests';
import { messageSpec, pointToPointSpec, requestSpec, statusSpec } from './specs';

/** mca_pml_base_request_type_t. */
const probes: Partial<Record<number, string>> = { 5: 'MPI_Improbe', 6: 'MPI_Mprobe' };

/** A probe of the message layer ob1, which has a request of its own. */
interface Probe {
  call: string;
  comm: bigint;
  /** undefined: it waits. */
  found: { source: number; bytes: bigint } | undefined;
}

/**
 * Under ob1 a message is filled from its probe's request; until then it holds what it held when it was last used.
 * Under ucx it is not taken before it can be filled.
 */
export async function checkMessageMade(decoder: Decoder, handle: bigint): Promise<void> {
  if (!(await isMessageInUse(decoder, handle))) return;
  const { request, comm, peer, bytes } = await decoder.reader.read(messageSpec, handle);
  const layer = await messageLayer(decoder);
  if (layer !== 'ob1') {
    if (request === 0n) throw new BeingMadeError('MPI_Mprobe or MPI_Improbe', 'overwritten');
    return;
  }
  const all = await probesOf(decoder);
  const probe = all.get(request);
  const { source, bytes: found } = probe?.found ?? {};
  if (probe === undefined || probe.comm !== comm || source !== peer || found !== bytes) throw notMade(handle, all);
  const other = (await holders(decoder)).get(request)?.find((message) => message.address !== handle);
  if (other !== undefined)
    throw new QueryError(
      'MPIDBG_ERR_UNAVAILABLE',
      `it has the same request as 0x${other.address.toString(16)}: one of the two is being made, and nothing tells which`,
    );
}

/** A waiting probe shows the call; without one, the call is between two steps. */
function notMade(handle: bigint, all: ReadonlyMap<bigint, Probe>): QueryError {
  const calls = new Set([...all.values()].flatMap(({ call, found }) => (found === undefined ? [call] : [])));
  if (calls.size > 0) return new BeingMadeError([...calls].sort().join(' or '), 'overwritten');
  return new CorruptError(
    `no live message at 0x${handle.toString(16)}: a call is making or receiving it, or it or its request has been overwritten`,
  );
}

/** By the addresses of their requests. */
const probesOf = once(async (decoder: Decoder): Promise<ReadonlyMap<bigint, Probe>> => {
  const { image, reader } = decoder;
  const list = await image.findSymbol('mca_pml_base_recv_requests');
  if (list === undefined)
    throw new QueryError('MPIDBG_ERR_NOT_SUPPORTED', 'this Open MPI does not export mca_pml_base_recv_requests');
  const found = new Map<bigint, Probe>();
  for (const address of await freeListItems(reader, list.address, maxRequests, 'the list of receives')) {
    const { state, complete, status } = await reader.read(requestSpec, address);
    if (state !== requestStates.active) continue;
    const { kind, comm } = await reader.read(pointToPointSpec, address);
    const call = probes[kind];
    if (call === undefined) continue;
    const { source, bytes } = await reader.read(statusSpec, status);
    found.set(address, { call, comm, found: complete === 1n ? { source, bytes } : undefined });
  }
  return found;
});

/** The messages in use, by the requests that they hold. */
const holders = once(async (decoder: Decoder) => {
  const found: StructValues<typeof messageSpec>[] = [];
  for (const item of (await messageItems(decoder)) ?? [])
    if (await isMessageInUse(decoder, item)) found.push(await decoder.reader.read(messageSpec, item));
  return groupedBy(found, ({ request }) => request);
});
