/** mpidbg on core files that belong together, and on some that do not: which rank of which job each is, and why not. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { BytesSource } from '../../adapter/elf/byte-source';
import { readCore } from '../../adapter/images/core/core-file';
import type { Document } from '../../plugin-api/mpi/records';
import { writeCoresBesideTheProgram } from '../../scripts/core-pattern.mjs';
import { openWorkshop, type Workshop } from '../support/compile';
import { CoreFolder, endAllBy } from '../support/core-files';
import { runCli } from '../support/run-cli';
import { allMpis, launchers, samplePath, type Mpi } from '../support/sample-job';

/** Its own memory begins with data without values, and its file is mapped twice, as some handlers of signals do. */
const waiting = `
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
static char field[1 << 16];
int main(int argc, char **argv)
{
    memset(field, 1, sizeof field);
    mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, open("/proc/self/exe", O_RDONLY), 0);
    MPI_Init(&argc, &argv);
    printf("pid %d\\n", (int)getpid());
    fflush(stdout);
    pause();
    return 0;
}`;

/** Written in the language of the innermost frame, the types of these members make gdb 13 end. */
const callingFortran = `
#include <mpi.h>
typedef struct { MPI_Comm comm; union { int i; float f; } value; struct { int a, b; } pair; } Halo;
void kernel_(void);
int main(int argc, char **argv)
{
    Halo halo = { .pair = { 1, 2 } };
    MPI_Init(&argc, &argv);
    halo.comm = MPI_COMM_WORLD;
    kernel_();
    return halo.pair.a;
}`;
const kernel = 'subroutine kernel\n integer, pointer :: p\n nullify(p)\n p = 1\nend subroutine\n';

const counting = `
#include <stdio.h>
#include <stdlib.h>
int counter = 1;
int main(int argc, char **argv)
{
    FILE *filter = fopen("/proc/self/coredump_filter", "w");
    fputs(argv[1], filter);
    fclose(filter);
    counter = 42;
    abort();
}`;

const dividing = `
program ends
  real, volatile :: zero = 0
  real, allocatable :: values(:)
  values = [1 / zero]
  print *, values
end program`.trim();

/** Starts one rank of each program, and ends all of them by SIGABRT. Answers their cores by rank. */
async function coresOf(mpi: Mpi, programs: readonly string[], folder: CoreFolder): Promise<Map<number, string>> {
  const { command, args, env } = launchers[mpi];
  const parts = programs.map((program) => ['-n', '1', ...folder.inFolderOfRank(), program]);
  const list = parts.flatMap((part, index) => (index === 0 ? part : [':', ...part]));
  const restore = writeCoresBesideTheProgram();
  const launcher = spawn(command, [...args, ...list], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    const pids: number[] = [];
    for await (const line of createInterface({ input: launcher.stdout })) {
      const pid = /pid (\d+)/.exec(line)?.[1];
      if (pid !== undefined) pids.push(Number(pid));
      if (pids.length === programs.length) break;
    }
    assert.equal(pids.length, programs.length, `${command} started ${pids.length} ranks`);
    launcher.stdout.resume();
    const closed = once(launcher, 'close', { signal: AbortSignal.timeout(30_000) });
    await endAllBy('SIGABRT', { pids, launcherPid: launcher.pid! });
    await closed;
  } finally {
    launcher.kill();
    restore();
  }
  return folder.found('the job', programs.length);
}

async function info(...args: string[]): Promise<{ document: Document; stderr: string }> {
  const { stdout, stderr, status } = await runCli(['info', '--json', '--core', ...args]);
  assert.notEqual(status, 2, stderr);
  return { document: JSON.parse(stdout) as Document, stderr };
}

