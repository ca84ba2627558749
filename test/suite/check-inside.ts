/** All that a plugin says of a rank that waits inside a call, against what it told right before the call. */
import type { ProcessImage } from '../../plugin-api/image';
import type { HandleKind } from '../../plugin-api/mpi/records';
import { compareFacts } from '../support/compare-facts';
import { add, type Comparison } from '../support/comparison';
import { libraryOf } from '../support/excused';
import { handleKinds } from '../support/stopped-ranks';
import { compareFreed, compareList } from './compare-handles';
import type { Circumstances } from './check-stop';
import type { Stop } from './rank-connection';
import { asAnswer, look } from './sight';

/** Calls that wait for other processes, and change nothing meanwhile of objects that are there, but for requests. */
const waits = new RegExp(
  `^MPI_(${[
    ...['[RS]?[Ss]end', 'Recv', 'M?[Pp]robe', 'Sendrecv(_replace)?', 'Wait(all|any|some)?', 'Barrier', 'Bcast'],
    ...[
      '(All)?[Gg]atherv?',
      'Scatterv?',
      'Alltoall[vw]?',
      '(All)?[Rr]educe',
      'Reduce_scatter(_block)?',
      '(Ex)?[Ss]can',
    ],
    ...['Neighbor_\\w+', 'Comm_(dup|dup_with_info|split|split_type|create|create_group|accept|connect|spawn\\w*)'],
    ...['Intercomm_(create|merge)', 'Cart_(create|sub)', 'Graph_create', 'Dist_graph_create\\w*', 'File_open'],
    ...['Win_(create|allocate|allocate_shared|create_dynamic)'],
  ].join('|')})$`,
);

/** Whether a look inside the call that comes after this stop can be compared with anything. */
export function isWorthALook({ call, threadsInside }: Stop): boolean {
  return waits.test(call) && threadsInside === 0;
}

/** `image`: of the rank that is held inside the call which came after `stop`. MPI cannot be asked there. */
export async function checkInside(
  stop: Stop,
  image: ProcessImage,
  { mpi, truth, namedTypes }: Circumstances,
): Promise<Comparison> {
  const sight = await look(image, stop.handles, mpi);
  const library = libraryOf(mpi, sight.process.implementation.version);
  const result: Comparison = { facts: 0, differences: [] };
  // The call drives requests on, and frees those that it completes.
  const stays = (kind: HandleKind): boolean => kind !== 'request';
  for (const record of truth.filter(({ kind }) => stays(kind))) {
    const answer = sight.answers.get(record.expression);
    if (answer === undefined) throw new Error(`${record.expression} was not asked for`);
    add(result, compareFacts([record], [asAnswer(record, answer)], library, namedTypes));
  }
  for (const handle of stop.handles)
    if (!handle.isLive && stays(handle.kind)) compareFreed(handle, sight, truth, result);
  for (const kind of handleKinds) if (stays(kind)) compareList(kind, stop, sight, result);
  const differences = result.differences.map((text) => `${text} (inside the call)`);
  return { facts: result.facts, differences };
}
