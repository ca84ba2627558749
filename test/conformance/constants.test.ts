/** MPI's names and their values: what the plugins know, held against what a C program prints that includes mpi.h. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LiveImage } from '../../adapter/images/live/live-image';
import type { MpiConstant } from '../../plugin-api/mpi/plugin';
import { PluginRegistry } from '../../plugin-api/plugins/registry';
import { allMpis, launchers, SampleJob, type Mpi } from '../support/sample-job';
import { localProcess } from '../support/local-process';

const compilers: Record<Mpi, string> = { openmpi: 'mpicc.openmpi', mpich: 'mpicc.mpich' };

/** What is no constant of a program's code: of the preprocessor, of Fortran, functions, strings, of the tools interface. */
const otherNames =
  /_FN$|^MPI_INFO_KEY_|_FN_NULL|_T$|^MPI_F(08)?_STATUS|FMT_|^MPI_(SUB)?VERSION$|^MPI_T_\w+_(NULL|HANDLES)$|^MPI_T_PVAR_ALL|^MPI_T_ENUM/;

/** Variables of MPICH, which gdb knows by itself. */
const variables: Record<Mpi, string[]> = { openmpi: [], mpich: ['MPI_UNWEIGHTED', 'MPI_WEIGHTS_EMPTY'] };

describe("MPI's own names", () => {
  for (const mpi of allMpis) {
    it(`have in ${mpi} the values of mpi.h, and none is missing`, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'mpidbg-constants-'));
      const job = await SampleJob.startWaiting(mpi, 'communicators', { ranks: 1 });
      try {
        const image = new LiveImage(localProcess(job.pids[0]!));
        const process = await new PluginRegistry().open(image);
        const known = await process!.constants();
        const printed = valuesInC(mpi, folder);
        const missing = [...printed.keys()].filter((name) => !known.has(name) && !variables[mpi].includes(name));
        assert.deepEqual(missing, [], 'names of mpi.h that the plugin does not know');
        const different = [...known].flatMap(([name, constant]) => {
          const expected = printed.get(name);
          // The address of an object in another process is another one.
          // A Fortran type that the compiler lacked when the library was built is MPI_DATATYPE_NULL there.
          if (expected === printed.get('MPI_DATATYPE_NULL') && /^MPI_(INTEGER|REAL|COMPLEX)\d/.test(name)) return [];
          if (expected === undefined || (constant.kind === 'handle' && constant.symbol !== undefined)) return [];
          const value = valueOf(constant);
          return value === BigInt.asUintN(bitsOf(constant), expected)
            ? []
            : [`${name} is ${value}, in mpi.h ${expected}`];
        });
        assert.deepEqual(different, []);
        image.close();
        console.log(`      ${printed.size} names compared`);
        assert.ok(printed.size > 250);
      } finally {
        await job.kill();
        rmSync(folder, { recursive: true });
      }
    });
  }
});

/** A handle of MPICH is an int, which C prints with its sign; a file is a pointer. */
function bitsOf(constant: MpiConstant): 32 | 64 {
  return constant.kind === 'handle' && constant.handleKind !== 'file' ? 32 : 64;
}

function valueOf(constant: MpiConstant): bigint {
  if (constant.kind === 'handle') return constant.handle;
  return BigInt.asUintN(64, constant.kind === 'pointer' ? constant.address : BigInt(constant.value));
}

/** The names that mpi.h has and that have a value in C. A name that the compiler refuses is none. */
function valuesInC(mpi: Mpi, folder: string): Map<string, bigint> {
  const source = join(folder, 'constants.c');
  const program = join(folder, 'constants');
  writeFileSync(source, '#include <mpi.h>\n');
  const compile = (...args: string[]) => execFileSync(compilers[mpi], args, { encoding: 'utf8', stdio: 'pipe' });
  const text = compile('-E', '-dD', source);
  const all = [...new Set(text.match(/\bMPI_[A-Z][A-Z0-9_]*\b/g))].filter((name) => !otherNames.test(name));
  let names = all;
  for (let round = 0; round < 6; round++) {
    const lines = names.map((name) => `  printf("${name} %ld\\n", VALUE(${name}));`);
    writeFileSync(source, [head, ...lines, '  return 0;\n}\n'].join('\n'));
    try {
      compile('-w', source, '-o', program);
      break;
    } catch (error) {
      const refused = new Set<string>();
      const first = head.split('\n').length + 1;
      for (const [, line] of String((error as { stderr: unknown }).stderr).matchAll(/constants\.c:(\d+):/g))
        refused.add(names[Number(line) - first] ?? '');
      names = names.filter((name) => !refused.has(name));
    }
  }
  const printed = execFileSync(program, { encoding: 'utf8', env: { ...process.env, ...launchers[mpi].env } });
  return new Map(
    printed
      .trim()
      .split('\n')
      .map((line) => {
        const [name, value] = line.split(' ') as [string, string];
        return [name, BigInt(value)];
      }),
  );
}

const head = `#include <mpi.h>
#include <stdio.h>
#define VALUE(x) ((long)(x))
int main(void) {`;
