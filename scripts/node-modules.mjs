// The npm packages of the lock file. `npm ci` empties node_modules first, so it runs only when they are not there yet.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { must, root } from './process.mjs';

const modified = (file) => statSync(join(root, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;

export async function ensureNodeModules() {
  const installed = modified('node_modules/.package-lock.json');
  if (installed > 0 && installed >= modified('package-lock.json')) return;
  await must('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error']);
}
