/** mpidbg ompt: what a program built by gcc says of its OpenMP threads, on LLVM's runtime, against what is told of them. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HangDocument } from '../../plugin-api/hang/hang-records';
import type { Ompt, OmptThread } from '../../plugin-api/overlays/ompt-records';
import type { OverlayDocument } from '../../plugin-api/overlays/records';
import { isUnavailable } from '../../plugin-api/result';
import { CoreFolder } from '../support/core-files';
import { openWorkshop } from '../support/compile';
import { patienceMs } from '../support/patience';
import { eventually } from '../support/process-state';
import { runCli } from '../support/run-cli';
import { eitherMpi, markerLine, SampleJob } from '../support/sample-job';

interface OwnThreads {
  rank: number;
  /** The kernel's numbers, by the number in the team. */
  threads: number[];
  lock: string;
  counts: { parallel_begin: number; parallel_end: number; task_create: number; lock_init: number; criticals: number };
}

function ownThreads(job: SampleJob): OwnThreads[] {
  const prefix = 'OPENMP ';
  const lines = job.printed.filter((line) => line.startsWith(prefix));
  return lines.map((line) => JSON.parse(line.slice(prefix.length)) as OwnThreads).sort((a, b) => a.rank - b.rank);
}

async function askOmpt(args: readonly string[]): Promise<Ompt[]> {
  const { stdout, stderr, status } = await runCli(['ompt', ...args, '--json']);
  assert.equal(status, 0, stderr + stdout);
  return (JSON.parse(stdout) as OverlayDocument).ranks.map((rank) => {
    assert.ok('collector' in rank && rank.ompt !== undefined && !isUnavailable(rank.ompt), JSON.stringify(rank));
    return rank.ompt;
  });
}

/** Each thread says where it will wait before it waits there. */
async function untilAllWait(args: readonly string[]): Promise<void> {
  for (const end = Date.now() + patienceMs; Date.now() < end; await sleep(100)) {
    const ranks = await askOmpt(args);
    if (ranks.every(({ threads }) => threads.filter(({ waitsFor }) => waitsFor !== undefined).length === 2)) return;
  }
  throw new Error('the threads do not wait');
}

function line(thread: OmptThread | undefined, of: 'parallel' | 'waitsFor'): number | undefined {
  return thread?.[of]?.code?.line;
}

function assertSame(job: SampleJob, ranks: readonly Ompt[]): void {
  const own = ownThreads(job);
  assert.equal(own.length, 2);
  own.forEach(({ threads, lock, counts }, i) => {
    const ompt = ranks[i]!;
    const [main, holder, waiter, early] = threads.map((number) => ompt.threads.find(({ thread }) => thread === number));
    const region = markerLine('openmp.c', 'region');
    for (const [index, thread] of [main, holder, waiter, early].entries()) {
      assert.deepEqual(
        [thread?.parallel?.index, thread?.parallel?.teamSize, thread?.parallel?.requested, line(thread, 'parallel')],
        [index, 4, 4, region],
      );
      assert.equal(thread?.type, index === 0 ? 'initial' : 'worker');
      assert.deepEqual(thread.task?.flags, ['implicit']);
    }
    assert.deepEqual(
      [main, holder, waiter].map((thread) => thread?.state),
      ['work_parallel', 'work_parallel', 'wait_lock'],
    );
    assert.match(early?.state ?? '', /^wait_barrier/);
    assert.deepEqual([early?.waitsFor?.kind, line(early, 'waitsFor')], ['barrier', markerLine('openmp.c', 'barrier')]);
    assert.deepEqual([waiter?.waitsFor?.kind, waiter?.waitsFor?.waitId], ['lock', lock]);
    assert.equal(line(waiter, 'waitsFor'), markerLine('openmp.c', 'lock wanted'));
    const held = [main, holder, waiter, early].map((thread) =>
      thread?.holds.map(({ kind, waitId, code }) => [kind, waitId, code?.line]),
    );
    assert.deepEqual(held, [[], [['lock', lock, markerLine('openmp.c', 'lock taken')]], [], []]);
    const called = new Map(ompt.callbacks.map((callback) => [callback.name, callback.called]));
    for (const name of ['parallel_begin', 'parallel_end', 'task_create', 'lock_init'] as const)
      assert.equal(called.get(name), counts[name], name);
    // The criticals, and the lock.
    assert.equal(called.get('mutex_acquired'), counts.criticals + 1);
    assert.ok(ompt.records.every(({ time }) => time >= 0));
    const begins = ompt.records.filter(({ type }) => type === 'parallel_begin');
    assert.equal(begins.length, counts.parallel_begin);
    assert.equal(begins.at(-1)?.code?.line, region);
    assert.equal(begins[0]?.code?.line, markerLine('openmp.c', 'warm-up'));
  });
}

