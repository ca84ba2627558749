import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Beside this bundle, above the parts of the command line in cli/, and dist/ as seen from this source. */
const candidates: readonly string[] = [__dirname, join(__dirname, '..'), join(__dirname, '..', '..', 'dist')];

/** The folder with the files that come with mpidbg. Nothing is taken from another one, which somebody else may write to. */
export const shippedFolder = candidates.find((folder) => existsSync(join(folder, 'agent.pl'))) ?? __dirname;
