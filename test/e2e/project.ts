import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Mpi } from '../support/sample-job';

const samples = path.join(__dirname, '../../samples');

/** Puts a sample's source and its program into a folder. */
export function putSample(folder: string, source: string, mpi: Mpi): void {
  copyFileSync(path.join(samples, source), path.join(folder, source));
  compile(folder, source, mpi, ['-I', samples]);
}

/** Compiles a source file of a folder, by its ending, into a program beside it. */
export function compile(folder: string, source: string, mpi: Mpi, options: string[] = []): void {
  const { name, ext } = path.parse(source);
  const compiler = `${{ '.c': 'mpicc', '.cpp': 'mpicxx' }[ext] ?? 'mpifort'}.${mpi}`;
  execFileSync(compiler, ['-g', '-O0', ...options, source, '-o', name, '-lm'], { cwd: folder });
}

/** The MPI of a test: its own or, with `npm run test:other-mpi`, the other one. Both runs together show all with both. */
export function mpiOfTest(own: Mpi): Mpi {
  if (process.env.MPIDBG_E2E_OTHER_MPI === undefined) return own;
  return own === 'openmpi' ? 'mpich' : 'openmpi';
}

/** Writes the launch.json of a folder, with one configuration. */
export function putLaunchJson(folder: string, attributes: Record<string, unknown>): void {
  const configuration = { type: 'mpidbg', request: 'launch', name: 'MPI', ...attributes };
  mkdirSync(path.join(folder, '.vscode'));
  writeFileSync(
    path.join(folder, '.vscode/launch.json'),
    JSON.stringify({ version: '0.2.0', configurations: [configuration] }, undefined, 2),
  );
}

/** The number of the sample's only line that holds the marker. */
export function lineOf(source: string, marker: string): number {
  const lines = readFileSync(path.join(samples, source), 'utf8').split('\n');
  const found = lines.flatMap((line, index) => (line.includes(marker) ? [index + 1] : []));
  const [only, another] = found;
  if (only === undefined || another !== undefined)
    throw new Error(`${source} has ${found.length} lines with "${marker}"`);
  return only;
}
