/** The region of a collector that collects calls. */
import type { ProcessImage } from '../../../plugin-api/image';
import { Region } from '../../../plugin-api/overlays/region';

/** undefined: calls are not collected there; then no symbol is looked for. Throws QueryError. */
export async function regionOfCalls(image: ProcessImage): Promise<Region | undefined> {
  const modules = await image.modules();
  return modules.some(({ path }) => /mpidbg-calls[^/]*\.so$/.test(path)) ? Region.open(image) : undefined;
}
