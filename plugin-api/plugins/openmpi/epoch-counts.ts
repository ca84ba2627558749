/** What one-sided components count of MPI_Win_post and MPI_Win_complete: who has come to an epoch. */
import { readPointerArray } from '../../memory';
import type { EpochGroups } from '../../mpi/plugin';
import { QueryError } from '../../result';
import type { Decoder } from './handles';
import { oscRdmaCountsSpec, oscRdmaStateSpec, oscSmCountsSpec, oscSmStateSpec } from './specs';

/** OMPI_OSC_RDMA_POST_PEER_MAX. */
const rdmaSlots = 32;
const maxProcesses = 1 << 24;

/** Throws QueryError where the release's layout of them is not known. */
export async function rdmaCounts({ image, reader }: Decoder, module: bigint): Promise<Counts> {
  const { state } = await reader.read(oscRdmaCountsSpec, module);
  if (state === undefined) throw notKnown();
  const { posts, completes } = await reader.read(oscRdmaStateSpec, state);
  const slots = await readPointerArray(image, posts, rdmaSlots, rdmaSlots, 'the number of posts');
  return { posts: slots.filter((slot) => slot !== 0n).length, completes: Number(completes) };
}

/** `rank`, `size`: of the window's processes. As rdmaCounts. */
export async function smCounts(
  { image, reader }: Decoder,
  module: bigint,
  { rank, size }: { rank: number; size: number },
): Promise<Counts> {
  const { state, posts } = await reader.read(oscSmCountsSpec, module);
  if (state === undefined || posts === undefined) throw notKnown();
  const { completes } = await reader.read(oscSmStateSpec, state);
  const [own] = await readPointerArray(image, posts + BigInt(8 * rank), 1, 1, 'the number of processes');
  const words = await readPointerArray(image, own!, Math.ceil(size / 64), maxProcesses, 'the number of posts');
  return { posts: words.reduce((sum, word) => sum + bitsOf(word), 0), completes };
}

type Counts = Required<Pick<EpochGroups, 'posts' | 'completes'>>;

function bitsOf(word: bigint): number {
  return word.toString(2).replaceAll('0', '').length;
}

function notKnown(): QueryError {
  return new QueryError('MPIDBG_ERR_NOT_SUPPORTED', 'where this release counts posts is not known');
}
