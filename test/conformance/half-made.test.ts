/** A rank that waits in a call that makes an object tells it as being made, and lists it nowhere: live, and in its core. */
import assert from 'node:assert/strict';
import type { Answer, Document } from '../../plugin-api/mpi/records';
import { assertAgree, compareFacts } from '../support/compare-facts';
import { CoreFolder } from '../support/core-files';
import { eventually } from '../support/process-state';
import { runCli } from '../support/run-cli';
import { allMpis, SampleJob, type Mpi } from '../support/sample-job';
import { readVariable } from '../support/stopped-ranks';

/** What `show` says of the variable: MPICH takes a message only when it is there. */
const cases: readonly { call: string; variable: string; kind: string; said: Partial<Record<Mpi, RegExp>> }[] = [
  {
    call: 'MPI_Mprobe',
    variable: 'blocked_message',
    kind: 'message',
    said: { openmpi: /^being made by MPI_Mprobe$/ },
  },
  {
    call: 'MPI_Comm_idup',
    variable: 'blocked_comm',
    kind: 'comm',
    said: { openmpi: /^being made by a call that makes communicators$/ },
  },
];

for (const mpi of allMpis) {
  for (const { call, variable, kind, said } of cases) {
    it(`a rank of ${mpi} in ${call} lists nothing that it makes, live and from its core`, async () => {
      const folder = new CoreFolder();
      const job = await SampleJob.startWaiting(mpi, 'blocked', { ranks: 2, args: [call] });
      try {
        const [pid] = job.pids;
        await eventually(`rank 0 is in ${call}`, async () => (await readVariable(pid!, 'blocked_step')) === 1);
        const live = ['--pid', String(pid)];
        // The call has made its steps when it has taken what it makes.
        await eventually(`${call} makes ${variable}`, async () => (await failure(variable, live, said[mpi])) === '');
        const [core] = [...(await folder.gcore([pid!])).values()];
        const cores = ['--core', core!];
        assert.equal(await failure(variable, cores, said[mpi]), '');
        const [inCall, inCore] = [await handles(kind, live), await handles(kind, cores)];
        assert.deepEqual(inCore, inCall);
        const kept = job.truth.filter((each) => each.rank === 0 && each.told?.kind === kind);
        for (const { told } of kept) assert.ok(inCall.includes(told!.info['handle'] as string), `${kind} kept`);
        const made = await handleIn(variable, live);
        assert.ok(made === undefined || !inCall.includes(made), `${made} is listed`);
        await job.finish();
      } finally {
        await job.kill();
        folder.remove();
      }
    }).timeout(120_000);
  }
}

/** MPICH says which call it is. Of intercommunicators, too, whose context may be agreed on in a part of the group only. */
const makers: Record<Mpi, RegExp> = {
  openmpi: /^being made by a call that makes communicators$/,
  mpich: /^being made by MPI_Comm_idup$/,
};

for (const mpi of allMpis) {
  it(`what MPI_Comm_idup of ${mpi} makes in places of freed communicators, live and from cores`, async () => {
    const folder = new CoreFolder();
    const job = await SampleJob.startWaiting(mpi, 'duplicates', { ranks: 3 });
    try {
      const live = job.pids.map((pid) => ['--pid', String(pid)]);
      for (const [rank, target] of live.entries()) await checkDuplicates(mpi, job, rank, target);
      const cores = await folder.gcore(job.pids);
      for (const [rank, core] of cores.entries()) await checkDuplicates(mpi, job, rank, ['--core', core]);
      await job.finish();
    } finally {
      await job.kill();
      folder.remove();
    }
  }).timeout(120_000);
}

/** Those that are being made are told so and not listed; the complete one is what the program says. */
async function checkDuplicates(mpi: Mpi, job: SampleJob, rank: number, target: string[]): Promise<void> {
  if (rank < job.pids.length - 1)
    for (const variable of ['pending[0]', 'pending[1]', 'pending[2]'])
      assert.equal(await failure(variable, target, makers[mpi]), '', `rank ${rank}: ${variable}`);
  const truth = job.truth.filter((each) => each.rank === rank);
  assertAgree(compareFacts(truth, await answers(['show', 'complete', ...target]), mpi), 10);
  const { live } = job.live.find((each) => each.rank === rank)!;
  const listed = await ownHandles('comm', target);
  assert.deepEqual(listed.sort(), [...live.comm!].sort(), `rank ${rank}`);
}

async function answers(args: string[]): Promise<Answer[]> {
  const { stdout } = await runCli([...args, '--json']);
  const [rank] = (JSON.parse(stdout) as Document).ranks;
  assert.ok(rank !== undefined && 'answers' in rank, stdout);
  return rank.answers;
}

/** Empty: the answer is as wanted; without a wish, that it is no object of the program's. */
async function failure(variable: string, target: string[], wanted: RegExp | undefined): Promise<string> {
  const [answer] = await answers(['show', variable, ...target]);
  if (wanted === undefined) return '';
  const found = answer?.code === 'MPIDBG_ERR_NOT_FOUND' ? answer.reason : JSON.stringify(answer);
  return wanted.test(found) ? '' : found;
}

async function handleIn(variable: string, target: string[]): Promise<string | undefined> {
  const [answer] = await answers(['show', variable, ...target]);
  return answer?.code === 'MPIDBG_SUCCESS' && 'handle' in answer.info && !isPredefined(answer)
    ? answer.info.handle
    : undefined;
}

function isPredefined(answer: Answer): boolean {
  return (
    answer.code === 'MPIDBG_SUCCESS' && 'flags' in answer.info && (answer.info.flags as string[]).includes('predefined')
  );
}

/** The handles that are not predefined. */
async function ownHandles(kind: string, target: string[]): Promise<string[]> {
  const listed = await answers(['handles', kind, ...target]);
  return listed.flatMap((answer) =>
    answer.code === 'MPIDBG_SUCCESS' && 'handle' in answer.info && !isPredefined(answer) ? [answer.info.handle] : [],
  );
}

async function handles(kind: string, target: string[]): Promise<string[]> {
  const listed = await answers(['handles', kind, ...target]);
  return listed.flatMap((answer) =>
    answer.code === 'MPIDBG_SUCCESS' && 'handle' in answer.info ? [answer.info.handle] : [],
  );
}
