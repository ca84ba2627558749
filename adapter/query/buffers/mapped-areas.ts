/** What a rank has mapped: of a live process as its kernel says it, of a core file as far as the file says it. */
import { ProcessAccessError } from '../../hosts/process-access-error';
import type { Rank } from '../../job/rank';

export interface Area {
  start: bigint;
  end: bigint;
  writable: boolean;
  /** Without a file. */
  isAnonymous: boolean;
  /** What a live process has mapped there: "[heap]", "[stack]", or a file. */
  path?: string;
}

export interface Mapped {
  /** Ascending. */
  areas: readonly Area[];
  /** Whatever is not in them is not mapped. gdb's core files leave out what its owner keeps out of dumps. */
  isAll: boolean;
}

/** undefined: it is not known here, or cannot be read. */
export async function mappedBy({ image, process }: Pick<Rank, 'image' | 'process'>): Promise<Mapped | undefined> {
  if (image !== undefined) {
    const { segments, mappings, isOfGdb, missing } = image.core;
    const files = mappings.map(({ start, end }) => ({ start, end }));
    const known = segments.map(({ start, end, writable }) => ({
      ...{ start: BigInt(start), end: BigInt(end), writable },
      isAnonymous: !files.some((file) => file.start <= start && start < file.end),
    }));
    const others = files
      .filter((file) => !segments.some(({ start, end }) => start <= file.start && file.start < end))
      .map(({ start, end }) => ({ start: BigInt(start), end: BigInt(end), writable: true, isAnonymous: false }));
    const areas = [...known, ...others].sort((a, b) => (a.start < b.start ? -1 : 1));
    return { areas, isAll: !isOfGdb && missing === 0 };
  }
  const maps = await process?.maps().catch(ifInaccessible);
  if (maps === undefined) return undefined;
  const areas = maps.map(({ start, end, writable, file, path }) => ({
    ...{ start, end, writable, path },
    isAnonymous: file === undefined,
  }));
  return { areas, isAll: true };
}

function ifInaccessible(error: unknown): undefined {
  if (!(error instanceof ProcessAccessError)) throw error;
}

export function areaAt({ areas }: Mapped, address: bigint): Area | undefined {
  return areas.find(({ start, end }) => start <= address && address < end);
}

/** Whether all of the range is mapped. */
export function isMapped(mapped: Mapped, address: bigint, bytes: bigint): boolean {
  const end = address + bytes;
  let at = address;
  while (at < end) {
    const area = areaAt(mapped, at);
    if (area === undefined) return false;
    at = area.end;
  }
  return true;
}
