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
    said: { openmpi: /^being made by MPI_Mprobe, or overwritten$/ },
  },
  {
    call: 'MPI_Comm_idup',
    variable: 'blocked_comm',
    kind: 'comm',
    said: { openmpi: /^being made by a call that makes communicators, or overwritten$/ },
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
        // The call has made its steps when it has taken what it makes. Without words for it nothing tells when.
        const isMaking = (answer: Answer): boolean => said[mpi]?.test(failureIn(answer)) ?? true;
        let inRank: Answer | undefined;
        await eventually(`${call} makes ${variable}`, async () => isMaking((inRank = await show(variable, live))));
        const cores = ['--core', ...(await folder.gcore([pid!]))];
        assert.ok(isMaking(await show(variable, cores)));
        const [inCall, inCore] = [await handles(kind, live), await handles(kind, cores)];
        assert.deepEqual(inCore, inCall);
        const kept = job.truth.filter((each) => each.rank === 0 && each.told?.kind === kind);
        for (const { told } of kept) assert.ok(inCall.includes(told!.info['handle'] as string), `${kind} kept`);
        const made = inRank && handleIn(inRank);
        assert.ok(made === undefined || !inCall.includes(made), `${made} is listed`);
        await job.finish();
      } finally {
        await job.kill();
        folder.remove();
      }
    }).timeout(300_000);
  }
}

/** MPICH says which call it is. Of intercommunicators, too, whose context may be agreed on in a part of the group only. */
const makers: Record<Mpi, RegExp> = {
  openmpi: /^being made by a call that makes communicators, or overwritten$/,
  mpich: /^being made by MPI_Comm_idup(, or overwritten)?$/,
};

for (const mpi of allMpis) {
  it(`what MPI_Comm_idup of ${mpi} makes in places of freed communicators, live and from cores`, async () => {
    const folder = new CoreFolder();
    const job = await SampleJob.startWaiting(mpi, 'duplicates', { ranks: 3 });
    try {
      await checkDuplicates(mpi, job, ['--launcher', String(job.launcherPid)]);
      await checkDuplicates(mpi, job, ['--core', ...(await folder.gcore(job.pids))]);
      await job.finish();
    } finally {
      await job.kill();
      folder.remove();
    }
  }).timeout(300_000);
}

/** Those that are being made are told so and not listed; the complete one is what the program says. */
async function checkDuplicates(mpi: Mpi, job: SampleJob, target: string[]): Promise<void> {
  const shown = await answersByRank(['show', 'complete', 'pending[0]', 'pending[1]', 'pending[2]', ...target]);
  const listed = await answersByRank(['handles', 'comm', ...target]);
  assert.deepEqual([shown.length, listed.length], [job.pids.length, job.pids.length]);
  for (const [rank, [complete, ...pending]] of shown.entries()) {
    if (rank < job.pids.length - 1)
      for (const answer of pending) assert.match(failureIn(answer), makers[mpi], `rank ${rank}: ${answer.expression}`);
    const truth = job.truth.filter((each) => each.rank === rank);
    assertAgree(compareFacts(truth, [complete!], mpi), 10);
    const { live } = job.live.find((each) => each.rank === rank)!;
    const own = listed[rank]!.filter((answer) => !isPredefined(answer));
    assert.deepEqual(handlesIn(own).sort(), [...live.comm!].sort(), `rank ${rank}`);
  }
}

/** The answers of all ranks of the target, in their order. */
async function answersByRank(args: string[]): Promise<Answer[][]> {
  const { stdout } = await runCli([...args, '--json']);
  return (JSON.parse(stdout) as Document).ranks.map((rank) => {
    assert.ok('answers' in rank, stdout);
    return rank.answers;
  });
}

async function show(variable: string, target: string[]): Promise<Answer> {
  const [[answer] = []] = await answersByRank(['show', variable, ...target]);
  assert.ok(answer !== undefined, variable);
  return answer;
}

async function handles(kind: string, target: string[]): Promise<string[]> {
  const [listed = []] = await answersByRank(['handles', kind, ...target]);
  return handlesIn(listed);
}

/** Why it stands for no object; else the answer. */
function failureIn(answer: Answer): string {
  return answer.code === 'MPIDBG_ERR_NOT_FOUND' ? answer.reason : JSON.stringify(answer);
}

/** The handle of an object that the program may have made. */
function handleIn(answer: Answer): string | undefined {
  return answer.code === 'MPIDBG_SUCCESS' && 'handle' in answer.info && !isPredefined(answer)
    ? answer.info.handle
    : undefined;
}

function isPredefined(answer: Answer): boolean {
  return (
    answer.code === 'MPIDBG_SUCCESS' && 'flags' in answer.info && (answer.info.flags as string[]).includes('predefined')
  );
}

function handlesIn(listed: readonly Answer[]): string[] {
  return listed.flatMap((answer) =>
    answer.code === 'MPIDBG_SUCCESS' && 'handle' in answer.info ? [answer.info.handle] : [],
  );
}
