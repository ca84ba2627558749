/** Programs in several languages that tell what they see of themselves (surroundings.c), and which of that mpidbg changes by necessity. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Workshop } from './compile';
import { debianPython } from './mpi4py';
import { launchers, type Mpi } from './sample-job';

export const languages = ['C', 'C++', 'Fortran', 'Python'] as const;
export type Language = (typeof languages)[number];

/** Each calls the part in C between MPI_Init and MPI_Finalize. */
const callers = {
  C: {
    compiler: 'mpicc',
    source: `#include <mpi.h>
void tell_surroundings(const char *);
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    tell_surroundings(argv[1]);
    MPI_Finalize();
    return 0;
}
`,
  },
  'C++': {
    compiler: 'mpicxx',
    source: `#include <iostream>
#include <mpi.h>
extern "C" void tell_surroundings(const char *);
struct World {
    World() { MPI_Init(nullptr, nullptr); }
    ~World() { MPI_Finalize(); }
};
int main(int, char **argv)
{
    World world;
    std::cerr.flush();
    tell_surroundings(argv[1]);
}
`,
  },
  Fortran: {
    compiler: 'mpifort',
    source: `program caller
  use, intrinsic :: iso_c_binding, only: c_char, c_null_char
  use mpi
  implicit none
  interface
    subroutine tell_surroundings(prefix) bind(C)
      import :: c_char
      character(kind=c_char), intent(in) :: prefix(*)
    end subroutine
  end interface
  character(len=4096) :: prefix
  integer :: ierror
  call mpi_init(ierror)
  call get_command_argument(1, prefix)
  call tell_surroundings(trim(prefix) // c_null_char)
  call mpi_finalize(ierror)
end program
`,
  },
  Python: {
    compiler: undefined,
    source: `import ctypes, sys
from mpi4py import MPI
ctypes.CDLL(sys.argv[2]).tell_surroundings(sys.argv[1].encode())
`,
  },
};

/** The words that start it, behind which `prefix` goes. Python's is of Debian's mpi4py, which is of Open MPI. */
export function tellerOf(workshop: Workshop, mpi: Mpi, language: Language): (prefix: string) => string[] {
  const { compiler, source } = callers[language];
  const part = join(workshop.directory, `surroundings-${mpi}.so`);
  const options = ['-g', '-w', '-fPIC', '-shared', join(__dirname, 'surroundings.c'), '-pthread', '-ldl', '-lm'];
  execFileSync(`mpicc.${mpi}`, ['-o', part, ...options], { stdio: ['ignore', 'ignore', 'inherit'] });
  if (compiler === undefined) {
    const script = join(workshop.directory, 'caller.py');
    writeFileSync(script, source);
    return (prefix) => [debianPython, script, prefix, part];
  }
  const built = workshop.compile(`caller-${mpi}-${compiler}`, source, `${compiler}.${mpi}`, ['-g', '-w', part]);
  return (prefix) => [built, prefix];
}

let jobs = 0;

/** The prefix of the next job's files. */
export function newPrefix(workshop: Workshop): string {
  return join(workshop.directory, `job-${jobs++}`);
}

/** What a job of two ranks tells. `through`: words before its launcher; `look`: called while both ranks wait, behind MPI_Init. */
export async function told(
  workshop: Workshop,
  mpi: Mpi,
  teller: (prefix: string) => string[],
  { through = [], look }: { through?: readonly string[]; look?: (launcherPid: number) => Promise<unknown> } = {},
): Promise<string[]> {
  const prefix = newPrefix(workshop);
  const { command, args, env } = launchers[mpi];
  const [program = '', ...words] = [...through, command, ...args, '-n', '2', ...teller(prefix)];
  const job = spawn(program, words, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd: workshop.directory,
  });
  const ended = once(job, 'close');
  let ready = 0;
  const areReady = new Promise<void>((resolve) =>
    createInterface({ input: job.stdout }).on('line', (line) => {
      if (line.endsWith('ready') && ++ready === 2) resolve();
    }),
  );
  try {
    if (look !== undefined) {
      await areReady;
      await look(job.pid!);
    }
  } finally {
    writeFileSync(prefix, '');
  }
  assert.deepEqual(await ended, [0, null]);
  return toldSurroundings(prefix);
}

/** What the job's two ranks have told, each line with the number of its rank. */
export function toldSurroundings(prefix: string): string[] {
  return [0, 1].flatMap((rank) => {
    const lines = readFileSync(`${prefix}.${rank}`, 'utf8').trimEnd().split('\n');
    if (lines.at(-1) !== 'at exit') throw new Error(`rank ${rank} has told only ${lines.length} lines`);
    return lines.map((line) => `${rank}: ${ofEveryProcess(line.replaceAll(prefix, 'PREFIX'))}`);
  });
}

/** Without what each process of a job gets another value of. */
function ofEveryProcess(line: string): string {
  return line.replace(/^(variable (?:PMIX|OMPI|PMI|HYD)\w*)=.*/, '$1').replace(/(ucx_shm_posix_)\w+/, '$1');
}

/** docs/collector.md has this list, too. */
const byNecessity: readonly { where: (collects: readonly string[]) => boolean; lines: RegExp }[] = [
  {
    where: () => true,
    lines:
      /^(library (mpidbg-|lib(dl|pthread)\.so)|variable (LD_PRELOAD|MPIDBG_\w+)=|variable ASAN_OPTIONS=verify_asan_link_order=0$|status SigCgt:)/,
  },
  { where: (collects) => collects.length > 0, lines: /^(descriptor 500 \/memfd:mpidbg-collector |status Threads:)/ },
  { where: (collects) => collects.includes('calls'), lines: /^MPI_Send is / },
  {
    where: (collects) => collects.includes('pvars') || collects.includes('events'),
    lines:
      /^(library ((lib)?mca_|libucm\.so)|the next key of threads|variable PSM2_DEVICES=|MPI_T is off at first:|MPI_T has \d|\w+ thread: flags of signal [14]:)/,
  },
];

/** What is left to compare. `collects`: what the collector collects. */
export function comparable(told: readonly string[], collects: readonly string[]): string[] {
  const differing = byNecessity.filter(({ where }) => where(collects)).map(({ lines }) => lines);
  const kept = told.filter((line) => !differing.some((each) => each.test(line.replace(/^\d+: /, ''))));
  // Libraries that come with the components of MPI_T come elsewhere in the order.
  return collects.includes('pvars') || collects.includes('events') ? kept.toSorted() : kept;
}
