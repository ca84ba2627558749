/** An exception of C++ that is on its way through a frame, where a destructor runs: GNU's libstdc++. */
import type { ProcessImage } from '../../../plugin-api/image';
import { typeText } from '../../../plugin-api/cxx-type-text';
import { readI32, readPointer, readText } from '../../../plugin-api/memory';
import { FaultError } from '../../../plugin-api/result';
import type { Registers } from '../../../plugin-api/processor/registers';

/** The header that unwinding uses begins with "GNUCC++\0", read as a number. Fields before and behind it, from its start. */
const exceptionClass = 0x474e5543432b2b00n;
const type = -80n;
const handlers = -40n;
const references = -96n;
/** In the second phase: the frame that will catch it, by the end of its frame (its CFA). */
const catcher = 24n;
const object = 32n;

/**
 * A landing pad keeps the exception in a register that calls preserve, until it resumes. `ends`: the stack pointers of this frame
 * and of those outward: one of them is where the frame ends that will catch it. That, and its counts, tell it from one that is over.
 */
export async function thrownException(
  image: ProcessImage,
  registers: Registers,
  ends: readonly (bigint | undefined)[],
): Promise<{ what: string; text?: string } | undefined> {
  for (const header of registers.kept) {
    if (header === undefined || header % 16n !== 0n || header === 0n) continue;
    try {
      if ((await readPointer(image, header)) !== exceptionClass) continue;
      const end = await readPointer(image, header + catcher);
      const isUnderWay =
        (await readI32(image, header + references)) > 0 && (await readI32(image, header + handlers)) === 0;
      if (!isUnderWay || !ends.includes(end)) continue;
      const info = await readPointer(image, header + type);
      const text = await whatOf(image, info, header + object);
      return { what: typeText(await nameOf(image, info)), ...(text === undefined ? {} : { text }) };
    } catch (error) {
      if (!(error instanceof FaultError)) throw error;
    }
  }
  return undefined;
}

const maxName = 200;
const maxText = 300;
const maxBases = 16;

/** A type_info has the mangled name behind the pointer to its functions. */
async function nameOf(image: ProcessImage, info: bigint): Promise<string> {
  return (await readText(image, await readPointer(image, info + 8n), maxName)).replace(/^\*/, '');
}

/** std::runtime_error and std::logic_error keep their text, for all that are derived from them first and alone. */
async function whatOf(image: ProcessImage, info: bigint, at: bigint): Promise<string | undefined> {
  let current = info;
  for (let depth = 0; depth < maxBases; depth++) {
    if (/^St(13runtime|11logic)_error$/.test(await nameOf(image, current)))
      return readText(image, await readPointer(image, at + 8n), maxText);
    const kind = (await image.symbolAt(await readPointer(image, current)))?.name ?? '';
    // A class with one base, which begins where the class does.
    if (!/20__si_class_type_info|__si_class_type_info$/.test(kind)) return undefined;
    current = await readPointer(image, current + 16n);
  }
  return undefined;
}
