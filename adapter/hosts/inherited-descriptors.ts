/**
 * Descriptors beyond the standard streams that this process got from whoever started it (`3>log`). Node marks those below 16 to be closed in all
 * that it starts, where a shell would have passed them on; it leaves the others alone.
 */
import { readdirSync, readlinkSync } from 'node:fs';
import { closeOnExec, flagsOf } from './descriptor-flags';

/** Call it before this process opens anything itself. A pipe with both ends open here is assumed to be Node's own. */
export function markedDescriptors(): number[] {
  const open = readdirSync('/proc/self/fd').flatMap((name) => {
    const descriptor = Number(name);
    try {
      return { descriptor, target: readlinkSync(`/proc/self/fd/${name}`), flags: flagsOf(descriptor) };
    } catch {
      return []; // The one that has listed them.
    }
  });
  return open
    .filter(({ descriptor, flags }) => descriptor > 2 && (flags & closeOnExec) !== 0)
    .filter(({ target }) => !target.startsWith('anon_inode:'))
    .filter(({ target }) => !target.startsWith('pipe:') || open.filter((each) => each.target === target).length === 1)
    .map(({ descriptor }) => descriptor);
}
