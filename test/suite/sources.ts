/** Where the sources of the suite are: a checkout, or Debian's source package of mpich. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** The folder test/mpi. `given`: what the user says. Throws when there is none. */
export async function findSources(given: string | undefined): Promise<string> {
  const named = given ?? process.env['MPIDBG_MPICH_TESTS'];
  if (named === undefined) throw new Error('no sources');
  const suite = [join(named, 'test/mpi'), named].find((folder) => existsSync(join(folder, 'util/mtest.c')));
  if (suite === undefined) throw new Error(`${named} is no checkout of MPICH: it has no test/mpi/util/mtest.c`);
  return suite;
}
