/** `mpidbg handles` right before MPI_Finalize and in it, of a program that forgot to free some of its handles. */
import assert from 'node:assert/strict';
import type {
  Answer,
  Document,
  HandleKind,
  HandleRef,
  Info,
  RankAnswer,
  RequestInfo,
} from '../../plugin-api/mpi/records';
import { CoreFolder } from '../support/core-files';
import { eventually } from '../support/process-state';
import { runCli } from '../support/run-cli';
import { allMpis, SampleJob, type Mpi } from '../support/sample-job';
import { readVariable } from '../support/stopped-ranks';

/** The kinds whose list holds what the program made, and nothing of the library's own. */
const exactKinds: Record<Mpi, HandleKind[]> = {
  openmpi: ['comm', 'errhandler', 'group', 'info', 'message', 'op', 'request', 'win'],
  mpich: ['comm', 'datatype', 'errhandler', 'group', 'info', 'message', 'op', 'request', 'win'],
};

for (const mpi of allMpis) {
  it(`mpidbg handles lists what a program of ${mpi} has left`, async () => {
    const job = await SampleJob.startWaiting(mpi, 'leaks');
    try {
      const document = await handlesOf(job);
      assert.equal(job.live.length, 4, 'each rank tells what it has left');
      for (const { rank } of job.live) assertLeft(mpi, job, document, rank, undefined);
      await job.finish();
    } finally {
      await job.kill();
    }
  });

  it(`mpidbg handles lists what ranks of ${mpi} have left that wait in MPI_Finalize`, async () => {
    const job = await SampleJob.startWaiting(mpi, 'leaks', { args: ['--no-window'] });
    try {
      for (const pid of job.pids.slice(1)) process.kill(pid, 'SIGUSR1');
      const deadline = performance.now() + 60_000;
      let document = await handlesOf(job);
      while (document.ranks.filter((rank) => 'ending' in rank).length < 3) {
        assert.ok(performance.now() < deadline, 'three ranks are in MPI_Finalize');
        document = await handlesOf(job);
      }
      assertLeft(mpi, job, document, 0, undefined);
      for (const rank of [1, 2, 3]) assertLeft(mpi, job, document, rank, 'MPI_Finalize');
      const { stdout } = await runCli(['handles', '--launcher', String(job.launcherPid)]);
      assert.match(stdout, /^ {2}1-3 {2}1\d objects are still alive in MPI_Finalize: 2 MPI_Comm, /);
      await assertInFinalize(job);
      await job.finish();
    } finally {
      await job.kill();
    }
  });
}

/** Ranks 1 to 3 have everything that they have not freed, under its name: MPI_Finalize waits for rank 0. */
async function assertInFinalize(job: SampleJob): Promise<void> {
  const target = ['--launcher', String(job.launcherPid)];
  const shown = JSON.parse((await runCli(['show', 'ocean', ...target, '--json'])).stdout) as Document;
  for (const rank of shown.ranks) {
    const [answer] = 'answers' in rank ? rank.answers : [];
    assert.ok(answer?.code === 'MPIDBG_SUCCESS' && 'localProcs' in answer.info, JSON.stringify(rank));
    const { name, size, localProcs, flags } = answer.info;
    assert.deepEqual(
      { name, size, localProcs, flags },
      { name: 'ocean', size: 4, localProcs: [0, 1, 2, 3], flags: [] },
    );
  }
  const { stdout } = await runCli(['info', ...target]);
  assert.match(stdout, /^(MPI)? +1-3 +.*, in MPI_Finalize$/m);
}

/** Programs for which the library makes objects of its own, and the kinds of which they tell all that they have. */
const owners: Record<string, HandleKind[]> = {
  duplicates: ['comm'],
  files: ['comm', 'datatype', 'file', 'group', 'info', 'op', 'request', 'win'],
  owners: ['comm', 'request', 'win'],
};

/** Open MPI marks no objects of MPI-IO, and duplicates what the program never sees. */
const ownersOf: Record<Mpi, string[]> = { mpich: Object.keys(owners), openmpi: ['owners'] };

for (const mpi of allMpis) {
  for (const sample of ownersOf[mpi]) {
    it(`mpidbg handles lists what is the program's, and nothing of the library's own, in ${sample} of ${mpi}`, async () => {
      const kinds = owners[sample]!;
      const folder = new CoreFolder();
      const job = await SampleJob.startWaiting(mpi, sample);
      try {
        assertHeld(job, await handlesOf(job), kinds);
        const cores = await folder.gcore(job.pids);
        await job.finish();
        const ofCores = await runCli(['handles', ...kinds, '--json', ...cores.flatMap((core) => ['--core', core])]);
        assertHeld(job, JSON.parse(ofCores.stdout) as Document, kinds);
      } finally {
        await job.kill();
        folder.remove();
      }
    });
  }
}

for (const mpi of allMpis) {
  it(`mpidbg handles lists no operation that ${mpi} made to open files`, async () => {
    const job = await SampleJob.startWaiting(mpi, 'files', { ranks: 2 });
    try {
      const target = ['--pid', String(job.pids[0]), '--json'];
      const [own, all] = [
        await runCli(['handles', 'op', ...target]),
        await runCli(['handles', 'op', '--internal', ...target]),
      ];
      const [ofProgram, ofLibrary] = [own, all].map(({ stdout }) => {
        const [rank] = (JSON.parse(stdout) as Document).ranks;
        assert.ok(rank !== undefined && 'answers' in rank, stdout);
        return listed(rank.answers, 'op');
      });
      assert.deepEqual(ofProgram, []);
      // ROMIO makes one; the MPI-IO of Open MPI none.
      assert.equal(ofLibrary?.length, mpi === 'mpich' ? 1 : 0);
    } finally {
      await job.kill();
    }
  });
}

