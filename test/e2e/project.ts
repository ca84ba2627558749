import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const samples = path.join(__dirname, '../../samples');

/** Puts a sample's source and its program into a folder. */
export function putSample(folder: string, source: string, compiler: string): void {
  const file = path.join(folder, source);
  copyFileSync(path.join(samples, source), file);
  execFileSync(compiler, ['-g', '-O0', '-I', samples, source, '-o', path.parse(source).name], { cwd: folder });
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
