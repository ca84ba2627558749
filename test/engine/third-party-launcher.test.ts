/** A job of an MPI that is invented here: its ranks, their threads and output are known by the facts of its plugin alone. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PluginRegistry } from '../../plugin-api/plugins/registry';
import type { MpiPlugin } from '../../plugin-api/mpi/plugin';
import { localHost } from '../../adapter/hosts/local-host';
import { ranksOfLauncher } from '../../adapter/launchers/launcher-tree';
import { openWorkshop } from '../support/compile';
import { LaunchedSample, left } from './job-support';

const foompi: MpiPlugin = {
  name: 'foompi',
  libraries: /\/libfoompi\.so/,
  below: [{ title: 'Foo transport', libraries: /\/libfoonet\.so/ }],
  launchers: [
    {
      names: ['foorun'],
      file: /^foorun$/,
      options: ({ ranks }) => [`--label=${ranks}`],
      outputTag: { markOrEnd: /\n|<foo (\d+)>/g, beginning: /<(f|fo|foo|foo \d*)?$/ },
    },
  ],
  environment: { rank: ['FOO_RANK'], size: ['FOO_SIZE'], world: ['FOO_JOB'], prefixes: ['FOO_'] },
  open: () => Promise.resolve(undefined),
};

/** foorun --label=N -n N PROGRAM...: the last rank first, so that their order tells nothing. */
const foorun = `#!/bin/sh
shift 3
export FOO_SIZE=3 FOO_JOB=tuesday
for rank in 2 1 0; do
  (FOO_RANK=$rank "$@" | sed -u "s/^/<foo $rank>/") &
done
wait
`;

const transport = `
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>
static sem_t runs;
static void *progress(void *unused) { sem_post(&runs); for (;;) pause(); return unused; }
void foo_start(void) { pthread_t thread; sem_init(&runs, 0, 0); pthread_create(&thread, 0, progress, 0); sem_wait(&runs); }
`;

const program = `
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
void foo_start(void);
void work(void) { printf("rank %s of %s\\n", getenv("FOO_RANK"), getenv("FOO_SIZE")); fflush(stdout); }
int main(int argc, char **argv) { foo_start(); work(); if (argc > 1) pause(); return argv == 0; }
`;

describe('a job of a third party’s MPI', () => {
  const workshop = openWorkshop();
  const { directory } = workshop;
  const plugins = new PluginRegistry([foompi]);
  let path: string;
  const launcher = join(directory, 'bin', 'foorun');

  before(() => {
    mkdirSync(join(directory, 'bin'));
    writeFileSync(launcher, foorun);
    chmodSync(launcher, 0o755);
    const library = workshop.compile('libfoonet.so.1', transport, 'gcc', ['-shared', '-fPIC', '-pthread']);
    path = workshop.compile('with-foo', program, 'gcc', ['-g', library, `-Wl,-rpath,${directory}`]);
  });
  after(() => workshop.close());

  it('is launched: its ranks have their numbers, helper threads and output', async () => {
    const programs = [{ program: path, args: [], ranks: 3 }];
    const sample = await LaunchedSample.launch('openmpi', 'ring', { launcher, programs, plugins });
    const { job } = sample;
    try {
      assert.deepEqual(
        job.ranks.map(({ number, worldSize }) => [number, worldSize]),
        [0, 1, 2].map((number) => [number, 3]),
      );
      await job.breakpoints.replaceFunctions([{ kind: 'function', function: 'work' }]);
      await sample.stopsAfter(() => job.start({ stopAtEntry: false }));
      for (const { threads } of job.ranks)
        assert.deepEqual(
          threads.map(({ role }) => role?.helperOf),
          [undefined, 'Foo transport'],
        );
      await job.continue(job.ranks);
      assert.deepEqual(await sample.ended(), { exitCode: 0, signal: undefined });
      for (const rank of [0, 1, 2]) assert.equal(sample.text(rank), `rank ${rank} of 3\n`);
    } finally {
      await job.release();
    }
    assert.deepEqual(left(job.ranks.map(({ pid }) => pid)), []);
  });

  it('is found below its launcher', async () => {
    const job = spawn(launcher, ['--label=3', '-n', '3', path, 'waits'], {
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    try {
      const lines = createInterface({ input: job.stdout })[Symbol.asyncIterator]();
      for (let line = 0; line < 3; line++) await lines.next();
      const pids = await ranksOfLauncher(localHost, job.pid!, plugins.known);
      assert.equal(pids.length, 3);
      await assert.rejects(ranksOfLauncher(localHost, job.pid!), /has no MPI ranks below it/, 'by nothing else');
    } finally {
      process.kill(-job.pid!, 'SIGKILL');
      await once(job, 'exit');
    }
  });
});
