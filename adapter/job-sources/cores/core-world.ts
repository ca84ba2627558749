/** The job of a process whose launcher names it in no variable of the environment, where MPI_Init has asked for the name. */
import type { RankEnvironment } from '../../../plugin-api/mpi/facts';
import { FaultError } from '../../../plugin-api/result';
import type { CoreImage } from '../../images/core/core-image';
import { searchedHeap, worldNamedIn } from '../../launchers/world-in-heap';
import { rangeAt } from '../../images/core/core-memory';

/** Data without values may be in two: behind the last page of the file, and in it. */
const maxPieces = 3;

/** Undefined where the core does not hold the heap. */
export function worldInHeap(image: CoreImage, { worldInHeap: text }: RankEnvironment): string | undefined {
  if (text === undefined) return undefined;
  for (const memory of behindProgram(image)) {
    const found = worldNamedIn(memory, text);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The beginnings of the first memory behind the program that is no file's: data without values, then the heap. */
function* behindProgram({ core, memory, programPath }: CoreImage): Generator<Buffer> {
  // Where handlers of signals read debug information, the program is mapped once more, far above.
  const program = core.mappings.find(({ path }) => path === programPath);
  if (program === undefined) return;
  const own = core.segments.filter(
    ({ start, dumped }) => start >= program.end && dumped > 0 && rangeAt(core.mappings, start) === undefined,
  );
  for (const { start, dumped } of own.slice(0, maxPieces)) {
    try {
      yield Buffer.from(memory.readDumped(BigInt(start), Math.min(searchedHeap, dumped)));
    } catch (error) {
      if (!(error instanceof FaultError)) throw error;
    }
  }
}
