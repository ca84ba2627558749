/** A release of mpi4py from PyPI, for Debian's Python, in a folder of its own. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Mpi } from './sample-job';

export const debianPython = '/usr/bin/python3';
/** The newest, and the one before: one wheel for all MPIs, which looks for the one that is there when it is imported. */
export const mpi4pyReleases = ['4.1.2', '4.1.1'] as const;

export interface Mpi4py {
  /** Variables with which Python imports it, and it finds this MPI. */
  variables(mpi: Mpi): string[];
  close(): void;
}

export function installMpi4py(release: string): Mpi4py {
  const folder = mkdtempSync(join(tmpdir(), 'mpidbg-test-'));
  const options = [
    '--quiet',
    '--no-deps',
    '--only-binary',
    ':all:',
    '--root-user-action',
    'ignore',
    '--target',
    folder,
  ];
  execFileSync(debianPython, ['-m', 'pip', 'install', ...options, `mpi4py==${release}`], { stdio: 'inherit' });
  // The wheel knows MPICH by the name that MPICH itself gives to its library.
  symlinkSync('/usr/lib/x86_64-linux-gnu/libmpich.so.12', join(folder, 'libmpi.so.12'));
  const libraries = { openmpi: 'libmpi.so.40', mpich: join(folder, 'libmpi.so.12') };
  return {
    variables: (mpi) => [`PYTHONPATH=${folder}`, `LD_LIBRARY_PATH=${folder}`, `MPI4PY_LIBMPI=${libraries[mpi]}`],
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}
