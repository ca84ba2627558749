/** How a program is built from the source in the editor, as its folder shows it: CMake, make, or one call of MPI's compiler. */
import { access, stat } from 'node:fs/promises';
import path from 'node:path';
import { compilerOf } from './compilers';
import { fixedFormExtensions, freeFormExtensions } from '../plugin-api/fortran/file-names';

export interface Build {
  /** The words of the command. */
  command: readonly [string, ...string[]];
  /** Where it runs. */
  folder: string;
  /** The program that it makes, where the command names it. */
  program?: string;
}

const compilers: readonly (readonly [compiler: string, extensions: readonly string[]])[] = [
  ['mpicc', ['c']],
  ['mpicxx', ['cc', 'cpp', 'cxx', 'c++']],
  ['mpifort', [...fixedFormExtensions, ...freeFormExtensions]],
];

/**
 * @param root the folder that is open: nothing outside it counts. `launcher`: as it is set for the workspace; `env`: of the build. Undefined:
 * nothing shows how.
 */
export async function buildOf(
  source: string,
  program: string | undefined,
  root: string,
  { launcher, env = process.env }: { launcher?: string | undefined; env?: NodeJS.ProcessEnv } = {},
): Promise<Build | undefined> {
  const folder = path.dirname(source);
  const configured = await firstWith(['CMakeCache.txt'], path.dirname(program ?? source), root);
  if (configured !== undefined) return { command: ['cmake', '--build', '.'], folder: configured };
  const made = await firstWith(['GNUmakefile', 'makefile', 'Makefile'], folder, root);
  if (made !== undefined) return { command: ['make'], folder: made };
  const plain = wrapperOf(source);
  if (plain === undefined) return undefined;
  const compiler = await compilerOf(plain, { program, launcher, cwd: folder, env });
  const output = program ?? path.join(folder, path.parse(source).name);
  const relative = (file: string): string => path.relative(folder, file);
  return { command: [compiler, '-g', relative(source), '-o', relative(output)], folder, program: output };
}

/** Whether the source has changed since the program was linked. */
export async function isOlder(program: string, source: string): Promise<boolean> {
  const [built, written] = await Promise.all([program, source].map((file) => stat(file).catch(() => undefined)));
  return built !== undefined && written !== undefined && built.mtimeMs < written.mtimeMs;
}

function wrapperOf(source: string): string | undefined {
  const extension = path.extname(source).slice(1);
  // The only one whose case tells the language.
  if (extension === 'C') return 'mpicxx';
  return compilers.find(([, extensions]) => extensions.includes(extension.toLowerCase()))?.[0];
}

/** The innermost folder, from `folder` up to `root`, that has one of these files. */
async function firstWith(names: readonly string[], folder: string, root: string): Promise<string | undefined> {
  for (let current = folder; ; current = path.dirname(current)) {
    const outside = path.relative(root, current);
    if (outside.startsWith('..') || path.isAbsolute(outside)) return undefined;
    const found = await Promise.all(
      names.map((name) =>
        access(path.join(current, name)).then(
          () => true,
          () => false,
        ),
      ),
    );
    if (found.includes(true)) return current;
    if (outside === '') return undefined;
  }
}