for (const mpi of allMpis) {
  describe(`core files of jobs of ${mpi}`, () => {
    let workshop: Workshop;
    let first: CoreFolder;
    let second: CoreFolder;
    let cores: Map<number, string>;
    let programs: string[];

    before(async () => {
      workshop = openWorkshop();
      programs = ['master', 'worker'].map((name) => workshop.compile(name, waiting, `mpicc.${mpi}`, ['-g']));
      first = new CoreFolder();
      cores = await coresOf(mpi, programs, first);
      second = new CoreFolder();
    });

    after(() => {
      workshop.close();
      first.remove();
      second.remove();
    });

    it('of several programs (MPMD): which ranks ran which', async () => {
      const { document, stderr } = await info(...cores.values());
      assert.deepEqual(
        document.ranks.map(({ rank, host, core }) => ({ rank, host, core })),
        [0, 1].map((rank) => ({ rank, host: hostname(), core: cores.get(rank) })),
      );
      assert.match(
        stderr,
        new RegExp(`the job had 2 programs: rank 0 ran ${programs[0]}; rank 1 ran ${programs[1]}\n`),
      );
      assert.doesNotMatch(stderr, /jobs|no core of/);
    });

    it('of some ranks only: of which there is none', async () => {
      const { stderr } = await info(cores.get(1)!);
      assert.match(stderr, /no core of rank 0 of the 2 ranks: nothing is known about it/);
    });

    it('of two jobs: each rank with its job', async () => {
      const others = await coresOf(mpi, [programs[0]!, programs[0]!, programs[0]!], second);
      const { document, stderr } = await info(...cores.values(), ...others.values());
      assert.match(stderr, /these core files are of 2 jobs: ranks 0-[12] of \S+; ranks 1:0-[12] of \S+: open each job/);
      const worlds = new Map<unknown, number[]>();
      for (const rank of document.ranks) worlds.set(rank.world, [...(worlds.get(rank.world) ?? []), rank.rank!]);
      assert.deepEqual(
        [...worlds.values()].sort((a, b) => a.length - b.length),
        [
          [0, 1],
          [0, 1, 2],
        ],
      );
      assert.ok(!worlds.has(undefined) && !worlds.has('unknown'), [...worlds.keys()].join());
      assert.doesNotMatch(stderr, /has 2 cores/);
    });

    it('of one rank twice: the same process, or not', async () => {
      const copy = join(dirname(cores.get(0)!), 'core.copy');
      copyFileSync(cores.get(0)!, copy);
      const { stderr } = await info(cores.get(0)!, copy);
      const names = [cores.get(0)!, copy].map((path) => basename(path)).sort();
      assert.ok(stderr.includes(`rank 0 has 2 cores (${names.join(', ')}): they are of one process`), stderr);
    });

    it('of a process that no launcher started and MPI_Init did not see: its rank from the file name, said so', async () => {
      const core = await second.crashAlone(samplePath(mpi, 'crash-before-init'), ['0']);
      const named = join(second.path, 'core.rank3');
      copyFileSync(core, named);
      const told = await info(named);
      assert.equal(told.document.ranks[0]?.rank, 3);
      assert.match(told.stderr, /core.rank3: only the file name says that this is rank 3/);
      const untold = await info(core);
      assert.equal(untold.document.ranks[0]?.rank, null);
      assert.match(untold.stderr, /it does not contain its rank: it is shown by its process id/);
    });

    it('of a program in C that died in Fortran: the structs of C with members of types without names', async () => {
      const object = workshop.compile('kernel.o', kernel, `mpifort.${mpi}`, ['-g', '-c']);
      const program = workshop.compile('driver', callingFortran, `mpicc.${mpi}`, ['-g', object, '-lgfortran']);
      const core = await second.crashAlone(program);
      const { stdout, stderr, status } = await runCli(['show', 'halo', '--json', '--core', core]);
      assert.equal(status, 0, stderr);
      const [rank] = (JSON.parse(stdout) as Document).ranks;
      assert.deepEqual(rank && 'answers' in rank && rank.answers.map((answer) => [answer.expression, answer.code]), [
        ['halo.comm', 'MPIDBG_SUCCESS'],
      ]);
    });

    it('beside one of a process without MPI', async () => {
      const program = workshop.compile('stranger', '#include <stdlib.h>\nint main(void) { abort(); }', 'gcc', ['-g']);
      const core = await second.crashAlone(program);
      const { document, stderr } = await info(...cores.values(), core);
      assert.deepEqual(
        document.ranks.map(({ rank }) => rank),
        [0, 1, null],
      );
      assert.match(stderr, new RegExp(`this process has no MPI \\(${program}\\): only stacks and variables`));
      assert.match(stderr, /: not a rank of the job/);
    });
  });
}

