/** An MPI error that an error handler of the program's own deals with: whether that is so, and the call that failed. */
import type { ErrorHandling } from '../../../plugin-api/deaths/death';
import type { StoppedStack } from '../positions/passed-arguments';

/**
 * The stack from the caller of the library's function that calls the handlers on: as it was in the call that failed. undefined: the thread has left
 * that function.
 */
export async function stackThatFailed(
  stack: StoppedStack,
  { caller, stackPointer }: Pick<ErrorHandling, 'caller' | 'stackPointer'>,
): Promise<StoppedStack | undefined> {
  for (const { level, address } of stack.frames) {
    if (address !== caller || (await stack.registers(level))?.stackPointer !== stackPointer) continue;
    return {
      ...stack,
      frames: stack.frames.slice(level).map((frame) => ({ ...frame, level: frame.level - level })),
      registers: (inner) => stack.registers(level + inner),
    };
  }
  return undefined;
}
