/** The arrays of numbers that a call of MPI was given, as far as the call tells their length. */
import { readI32Array } from '../../../plugin-api/memory';
import type { ProcessImage } from '../../../plugin-api/image';
import { FaultError } from '../../../plugin-api/result';

/** The argument that has the length, by the array's name in the bindings. */
const lengths: Readonly<Record<string, string>> = {
  ...{ dims: 'ndims', periods: 'ndims', ranks: 'n', ranks1: 'n', indx: 'nnodes' },
  ...{ array_of_sizes: 'ndims', array_of_subsizes: 'ndims', array_of_starts: 'ndims', array_of_gsizes: 'ndims' },
  ...{ array_of_blocklengths: 'count', array_of_displacements: 'count', degrees: 'n' },
};

/** One element for each rank of the communicator, in every rank. */
const ofEachRank = /^mpi_i?(allgatherv|alltoallv|reduce_scatter)(_init)?$/i;
const counts = /^(sendcounts|recvcounts|displs|sdispls|rdispls)$/;

/** More are cut. */
const maxShown = 8;

/** What else the call was given: `numberOf` an argument by its name, `commSize` of its communicator. */
export interface CallNumbers {
  numberOf: (name: string) => number | undefined;
  commSize: () => Promise<number | undefined>;
}

/** "[5, 5]"; undefined: how long it is, or what it holds, is not known. */
export async function arrayText(
  call: string,
  name: string,
  { image, address }: { image: ProcessImage; address: bigint },
  { numberOf, commSize }: CallNumbers,
): Promise<string | undefined> {
  const length =
    ofEachRank.test(call) && counts.test(name) ? await commSize() : numberOf(lengths[name] ?? 'of no argument');
  if (length === undefined || length <= 0) return undefined;
  const shown = Math.min(length, maxShown);
  try {
    const numbers = await readI32Array(image, address, shown, shown, name);
    return `[${numbers.join(', ')}${length > shown ? ', …' : ''}]`;
  } catch (error) {
    if (error instanceof FaultError) return undefined;
    throw error;
  }
}
