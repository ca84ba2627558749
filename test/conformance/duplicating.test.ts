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
const message: Record<Mpi, RegExp> = {
  openmpi: /^being made by MPI_Mprobe, or overwritten$/,
  mpich: /^MPI_MESSAGE_NULL$/,
};

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
        const isMaking = async () => message[mpi].test(halfMade(await show(['half_made'], live)));
        await eventually('MPI_Mprobe has taken its message', isMaking);
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
  }).timeout(300_000);
}

async function check(mpi: Mpi, job: SampleJob, rank: number, target: string[]): Promise<void> {
  const { live } = job.live.find((each) => each.rank === rank)!;
  const place = `rank ${rank} ${target.join(' ')}`;
  const pending = Array.from({ length: duplicates }, (_, i) => `pending[${i}]`);
  const shown = await show([...pending, 'half_made'], target);
  assert.deepEqual(
    shown.slice(0, -1).map((answer) => {
      assert.equal(answer.code, 'MPIDBG_SUCCESS', `${place}: ${JSON.stringify(answer)}`);
      const { handle, active, complete, flags } = answer.info as RequestInfo;
      return { handle, active, complete, flags };
    }),
    live.request!.map((handle) => ({ handle, active: true, complete: false, flags: [] })),
    place,
  );
  assert.match(halfMade(shown.slice(-1)), message[mpi], place);
  const kinds = ['request', 'message'] as const;
  const listed = await answers(['handles', ...kinds, ...target]);
  for (const kind of kinds) assert.deepEqual(ownHandles(listed, kind), [...live[kind]!].sort(), `${place}: ${kind}`);
}

function show(expressions: string[], target: string[]): Promise<Answer[]> {
  return answers(['show', ...expressions, ...target]);
}

/** What the message that MPI_Mprobe makes is said to be. */
function halfMade([answer]: readonly Answer[]): string {
  assert.ok(answer !== undefined);
  if (answer.code !== 'MPIDBG_SUCCESS') return answer.reason;
  const { name } = answer.info as Info<string>;
  return typeof name === 'string' ? name : name.reason;
}

function ownHandles(listed: readonly Answer[], kind: HandleKind): string[] {
  return listed
    .flatMap((answer) => {
      if (answer.code !== 'MPIDBG_SUCCESS' || answer.kind !== kind) return [];
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