describe('the core file of a Fortran program', () => {
  let workshop: Workshop;
  let folder: CoreFolder;
  let core: string;

  before(async () => {
    workshop = openWorkshop();
    folder = new CoreFolder();
    const program = workshop.compile('ends', dividing, 'gfortran', ['-g', '-ffpe-trap=zero']);
    core = await folder.crashAlone(program);
  });

  after(() => {
    workshop.close();
    folder.remove();
  });

  it('that gfortran was told to end at a division by zero: says so', async () => {
    const [rank] = (await info(core)).document.ranks;
    assert.equal(rank && 'crash' in rank && rank.crash?.text, 'SIGFPE at ends.f90:4 (division by zero)');
  });

  it('that is cut off: an array that it does not hold is not an empty one', async () => {
    const cut = join(folder.path, 'core.cut');
    // The stack is the last but the kernel's own page.
    writeFileSync(cut, readFileSync(core).subarray(0, -(1 << 16)));
    const { stdout } = await runCli(['show', 'values', '--json', '--core', cut]);
    const [rank] = (JSON.parse(stdout) as Document).ranks;
    const [answer] = rank && 'answers' in rank ? rank.answers : [];
    assert.match(answer && 'reason' in answer ? answer.reason : '', /^Cannot access memory at address 0x/);
  });
});

it('a core file without the data of the program: no value is what the program began with', async () => {
  const workshop = openWorkshop();
  const folder = new CoreFolder();
  try {
    const program = workshop.compile('counts', counting, 'gcc', ['-g']);
    const value = async (core: string): Promise<string> => {
      const { stdout } = await runCli(['show', 'comm.f:counter', '--json', '--core', core]);
      const [rank] = (JSON.parse(stdout) as Document).ranks;
      const [answer] = rank && 'answers' in rank ? rank.answers : [];
      return answer && 'reason' in answer ? answer.reason : '';
    };
    const whole = await folder.crashAlone(program, ['0x33']);
    assert.doesNotMatch(await value(whole), /core file/);
    const bytes = readFileSync(whole);
    const data = readCore(new BytesSource(bytes)).segments.find(({ writable }) => writable);
    const cut = join(folder.path, 'core.cut');
    writeFileSync(cut, bytes.subarray(0, data!.offset));
    assert.match(await value(cut), /^the core file is truncated before the data of .*\/counts\b/);
    const small = await folder.crashAlone(program, ['0x10']);
    assert.match(await value(small), /^the core file holds no memory that the program has written to/);
  } finally {
    workshop.close();
    folder.remove();
  }
});

it('a core file that gdb wrote at a breakpoint is of a process that lived on', async () => {
  const workshop = openWorkshop();
  try {
    const program = workshop.compile('stops', 'int main(void) { return 0; }', 'gcc', ['-g']);
    const core = join(workshop.directory, 'core.stops');
    const commands = ['break main', 'run', `gcore ${core}`, 'kill'].flatMap((command) => ['-ex', command]);
    execFileSync('gdb', ['-nx', '-batch', ...commands, program], { stdio: 'ignore', timeout: 30_000 });
    const [rank] = (await info(core)).document.ranks;
    assert.ok(rank && 'answers' in rank && !('crash' in rank), JSON.stringify(rank));
  } finally {
    workshop.close();
  }
});
