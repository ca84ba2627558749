/** A rank that waits in a call that makes an object tells it as being made, and lists it nowhere: live, and in its core. */
import assert from 'node:assert/strict';
import type { Answer, Document } from '../../plugin-api/mpi/records';
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

async function handles(kind: string, target: string[]): Promise<string[]> {
  const listed = await answers(['handles', kind, ...target]);
  return listed.flatMap((answer) =>
    answer.code === 'MPIDBG_SUCCESS' && 'handle' in answer.info ? [answer.info.handle] : [],
  );
}
