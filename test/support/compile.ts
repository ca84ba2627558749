/** Compiles small programs for tests, into a directory of their own. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Workshop {
  directory: string;
  /** Writes `source` to NAME.c, for a Fortran compiler NAME.f90, for one of C++ NAME.cpp, and compiles it to NAME; the path of the result. Fails with the compiler's words. */
  compile(name: string, source: string, compiler?: string, options?: readonly string[]): string;
  /** Removes the directory. */
  close(): void;
}

export function openWorkshop(): Workshop {
  const directory = mkdtempSync(join(tmpdir(), 'mpidbg-test-'));
  return {
    directory,
    compile(name, source, compiler = 'gcc', options = []) {
      const extension = compiler.includes('fort') ? 'f90' : /cxx|\+\+/.test(compiler) ? 'cpp' : 'c';
      const file = join(directory, `${name}.${extension}`);
      writeFileSync(file, source);
      const result = join(directory, name);
      // Libraries go behind the source that needs them; Fortran's modules are left where the compiler runs.
      const order = ['-o', result, file, ...options];
      execFileSync(compiler, order, { cwd: directory, stdio: ['ignore', 'ignore', 'inherit'] });
      return result;
    },
    close() {
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