for (const mpi of eitherMpi('openmp')) {
  describe(`openmp of ${mpi}`, () => {
    const folder = new CoreFolder();
    let job: SampleJob;
    let target: string[];
    before(async () => {
      // Built by gcc, whose runtime tells nothing: LLVM's is loaded in front of it.
      const { stdout } = await runCli(['collector', '--collect', 'ompt,calls', '--libomp', 'libomp.so.5']);
      job = await SampleJob.startWaiting(mpi, 'openmp', { ranks: 2, through: stdout.trim().split(' ') });
      target = ['--launcher', String(job.launcherPid)];
      await untilAllWait(target);
    });
    after(async () => {
      await (job as SampleJob | undefined)?.kill();
      folder.remove();
    });

    it('is told thread by thread while it runs, and in core files', async () => {
      assertSame(job, await askOmpt(['--last', '1000', ...target]));
      assertSame(job, await askOmpt(['--last', '1000', '--core', ...(await folder.gcore(job.pids))]));
    });

    it('is told in sentences, with the MPI call of each thread', async () => {
      const { stdout } = await runCli(['ompt', ...target]);
      const [{ lock }] = ownThreads(job) as [OwnThreads];
      const at = (marker: string): string => `openmp.c:${markerLine('openmp.c', marker)}`;
      assert.ok(stdout.includes(`in MPI_Recv from 1 tag 7 on MPI_COMM_WORLD at ${at('receive')}`), stdout);
      assert.ok(
        stdout.includes(`waits at ${at('lock wanted')} for the lock ${lock} that thread 1 took at ${at('lock taken')}`),
        stdout,
      );
      assert.ok(
        stdout.includes(
          `waits in the barrier at ${at('barrier')} of the region at ${at('region')} for threads 0, 1 and 2`,
        ),
        stdout,
      );
    });

    it('is below its region in merged stacks', async () => {
      const { stdout } = await runCli(['stacks', ...target]);
      const at = (marker: string): string => `openmp.c:${markerLine('openmp.c', marker)}`;
      const [main, ...below] = stdout.split('\n').filter((each) => /^0-1.* main \(/.test(each));
      assert.equal(main, `0-1 (8 threads)  main (${at('region')})`, stdout);
      assert.equal(below.length, 4, stdout);
      for (const each of below) assert.ok(each.endsWith(`, OpenMP region at ${at('region')})`), stdout);
      assert.ok(below.some((each) => each.includes(`main (${at('barrier')}, `)));
    });

    it('is written as a trace and as rows', async () => {
      const trace = join(folder.path, `${mpi}.json`);
      const { status, stderr } = await runCli(['ompt', '--trace', trace, ...target]);
      assert.equal(status, 0, stderr);
      const { traceEvents } = JSON.parse(readFileSync(trace, 'utf8')) as {
        traceEvents: { ph: string; name: string }[];
      };
      const regions = traceEvents.filter(({ name }) => name === 'parallel').map(({ ph }) => ph);
      const [{ counts }] = ownThreads(job) as [OwnThreads];
      // Two ranks have regions that have ended, and the one that all are in.
      assert.equal(regions.filter((ph) => ph === 'X').length, 2 * counts.parallel_end);
      assert.equal(regions.filter((ph) => ph === 'B').length, 2 * (counts.parallel_begin - counts.parallel_end));
      const piped = await runCli(['ompt', '--trace', '-', ...target]);
      assert.deepEqual((JSON.parse(piped.stdout) as { traceEvents: unknown }).traceEvents, traceEvents);
      const { stdout } = await runCli(['ompt', 'parallel_begin', '--csv', '-', ...target]);
      const [heading, ...rows] = stdout.trim().split('\n');
      assert.equal(heading, 'rank,thread,time,type,endpoint,fields,file,line');
      assert.equal(rows.length, 2 * counts.parallel_begin);
      assert.ok(
        rows.every(
          (row) =>
            row.endsWith(`,${markerLine('openmp.c', 'warm-up')}`) ||
            row.endsWith(`,${markerLine('openmp.c', 'region')}`),
        ),
      );
    });

    it('ends as it would without', async () => {
      await job.finish();
    });
  });
}

for (const mpi of eitherMpi('openmp')) {
  it(`a lock of OpenMP that a thread keeps in MPI_Recv of ${mpi} is why the job hangs`, async () => {
    const { stdout } = await runCli(['collector', '--collect', 'ompt', '--libomp', 'libomp.so.5']);
    const job = await SampleJob.startWaiting(mpi, 'locked', { ranks: 2, through: stdout.trim().split(' ') });
    try {
      let told: HangDocument | undefined;
      // The ranks say that they wait before they are where they stay.
      await eventually('the job hangs', async () => {
        const asked = await runCli(['hang', '--launcher', String(job.launcherPid), '--json']);
        told = JSON.parse(asked.stdout) as HangDocument;
        return told.verdict === 'deadlock';
      });
      assert.deepEqual([told?.type, told?.culprits], ['threads', [0]]);
      const at = (marker: string): string => `locked\\.c:${markerLine('locked.c', marker)}`;
      assert.match(
        told?.sentence ?? '',
        new RegExp(`waits at ${at('lock wanted')} for the lock that thread \\d+ took at ${at('lock taken')}`),
      );
      assert.match(told?.sentence ?? '', new RegExp(`waits in MPI_Recv \\(${at('receive under lock')}\\)`));
    } finally {
      await job.kill();
    }
  });
}

describe('mpidbg ompt without a runtime of its own', () => {
  /** Why the rank's OpenMP tells nothing. */
  const reasonOf = async (through: readonly string[], env: readonly string[] = []): Promise<string> => {
    const { stdout } = await runCli(['collector', '--collect', 'ompt', ...through]);
    const words = [...stdout.trim().split(' '), ...env].map((word) =>
      word.startsWith('LD_PRELOAD=') ? `${word}${preloaded.map((path) => `:${path}`).join('')}` : word,
    );
    const job = await SampleJob.startWaiting('openmpi', 'openmp', { ranks: 2, through: words });
    try {
      const asked = await runCli(['ompt', '--pid', String(job.pids[0]), '--json']);
      assert.equal(asked.status, 1);
      const [rank] = (JSON.parse(asked.stdout) as OverlayDocument).ranks;
      assert.ok(rank !== undefined && 'collector' in rank && isUnavailable(rank.ompt), asked.stdout);
      return rank.ompt.reason;
    } finally {
      await job.kill();
    }
  };
  let preloaded: string[] = [];

  it("says that GCC's tells nothing, and what to do", async () => {
    assert.match(
      await reasonOf([]),
      /libgomp, has no OMPT: start the job with LLVM's in its place: mpidbg run --libomp/,
    );
  });

  it('refuses a library in its place that has no OMPT, or that is no OpenMP runtime', async () => {
    for (const libomp of ['libgomp.so.1', 'libm.so.6']) {
      const { status, stdout, stderr } = await runCli([
        'run',
        ...['--collect', 'ompt', '--libomp', libomp],
        '--',
        'true',
      ]);
      assert.deepEqual({ status, stdout }, { status: 2, stdout: '' });
      assert.match(stderr, new RegExp(`^mpidbg: ${libomp} has no OMPT, [^\n]*: name LLVM's[^\n]*\n$`));
    }
  });

  it('stands back for another tool, and names it', async () => {
    const libomp = ['--libomp', 'libomp.so.5'];
    assert.match(
      await reasonOf(libomp, ['OMP_TOOL_LIBRARIES=/x/tool.so']),
      /another OMPT tool is already loaded.*\/x\/tool\.so/,
    );
    const workshop = openWorkshop();
    try {
      const tool = `#include <stddef.h>
        static int begin(void *a, int b, void *c) { (void)a; (void)b; (void)c; return 1; }
        static void end(void *a) { (void)a; }
        static struct { int (*begin)(void *, int, void *); void (*end)(void *); void *data; } result = {begin, end, NULL};
        void *ompt_start_tool(unsigned version, const char *runtime) { (void)version; (void)runtime; return &result; }`;
      preloaded = [workshop.compile('other-tool.so', tool, 'gcc', ['-shared', '-fPIC'])];
      assert.match(
        await reasonOf(libomp),
        /another OMPT tool is already loaded \(.*other-tool\.so\), so mpidbg collects nothing/,
      );
    } finally {
      preloaded = [];
      workshop.close();
    }
  });
});
