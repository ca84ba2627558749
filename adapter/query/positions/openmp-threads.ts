/** Which threads of a process wait for others in OpenMP, where a collector has been told. */
import type { ProcessImage } from '../../../plugin-api/image';
import { openMpWaits, type OpenMpWait } from '../../../plugin-api/hang/openmp-waits';
import type { CodeRef } from '../../../plugin-api/mpi/code-ref';
import { openMpRegion, readOmptThreads } from '../../../plugin-api/overlays/ompt-threads';
import { Scopes } from '../../../plugin-api/overlays/ompt-scopes';
import { guard } from '../../../plugin-api/result';

/** None where OpenMP is not collected. `taken` without lines. */
export async function openMpWaitsOf(image: ProcessImage): Promise<OpenMpWait[]> {
  const read = await guard(async () => {
    const region = await openMpRegion(() => image, await image.modules());
    if (region === undefined) return [];
    const tasks = await Scopes.of(region, 'tasks');
    return openMpWaits(await readOmptThreads(region, []), tasks.hasLive());
  });
  return read.ok ? read.value : [];
}

export async function withTakenPlaces(
  waits: readonly OpenMpWait[],
  places: (addresses: readonly CodeRef['address'][]) => Promise<ReadonlyMap<string, CodeRef>>,
): Promise<OpenMpWait[]> {
  const known = await places(waits.flatMap(({ taken }) => taken?.address ?? []));
  return waits.map((wait) =>
    wait.taken === undefined ? wait : { ...wait, taken: known.get(wait.taken.address) ?? wait.taken },
  );
}
