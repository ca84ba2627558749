/** `mpidbg handles` right before MPI_Finalize, of a program that forgot to free some of its handles. */
import assert from 'node:assert/strict';
import type { Answer, Document, HandleKind, Info } from '../../plugin-api/mpi/records';
import { runCli } from '../support/run-cli';
import { allMpis, SampleJob, type Mpi } from '../support/sample-job';

/** The kinds whose list holds what the program made, and nothing of the library's own. */
const exactKinds: Record<Mpi, HandleKind[]> = {
  openmpi: ['errhandler', 'op', 'win', 'message', 'request', 'info'],
  mpich: ['comm', 'datatype', 'errhandler', 'group', 'info', 'message', 'op', 'request', 'win'],
};

/** Those with more: a communicator's groups are objects, too. */
const inclusiveKinds: Record<Mpi, HandleKind[]> = { openmpi: ['comm', 'group'], mpich: [] };

/** What is listed as more than one kind: in MPICH a message is a request. */
const alsoListed: Record<Mpi, Partial<Record<HandleKind, HandleKind>>> = { openmpi: {}, mpich: { request: 'message' } };

for (const mpi of allMpis) {
  it(`mpidbg handles lists what a program of ${mpi} has left`, async () => {
    const job = await SampleJob.startWaiting(mpi, 'leaks');
    try {
      const asked = await runCli(['handles', '--launcher', String(job.launcherPid), '--json']);
      const document = JSON.parse(asked.stdout) as Document;
      assert.equal(job.live.length, 4, 'each rank tells what it has left');
      for (const { rank, live } of job.live) {
        const entry = document.ranks.find((candidate) => candidate.rank === rank);
        assert.ok(entry !== undefined && 'answers' in entry, `rank ${rank}: ${JSON.stringify(entry)}`);
        for (const kind of exactKinds[mpi]) {
          const other = alsoListed[mpi][kind];
          const made = [...(live[kind] ?? []), ...((other && live[other]) ?? [])].sort();
          assert.deepEqual(listed(entry.answers, kind), made, `rank ${rank}: ${kind}`);
        }
        for (const kind of inclusiveKinds[mpi]) {
          const found = listed(entry.answers, kind);
          const missing = (live[kind] ?? []).filter((handle) => !found.includes(handle));
          assert.deepEqual(missing, [], `rank ${rank}: ${kind} missing in ${found.join(' ')}`);
        }
      }
      await job.finish();
    } finally {
      await job.kill();
    }
  });
}

/** The handles of a kind that are not predefined. An object that cannot be read is one too many. */
function listed(answers: Answer[], kind: HandleKind): string[] {
  const handles = answers.flatMap((answer) => {
    if (answer.kind !== kind) return [];
    if (answer.code !== 'MPIDBG_SUCCESS') return [`${answer.code}: ${answer.reason}`];
    const { handle, flags } = answer.info as Info<string>;
    return flags.includes('predefined') ? [] : [handle];
  });
  return handles.sort();
}
