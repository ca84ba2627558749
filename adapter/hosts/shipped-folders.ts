import { join } from 'node:path';

/** Where the files that come with mpidbg may lie: beside this bundle, above its parts in cli/, or for its source in dist/. */
export const shippedFolders: readonly string[] = [
  __dirname,
  join(__dirname, '..'),
  join(__dirname, '..', '..', 'dist'),
];