/** What a rank waits for: on a communicator of the library's own, or, where a release makes none for a job on one node, itself. */
const awaited: Record<string, (job: SampleJob, pid: number) => Promise<HandleRef>> = {
  MPI_Barrier: (job) => {
    const { handle } = toldBy(job).find(({ name }) => name === 'ocean')!;
    return Promise.resolve({ kind: 'comm', handle: handle as string, name: 'ocean' });
  },
  MPI_Win_fence: async (_, pid) => {
    const handle = (await readVariable(pid, 'shared')) >>> 0;
    return { kind: 'win', handle: `0x${handle.toString(16)}`, name: 'shared' };
  },
};

/** What rank 0 has told of its objects. */
function toldBy(job: SampleJob): Record<string, unknown>[] {
  return job.truth.flatMap(({ rank, told }) => (rank === 0 && told !== undefined ? [told.info as never] : []));
}

for (const [call, expectedOf] of Object.entries(awaited)) {
  it(`mpidbg handles tells what a rank of mpich waits for in ${call}`, async () => {
    const folder = new CoreFolder();
    const job = await SampleJob.startWaiting('mpich', 'blocked', { ranks: 3, args: [call] });
    try {
      const pid = job.pids[0]!;
      await eventually(`rank 0 is in ${call}`, async () => (await readVariable(pid, 'blocked_step')) === 1);
      const own = toldBy(job).map(({ handle }) => handle);
      /** The communicators of the requests that the program did not make. */
      const ofLibrary = async (target: string[]): Promise<HandleRef[]> => {
        const { stdout } = await runCli(['handles', 'request', '--internal', '--json', ...target]);
        const [rank] = (JSON.parse(stdout) as Document).ranks;
        assert.ok(rank !== undefined && 'answers' in rank, stdout);
        return rank.answers.flatMap((answer) => {
          if (answer.code !== 'MPIDBG_SUCCESS' || answer.kind !== 'request') return [];
          const { handle, comm } = answer.info as RequestInfo;
          return !own.includes(handle) && comm !== undefined && 'handle' in comm ? [comm] : [];
        });
      };
      const expected = await expectedOf(job, pid);
      const live = ['--pid', String(pid)];
      await eventually('it waits for the other one', async () => (await ofLibrary(live)).length > 0);
      const [core] = await folder.gcore([pid]);
      for (const target of [live, ['--core', core!]]) {
        const comms = await ofLibrary(target);
        assert.deepEqual(
          comms.map((comm) => comm.serves ?? comm),
          [expected],
          target.join(' '),
        );
        for (const { handle, serves } of comms) {
          if (serves === undefined) continue;
          const { stdout } = await runCli(['show', `comm:${handle}`, ...target]);
          assert.match(stdout, new RegExp(`MPI_Comm · internal, for \\w+ "${expected.name}" · rank 0 of 3`));
        }
      }
      await job.finish();
    } finally {
      await job.kill();
      folder.remove();
    }
  });
}

async function handlesOf(job: SampleJob): Promise<Document> {
  const asked = await runCli(['handles', '--launcher', String(job.launcherPid), '--json']);
  return JSON.parse(asked.stdout) as Document;
}

/** Asserts that the rank lists what it has told. */
function assertLeft(mpi: Mpi, job: SampleJob, { ranks }: Document, number: number, ending: RankAnswer['ending']): void {
  const entry = ranks.find(({ rank }) => rank === number);
  assert.ok(entry !== undefined && 'answers' in entry, `rank ${number}: ${JSON.stringify(entry)}`);
  assert.equal(entry.ending, ending, `rank ${number}`);
  const { live } = job.live.find(({ rank }) => rank === number)!;
  for (const kind of exactKinds[mpi])
    assert.deepEqual(listed(entry.answers, kind), [...(live[kind] ?? [])].sort(), `rank ${number}: ${kind}`);
}

/** Asserts that each rank lists what it has told to have, and beside that only what it is said to have freed. */
function assertHeld(job: SampleJob, { ranks }: Document, kinds: readonly HandleKind[]): void {
  assert.equal(job.live.length, 4, 'each rank tells what it has');
  for (const { rank, live } of job.live) {
    const entry = ranks.find((each) => each.rank === rank);
    assert.ok(entry !== undefined && 'answers' in entry, `rank ${rank}: ${JSON.stringify(entry)}`);
    const held = entry.answers.filter(
      (answer) => answer.code !== 'MPIDBG_SUCCESS' || !(answer.info as Info<string>).flags.includes('freedHandle'),
    );
    for (const kind of kinds)
      assert.deepEqual(listed(held, kind), [...(live[kind] ?? [])].sort(), `rank ${rank}: ${kind}`);
  }
}

/** The handles of a kind that are not predefined. An object that cannot be read is one too many; a list may say what it lacks. */
function listed(answers: Answer[], kind: HandleKind): string[] {
  const handles = answers.flatMap((answer) => {
    if (answer.kind !== kind) return [];
    if (answer.code !== 'MPIDBG_SUCCESS')
      return answer.reason.startsWith('there may be more: ') ? [] : [`${answer.code}: ${answer.reason}`];
    const { handle, flags } = answer.info as Info<string>;
    return flags.includes('predefined') ? [] : [handle];
  });
  return handles.sort();
}
