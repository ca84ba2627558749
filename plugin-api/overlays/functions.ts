/** The MPI functions that were called. */
import { CorruptError } from '../result';
import type { Region, Texts } from './region';

export interface CalledFunction {
  name: string;
  /** Bits of CALL_HAS_* in region.h. */
  has: number;
}

export async function readFunctions(region: Region, texts: Texts): Promise<CalledFunction[]> {
  const table = await region.table('functions');
  return Array.from({ length: table.count }, (_, i) => {
    const bytes = table.at(i);
    return { name: texts.at(bytes.getUint32(0, true)), has: bytes.getUint32(4, true) };
  });
}

/** Throws CorruptError for one that is not there. */
export function functionAt(functions: readonly CalledFunction[], index: number): CalledFunction {
  const found = functions[index];
  if (found === undefined)
    throw new CorruptError('the region of the collector is damaged: a call is of a function that is not there');
  return found;
}
