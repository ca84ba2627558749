/** Which files the processes of a host have open. */
import { unlessShort } from '../elf/shortage-error';
import type { Host } from './host';
import { processesOf } from './host-process';

/** Paths of those that somebody writes, of all processes that the user may look at. */
export async function filesOpenForWriting(host: Host): Promise<Set<string>> {
  const found = new Set<string>();
  await Promise.all(
    (await processesOf(host)).map(async ({ pid }) => {
      const descriptors = await host.list(`/proc/${pid}/fd`).catch(unlessShort([]));
      await Promise.all(
        descriptors.map(async (descriptor) => {
          const path = await writtenFile(host, pid, descriptor).catch(unlessShort(undefined));
          if (path !== undefined) found.add(path);
        }),
      );
    }),
  );
  return found;
}

/** Rejects where it was closed meanwhile. */
async function writtenFile(host: Host, pid: number, descriptor: string): Promise<string | undefined> {
  const path = await host.readLink(`/proc/${pid}/fd/${descriptor}`);
  if (!path.startsWith('/') || path.startsWith('/dev/')) return undefined;
  const info = await host.readFile(`/proc/${pid}/fdinfo/${descriptor}`);
  const flags = /^flags:\s*([0-7]+)/m.exec(info.toString())?.[1];
  // O_WRONLY is 1, O_RDWR is 2.
  return (parseInt(flags ?? '0', 8) & 3) === 0 ? undefined : path;
}
