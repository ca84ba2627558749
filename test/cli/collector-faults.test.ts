/** A program with the collector in it does what it does without, whatever that is. */
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync } from 'node:fs';
import { basename, join } from 'node:path';
import { openWorkshop, type Workshop } from '../support/compile';
import { OrdinaryUser } from '../support/ordinary-user';
import { runCli } from '../support/run-cli';
import { eitherMpi, launchers, type Mpi, samplePath } from '../support/sample-job';

/** How tool-faults ends without a tool: with this status or signal, after having told these lines (the first number is 1 where the collector is there). */
const cases: Record<string, { end: number | NodeJS.Signals; lines: string[] }> = {
  none: { end: 0, lines: ['0 no MPI 0'] },
  fork: { end: 0, lines: ['0 child 1', '1 parent 7'] },
  exec: { end: 0, lines: ['0 no MPI 0'] },
  communicators: { end: 0, lines: ['1 made 1600'] },
  'ten-thousand': { end: 0, lines: ['1 made 10000'] },
  threads: { end: 0, lines: ['1 sum 316800'] },
  plain: { end: 0, lines: ['1 started 1'] },
  'locked-memory': { end: 0, lines: ['1 started 1'] },
  'file-size': { end: 0, lines: ['0 started 1'] },
  exit: { end: 3, lines: ['1 started 1'] },
  abort: { end: 'SIGABRT', lines: ['1 started 1'] },
  kill: { end: 'SIGKILL', lines: ['1 started 1'] },
};

interface Ended {
  end: number | NodeJS.Signals;
  lines: string[];
}

/** Alone, without a launcher. */
async function run(mpi: Mpi, name: string, added: NodeJS.ProcessEnv): Promise<Ended> {
  const env = { ...process.env, ...launchers[mpi].env, MPIDBG_TOOL_MEMORY: 'memfd:mpidbg-collector', ...added };
  return ended(spawn(samplePath(mpi, 'tool-faults'), [name], { env, stdio: ['ignore', 'pipe', 'ignore'] }));
}

async function ended(program: ChildProcess): Promise<Ended> {
  let said = '';
  program.stdout!.on('data', (text: Buffer) => (said += text.toString()));
  const signal = AbortSignal.timeout(60_000);
  const [status, by] = (await once(program, 'close', { signal })) as [number | null, NodeJS.Signals | null];
  return { end: by ?? status ?? -1, lines: said.split('\n').filter((line) => line !== '') };
}

async function collectorEnvironment(): Promise<NodeJS.ProcessEnv> {
  const { stdout } = await runCli(['collector']);
  return Object.fromEntries(
    stdout
      .trim()
      .split(' ')
      .slice(1)
      .map((word) => word.split('=') as [string, string]),
  );
}

/** Tells that a call has reached it, ends the limit on memory, and goes on. */
const otherTool = `#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <sys/resource.h>
int MPI_Init(int *argc, char ***argv)
{
    int (*next)(int *, char ***);
    struct rlimit limit;
    getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_AS, &limit);
    *(void **)&next = dlsym(RTLD_NEXT, "MPI_Init");
    puts("other tool");
    return next(argc, argv);
}
`;

for (const mpi of eitherMpi('collector faults')) {
  describe(`a program of ${mpi} with the collector`, () => {
    let collector: NodeJS.ProcessEnv;
    let workshop: Workshop;
    before(async () => {
      collector = await collectorEnvironment();
      workshop = openWorkshop();
    });
    after(() => workshop.close());

    for (const [name, { end, lines }] of Object.entries(cases))
      it(`ends as it does without: ${name}`, async () => {
        const ended = await run(mpi, name, collector);
        // The limit that ends the library itself: Open MPI 5 writes larger files.
        const isItself = ended.end === 'SIGXFSZ' && (await run(mpi, name, {})).end === ended.end;
        if (!isItself) assert.deepEqual(ended, { end, lines });
      });

    it('may use MPI_T itself, and finalise it', async () => {
      const [without, withIt] = [await run(mpi, 'own-tool', {}), await run(mpi, 'own-tool', collector)];
      assert.equal(withIt.end, 0);
      assert.deepEqual(
        withIt.lines,
        without.lines.map((line) => line.replace(/^0/, '1')),
      );
    });

    it('stands beside another tool, on either side of it', async () => {
      const other = workshop.compile('other.so', otherTool, 'gcc', ['-shared', '-fPIC', '-ldl']);
      for (const order of [`${other}:${collector.LD_PRELOAD}`, `${collector.LD_PRELOAD}:${other}`]) {
        const { end, lines } = await run(mpi, 'plain', { ...collector, LD_PRELOAD: order });
        assert.deepEqual({ end, lines }, { end: 0, lines: ['other tool', '1 started 1'] });
      }
    });

    it('goes on without it when there is no memory for its region', async () => {
      const other = workshop.compile('lifting.so', otherTool, 'gcc', ['-shared', '-fPIC', '-ldl']);
      const preload = { ...collector, LD_PRELOAD: `${collector.LD_PRELOAD}:${other}` };
      const { end, lines } = await run(mpi, 'address-space', preload);
      assert.deepEqual({ end, lines }, { end: 0, lines: ['other tool', '0 started 1'] });
    });

    it('may use sessions only, and is collected where there are such', async () => {
      const hasSessions = mpi === 'mpich';
      const without = await run(mpi, 'session', {});
      assert.deepEqual(without, { end: 0, lines: [hasSessions ? '0 session 1' : '0 session 0'] });
      const withIt = await run(mpi, 'session', collector);
      assert.deepEqual(withIt, { end: 0, lines: [hasSessions ? '1 session 1' : '0 session 0'] });
    });

    // Only root can make a program that others run with its rights.
    if (process.getuid?.() === 0)
      it('is not preloaded into one that runs with the rights of another user', async () => {
        const user = new OrdinaryUser();
        try {
          const program = user.copyOfProgram(samplePath(mpi, 'tool-faults'));
          chmodSync(program, 0o4755);
          const libraries = (collector.LD_PRELOAD ?? '').split(':');
          const copies = libraries.map((library) => join(user.home, basename(library)));
          libraries.forEach((library, i) => cpSync(library, copies[i]!));
          const readable = copies.join(':');
          for (const added of [{}, { ...collector, LD_PRELOAD: readable }]) {
            const { uid, gid, cwd, env } = user.spawnOptions;
            const options = { ...{ uid, gid, cwd }, env: { ...env, ...launchers[mpi].env, ...added } };
            assert.deepEqual(await ended(spawn(program, ['none'], options)), { end: 0, lines: ['0 no MPI 0'] });
          }
        } finally {
          user.remove();
        }
      });
  });
}

it('a program without a dynamic loader runs as it does without the collector', async () => {
  const workshop = openWorkshop();
  try {
    const source = '#include <stdio.h>\nint main(void) { puts("static"); return 4; }\n';
    const program = workshop.compile('static', source, 'gcc', ['-static']);
    const env = { ...process.env, ...(await collectorEnvironment()) };
    assert.deepEqual(await ended(spawn(program, [], { env })), { end: 4, lines: ['static'] });
  } finally {
    workshop.close();
  }
});
