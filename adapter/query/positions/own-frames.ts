/**
 * What a thread that is in a call of MPI keeps in the frames of the program: the registers that calls preserve, and the stack. As
 * long as it does not come out of the call, nothing of it changes; a loop that makes the same call again changes its counter.
 */
import { createHash } from 'node:crypto';
import { FaultError } from '../../../plugin-api/result';
import type { ProcessCode } from '../../expressions/code-modules';
import { callerOf } from './call-on-stack';
import type { StoppedStack } from './passed-arguments';

/** Bytes of the stack; the first that can be read: main's frame may lie near its end. */
const lengths = [4096, 1024, 256];

/** A digest; undefined: no frame of the program is known. */
export async function ownFrames(
  { frames, image, registers }: StoppedStack,
  code: ProcessCode,
): Promise<string | undefined> {
  const level = callerOf(frames, code)?.level;
  const known = level === undefined ? undefined : await registers(level);
  const top = known?.stackPointer;
  if (known === undefined || top === undefined) return undefined;
  const hash = createHash('sha1').update(known.kept.map(String).join());
  for (const length of lengths) {
    try {
      return hash.update(await image.readMemory(top, length)).digest('base64');
    } catch (error) {
      if (!(error instanceof FaultError)) throw error;
    }
  }
  return hash.digest('base64');
}
