/** Builds the programs that make NaNs, and runs them by `mpidbg run`. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli, type CliResult } from '../support/run-cli';
import { launchers, type Mpi } from '../support/sample-job';

const programs = join(__dirname, 'floats');

/** "floats.c:36": the line with "traps: MARKER" at its end. */
export function trapLine(source: string, marker: string): string {
  const lines = readFileSync(join(programs, source), 'utf8').split('\n');
  const found = lines.flatMap((line, i) => (new RegExp(`traps: ${marker}( \\*/)?$`).test(line) ? [i + 1] : []));
  if (found.length !== 1) throw new Error(`${source} has ${found.length} lines with "traps: ${marker}"`);
  return `${source}:${found[0]}`;
}

export class FloatPrograms {
  readonly folder = mkdtempSync(join(tmpdir(), 'mpidbg-floats-'));

  constructor(private readonly mpi: Mpi) {}

  build(): void {
    const compile = (compiler: string, output: string, ...options: string[]): unknown =>
      execFileSync(compiler, ['-g', '-O0', '-o', output, ...options], { cwd: this.folder, stdio: 'inherit' });
    const source = (name: string): string => join(programs, name);
    const shared = ['-shared', '-fPIC'];
    compile('gcc', 'libblas.so.3', ...shared, '-pthread', '-Wl,-soname,libblas.so.3', source('blas.c'));
    compile('gcc', 'liblater.so', ...shared, '-Wl,-z,lazy', source('later.c'));
    const own = ['-fopenmp', '-pthread', './libblas.so.3', `-Wl,-rpath,${this.folder}`, '-ldl', '-lm'];
    compile(`mpicc.${this.mpi}`, 'floats', source('floats.c'), ...own);
    compile(`mpicc.${this.mpi}`, 'inlined', '-O2', source('inlined.c'));
    compile(`mpicxx.${this.mpi}`, 'floats-cxx', source('floats.cpp'));
    compile(`mpifort.${this.mpi}`, 'floats-fortran', source('floats.f90'));
    compile(`mpifort.${this.mpi}`, 'floats-fpe-trap', '-ffpe-trap=invalid', source('floats.f90'));
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** On two ranks; `before`: what the launcher starts in front of the program. A rank that waits with its end does so for as long as this machine needs. */
  run(
    program: string,
    args: readonly string[],
    options: readonly string[],
    before: readonly string[] = [],
  ): Promise<CliResult> {
    const { command, args: usual, env } = launchers[this.mpi];
    const words = [command, ...usual, '-n', '2', ...before, join(this.folder, program), ...args];
    return runCli(['run', '--hold-dying', '100', ...options, '--', ...words], undefined, env, this.folder);
  }
}
