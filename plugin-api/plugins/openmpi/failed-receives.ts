/** Receives that have ended with an error: a request that is given back keeps its fields until it is used again. */
import type { FailedReceive } from '../../mpi/failed-receive';
import { integer } from '../../mpi/integer';
import { known } from '../../result';
import { freeListItems } from './containers';
import { handleRef, type Decoder } from './handles';
import { maxRequests, messageLayer } from './live-requests';
import { datatypeRef } from './datatype';
import { pointToPointSpec, requestSpec, statusSpec } from './specs';

/** mca_pml_base_request_type_t. */
const receive = 2;
const anySource = -1;
const anyTag = -1;

/** The receives that the message layer ob1 has cut, with the size of the message. Only ob1 keeps all of them in one list. */
export async function failedReceives(decoder: Decoder): Promise<FailedReceive[]> {
  const { reader, image } = decoder;
  const list = await image.findSymbol('mca_pml_base_recv_requests');
  if (list === undefined || (await messageLayer(decoder)) !== 'ob1') return [];
  const found: FailedReceive[] = [];
  for (const item of await freeListItems(reader, list.address, maxRequests, 'the list of receives')) {
    const { status } = await reader.read(requestSpec, item);
    const { error, source, tag, bytes } = await reader.read(statusSpec, status);
    if (error === 0) continue;
    const call = await reader.read(pointToPointSpec, item);
    if (call.kind !== receive) continue;
    const datatype = await known(() => datatypeRef(decoder, call.datatype));
    found.push({
      ...{ errorClass: error, source, tag, bytes: integer(bytes) },
      asked: {
        peer: call.peer === anySource ? 'MPI_ANY_SOURCE' : call.peer,
        tag: call.tag === anyTag ? 'MPI_ANY_TAG' : call.tag,
        comm: await known(() => handleRef(decoder, 'comm', call.comm)),
        count: integer(call.count),
        datatype,
      },
    });
  }
  return found;
}
