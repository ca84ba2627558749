/** Whether anything changes in the windows of a process between two looks. */
import { createHash } from 'node:crypto';
import type { ProcessState } from '../../../plugin-api/hang/job-state';
import type { ProcessImage } from '../../../plugin-api/image';
import { guard, isUnavailable } from '../../../plugin-api/result';

/** Flags and locks are at the beginning of a part, and small. */
const maxWindows = 8;
const maxWindowBytes = 1024;

/** What is at the beginning of a process' own parts of windows, as far as it can be compared with another look. */
export async function inWindows(
  wins: ProcessState['wins'],
  image: ProcessImage,
): Promise<Pick<ProcessState, 'inWindows'>> {
  const parts = wins.flatMap(({ base, bytes }) =>
    base === undefined || bytes === undefined || isUnavailable(base) || isUnavailable(bytes) || Number(bytes) === 0
      ? []
      : [{ base: BigInt(base), length: Math.min(Number(bytes), maxWindowBytes) }],
  );
  if (parts.length === 0) return {};
  const read = await Promise.all(
    parts.slice(0, maxWindows).map(({ base, length }) => guard(() => image.readMemory(base, length))),
  );
  const hash = createHash('sha256');
  for (const part of read) hash.update(part.ok ? part.value : '');
  return { inWindows: hash.digest('hex') };
}
