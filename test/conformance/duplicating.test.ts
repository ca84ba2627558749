/** Threads that are in the middle of MPI calls: what their calls make, and the requests they wait for, live and from cores. */
import assert from 'node:assert/strict';
import type { Answer, Document, HandleKind, Info, RequestInfo } from '../../plugin-api/mpi/records';
import { CoreFolder } from '../support/core-files';
import { eventually } from '../support/process-state';
import { runCli } from '../support/run-cli';
import { allMpis, SampleJob, type Mpi } from '../support/sample-job';
import { readVariable } from '../support/stopped-ranks';

const duplicates = 2;
/** MPICH takes a message only when it is there. */
const message: Record<Mpi, RegExp> = { openmpi: /^being made by MPI_Mprobe$/, mpich: /^MPI_MESSAGE_NULL$/ };

for (const mpi of allMpis) {
  it(`threads of ${mpi} that duplicate communicators and wait in MPI_Mprobe: what is pending, and what is half made`, async () => {
    const folder = new CoreFolder();
    const job = await SampleJob.startWaiting(mpi, 'duplicating', { ranks: 2 });
    try {
      const waiting = job.pids.slice(0, 1);
      for (const pid of waiting) {
        const live = ['--pid', String(pid)];
        await eventually(
          'all threads are in their calls',
          async () => (await readVariable(pid, 'threads_inside')) === duplicates + 1,
        );
        await eventually('MPI_Mprobe has taken its message', async () => message[mpi].test(await halfMade(live)));
      }
      // Each look finds the threads elsewhere.
      for (let look = 0; look < 2; look++)
        for (const [rank, pid] of waiting.entries()) await check(mpi, job, rank, ['--pid', String(pid)]);
      const cores = await folder.gcore(waiting);
      for (const [rank, core] of cores.entries()) await check(mpi, job, rank, ['--core', core]);
      await job.finish();
    } finally {
      await job.kill();
      folder.remove();
    }
  }).timeout(120_000);
}

async function check(mpi: Mpi, job: SampleJob, rank: number, target: string[]): Promise<void> {
  const { live } = job.live.find((each) => each.rank === rank)!;
  const place = `rank ${rank} ${target.join(' ')}`;
  const requests = await answers(['show', ...Array.from({ length: duplicates }, (_, i) => `pending[${i}]`), ...target]);
  assert.deepEqual(
    requests.map((answer) => {
      assert.equal(answer.code, 'MPIDBG_SUCCESS', `${place}: ${JSON.stringify(answer)}`);
      const { handle, active, complete, flags } = answer.info as RequestInfo;
      return { handle, active, complete, flags };
    }),
    live.request!.map((handle) => ({ handle, active: true, complete: false, flags: [] })),
    place,
  );
  assert.match(await halfMade(target), message[mpi], place);
  for (const kind of ['request', 'message'] as const)
    assert.deepEqual(await listed(kind, target), [...live[kind]!].sort(), `${place}: ${kind}`);
}

/** What the message that MPI_Mprobe makes is said to be. */
async function halfMade(target: string[]): Promise<string> {
  const [answer] = await answers(['show', 'half_made', ...target]);
  assert.ok(answer !== undefined);
  if (answer.code !== 'MPIDBG_SUCCESS') return answer.reason;
  const { name } = answer.info as Info<string>;
  return typeof name === 'string' ? name : name.reason;
}

async function listed(kind: HandleKind, target: string[]): Promise<string[]> {
  const all = await answers(['handles', kind, ...target]);
  return all
    .flatMap((answer) => {
      if (answer.code !== 'MPIDBG_SUCCESS') return [];
      const { handle, flags } = answer.info as Info<string>;
      return flags.includes('predefined') ? [] : [handle];
    })
    .sort();
}

async function answers(args: string[]): Promise<Answer[]> {
  const { stdout } = await runCli([...args, '--json']);
  const [rank] = (JSON.parse(stdout) as Document).ranks;
  assert.ok(rank !== undefined && 'answers' in rank, stdout);
  return rank.answers;
}
