/** Whether all elements of a long list are one value, by their bytes. */
import { QueryError } from '../../../plugin-api/result';
import { evaluated } from '../../expressions/containers';
import { GdbError } from '../../gdb/mi/mi-connection';
import { readOnly } from '../../gdb/mi/read-only';
import { valueBytes } from '../../gdb/python/value-bytes';
import type { ValueNode } from '../../values/value-node';
import { memoryOf } from '../rank-images';

/** Longer lists are not read at each stop: nothing is said of them. */
const maxBytes = 1024 * 1024;

/** For arrays of arrays it asks about the innermost ones. False also where that is not known. */
export async function equalElements({ evalFrame, source }: ValueNode): Promise<boolean> {
  if (source === undefined) return false;
  const { thread, frame, language } = evalFrame;
  try {
    const reader = readOnly(thread, language);
    const { regions, isPartial } = await evaluated({ gdb: thread.gdb, language }, source, (each) =>
      valueBytes(reader, frame, each),
    );
    const [region, another] = regions;
    if (isPartial || region === undefined || another !== undefined || region.size > maxBytes) return false;
    const { address, size, stride, holes } = region;
    if (holes.length > 0 || stride === 0 || size % stride !== 0) return false;
    const bytes = await memoryOf(thread.rank).readMemory(address, size);
    // Each byte is that of the element before.
    return Buffer.compare(bytes.subarray(stride), bytes.subarray(0, size - stride)) === 0;
  } catch (error) {
    // Memory that cannot be read, and a gdb without Python.
    if (error instanceof QueryError || error instanceof GdbError) return false;
    throw error;
  }
}
