import { join } from 'node:path';

/** Where the files that come with mpidbg lie, in dist/: beside this bundle, or seen from its parts in dist/cli/ and from its source. */
export const shippedFolders: readonly string[] = [__dirname, join(__dirname, '..', '..', 'dist')];
