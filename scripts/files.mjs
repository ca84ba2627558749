import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The files below a folder of the repository whose names end so, sorted, as paths from the root with slashes. Skips
 * installed packages: below test/e2e/rig they are many thousands of files.
 */
export function filesBelow(root, folder, suffix) {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : filesBelow(root, path, suffix);
      return entry.name.endsWith(suffix) ? [path] : [];
    })
    .sort();
}
