/** The job of an MPICH process: hydra names it in no variable of the environment, but MPICH has asked for the name. */
import { FaultError } from '../../plugin-api/result';
import type { CoreImage } from '../images/core-image';

/** MPI_Init runs early: the name is in the heap's first few hundred KiB. */
const searched = 1 << 22;
/** Made of the pid of mpiexec, the number of the world (MPI_Comm_spawn makes more), a random number and the host. */
const jobName = /^kvs_\d+_\d+_-?\d+_[\w.-]+/;
const longestName = 256;

/** Undefined for other MPIs, and where the core does not hold the heap. */
export function hydraJobOf(image: CoreImage): string | undefined {
  const heap = heapOf(image);
  if (heap === undefined) return undefined;
  for (let at = heap.indexOf('kvs_'); at >= 0; at = heap.indexOf('kvs_', at + 1)) {
    const found = jobName.exec(heap.toString('latin1', at, at + longestName))?.[0];
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The first memory behind the program that is no file's. */
function heapOf({ core, memory, programPath }: CoreImage): Buffer | undefined {
  const program = core.mappings.findLast(({ path }) => path === programPath);
  if (program === undefined) return undefined;
  const heap = core.segments.find(
    ({ start, dumped }) =>
      start >= program.end && dumped > 0 && !core.mappings.some((each) => each.start <= start && start < each.end),
  );
  if (heap === undefined) return undefined;
  try {
    return Buffer.from(memory.readDumped(BigInt(heap.start), Math.min(searched, heap.dumped)));
  } catch (error) {
    if (error instanceof FaultError) return undefined;
    throw error;
  }
}
