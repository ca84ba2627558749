/** What the C library has printed before it calls abort: a failed assertion, memory that it found damaged. */
import type { ProcessImage } from '../../../plugin-api/image';
import { readI32, readPointer } from '../../../plugin-api/memory';
import { decodeText } from '../../../plugin-api/struct';

const maxBytes = 1000;

/** undefined: none. Throws QueryError, FaultError. */
export async function abortMessage(image: ProcessImage): Promise<string | undefined> {
  const symbol = await image.findSymbol('__abort_msg');
  const message = symbol === undefined ? 0n : await readPointer(image, symbol.address);
  if (message === 0n) return undefined;
  // Its size in memory, then its text.
  const size = await readI32(image, message);
  if (size <= 4) return undefined;
  const text = decodeText(await image.readMemory(message + 4n, Math.min(size - 4, maxBytes))).trim();
  return text === '' ? undefined : text;
}
