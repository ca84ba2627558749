/** Where the kernel writes core files. */
import { unlessShort } from '../elf/shortage-error';
import type { Host } from './host';

/** A pattern of paths, relative to the folder of the process that dies; undefined: a program takes them. */
export async function coreFilePattern(host: Host): Promise<string | undefined> {
  const [pattern = '', usesPid = ''] = await Promise.all(
    ['core_pattern', 'core_uses_pid'].map((name) =>
      host.readFile(`/proc/sys/kernel/${name}`).then((text) => text.toString().trim(), unlessShort('')),
    ),
  );
  if (pattern.startsWith('|')) return undefined;
  const path = (pattern || 'core').replace(/%%/g, '%').replace(/%[a-zA-Z]/g, '*');
  return usesPid === '1' && !pattern.includes('%p') ? `${path}.*` : path;
}
