/** A file of this machine that is the same as one of another machine: what packages install there, they install here too. */
import { unlessShort } from '../elf/shortage-error';
import { readDistant } from '../elf/distant-bytes';
import { readBuildIdAlone } from '../elf/elf-file';
import type { HostFile } from '../hosts/host';
import { localHost } from '../hosts/local-host';

export interface FarFile {
  readonly path: string | undefined;
  readonly buildId: string | undefined;
  readonly size: number;
  readonly modified: number;
}

/**
 * Undefined if no local file has this name, size, modification time and build-id. Files of one package are the same on
 * every host.
 */
export async function twinOf({ path, buildId, size, modified }: FarFile): Promise<HostFile | undefined> {
  if (path === undefined || buildId === undefined) return undefined;
  const file = await localHost.openFile(path).catch(unlessShort(undefined));
  if (file === undefined) return undefined;
  const isSame = file.size === size && file.modified === modified;
  if (isSame && (await readDistant(file, readBuildIdAlone).catch(() => undefined)) === buildId) return file;
  file.close();
  return undefined;
}
