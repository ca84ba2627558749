/** mpidbg calls: what programs in C and in all bindings of Fortran say of their own calls, against what is told of them. */
import assert from 'node:assert/strict';
import type { Document } from '../../plugin-api/mpi/records';
import type { OverlayDocument, RankOverlay, ToldCall } from '../../plugin-api/overlays/records';
import { isUnavailable } from '../../plugin-api/result';
import { CoreFolder } from '../support/core-files';
import { debianPython, installMpi4py, mpi4pyReleases, type Mpi4py } from '../support/mpi4py';
import { runCli } from '../support/run-cli';
import { allMpis, eitherMpi, type Mpi, SampleJob } from '../support/sample-job';

interface OwnCall extends Omit<ToldCall, 'comm' | 'begin' | 'code' | 'request'> {
  /** Its name. */
  comm?: string;
  line?: number;
  /** Its handle, of some calls. */
  request?: string;
}

interface OwnCalls {
  rank: number;
  calls: OwnCall[];
}

function ownCalls(job: SampleJob): OwnCalls[] {
  const prefix = 'CALLS ';
  return job.printed
    .filter((line) => line.trim().startsWith(prefix))
    .map((line) => JSON.parse(line.trim().slice(prefix.length)) as OwnCalls);
}

async function askCalls(args: readonly string[]): Promise<RankOverlay[]> {
  const { stdout, stderr, status } = await runCli(['calls', ...args, '--json']);
  assert.equal(status, 0, stderr);
  return (JSON.parse(stdout) as OverlayDocument).ranks.filter((rank): rank is RankOverlay => 'collector' in rank);
}

/** Between the two calls of MPI_Pcontrol, by the thread that has made them. */
function between(rank: RankOverlay): ToldCall[] {
  const { calls } = rank;
  assert.ok(calls !== undefined && !isUnavailable(calls), JSON.stringify(calls));
  const of = calls.map((thread) => thread.calls).find((each) => each.some(({ name }) => name === 'MPI_Pcontrol')) ?? [];
  const marks = of.flatMap(({ name }, i) => (name === 'MPI_Pcontrol' ? [i] : []));
  assert.equal(marks.length, 2, JSON.stringify(of));
  return of.slice(marks[0]! + 1, marks[1]);
}

/** As a program tells it. */
function asOwn({ name, peer, tag, root, bytes, instance, comm, repeated, error }: ToldCall): OwnCall {
  return {
    ...{ name },
    ...(peer === undefined ? {} : { peer }),
    ...(tag === undefined ? {} : { tag }),
    ...(root === undefined ? {} : { root }),
    ...(bytes === undefined ? {} : { bytes }),
    ...(instance === undefined ? {} : { instance }),
    ...(comm === undefined ? {} : { comm: comm.name ?? '' }),
    ...(repeated === undefined ? {} : { repeated }),
    ...(error === undefined ? {} : { error }),
  };
}

function assertSame(job: SampleJob, ranks: readonly RankOverlay[]): void {
  const own = ownCalls(job);
  assert.equal(own.length, 2);
  for (const { rank, calls } of own) {
    const told = between(ranks.find((each) => each.rank === rank)!);
    const seen = told.map(asOwn);
    const expected = calls.map(({ line: _line, request: _request, ...call }) => ({
      ...call,
      // The same question four times.
      ...(call.name === 'MPI_Iprobe' ? { repeated: 3 } : {}),
      ...(call.peer !== undefined && Number(call.peer) > 1 ? { error: 'MPI_ERR_RANK' } : {}),
      ...(call.name === 'MPI_Comm_free' && call.comm === 'MPI_COMM_WORLD' ? { error: 'MPI_ERR_COMM' } : {}),
    }));
    assert.deepEqual(seen, expected, `rank ${rank}`);
    told.forEach(({ begin, end, code, request }, i) => {
      assert.ok(end !== undefined && end >= begin);
      assert.match(code?.function ?? '', /^main$|^MAIN__$|^messages$|^unusual$|^one_sided$|^collectives$|^persistent$/);
      assert.match(code?.file ?? '', /\/samples\/told-calls(-mpi\.f90|\.c)$/);
      if (calls[i]?.line !== undefined) assert.equal(code?.line, calls[i].line);
      if (calls[i]?.request !== undefined) assert.equal(request?.handle, calls[i].request);
    });
  }
}

for (const mpi of allMpis) {
  for (const name of ['told-calls', 'told-calls-mpif', 'told-calls-mpi', 'told-calls-f08']) {
    describe(`${name} of ${mpi}`, () => {
      const folder = new CoreFolder();
      let job: SampleJob;
      before(async () => {
        const { stdout } = await runCli(['collector', '--collect', 'calls']);
        job = await SampleJob.startWaiting(mpi, name, { ranks: 2, through: stdout.trim().split(' ') });
      });
      after(async () => {
        await (job as SampleJob | undefined)?.kill();
        folder.remove();
      });

      it('is told call by call while it runs', async () => {
        assertSame(job, await askCalls(['--last', '100', '--launcher', String(job.launcherPid)]));
      });

      if (eitherMpi(name).includes(mpi))
        it('is told call by call in core files', async () => {
          assertSame(job, await askCalls(['--last', '100', '--core', ...(await folder.gcore(job.pids))]));
        });

      it('has begun MPI_Init when the clock of the collector ran', async () => {
        for (const { calls } of await askCalls(['MPI_Init*', '--last', '100', '--launcher', String(job.launcherPid)])) {
          assert.ok(calls !== undefined && !isUnavailable(calls), JSON.stringify(calls));
          const [begun] = calls.flatMap((thread) => thread.calls);
          assert.ok(begun?.name === 'MPI_Init' || begun?.name === 'MPI_Init_thread', JSON.stringify(calls));
          assert.ok(begun.begin >= 0 && begun.end! >= begun.begin, JSON.stringify(begun));
        }
      });

      it('ends as it would without', async () => {
        await job.finish();
      });
    });
  }
}

/** `variables`: for the ranks. */
async function assertMpi4pyIsTold(mpi: Mpi, variables: readonly string[]): Promise<void> {
  const { stdout } = await runCli(['collector', '--collect', 'calls']);
  const through = [...stdout.trim().split(' '), ...variables];
  const job = await SampleJob.startWaiting(mpi, 'told-calls.py', { ranks: 2, through, interpreter: debianPython });
  try {
    const ranks = await askCalls(['--last', '100', '--launcher', String(job.launcherPid)]);
    const own = ownCalls(job);
    assert.equal(own.length, 2);
    const itsOwn = /^MPI_(Type_get_extent(_x|_c)?|Comm_(test_inter|rank|set_errhandler))$/;
    // mpi4py 4 calls the functions with large counts, where there are such.
    const plain = (call: OwnCall): OwnCall => ({ ...call, name: call.name.replace(/_c$/, '') });
    for (const { rank, calls } of own) {
      const told = between(ranks.find((each) => each.rank === rank)!);
      assert.deepEqual(
        told
          .filter(({ name }) => !itsOwn.test(name))
          .map(asOwn)
          .map(plain),
        calls,
        `rank ${rank}`,
      );
    }
    await job.finish();
  } finally {
    await job.kill();
  }
}

it('tells the calls of mpi4py, beside which it asks for a little more of its own', async () => {
  await assertMpi4pyIsTold('openmpi', []);
});

for (const release of mpi4pyReleases)
  describe(`mpi4py ${release}, which asks for functions that may be absent`, () => {
    let mpi4py: Mpi4py;
    before(() => {
      mpi4py = installMpi4py(release);
    });
    after(() => mpi4py.close());
    for (const mpi of allMpis)
      it(`is told with ${mpi}`, async () => {
        await assertMpi4pyIsTold(mpi, mpi4py.variables(mpi));
      });
  });

for (const mpi of allMpis) {
  // As interpreters do: python3 with mpi4py, Julia, R.
  it(`tells the calls of a part that loads MPI for itself alone, with ${mpi}`, async () => {
    const { stdout } = await runCli(['collector', '--collect', 'all']);
    const job = await SampleJob.startWaiting(mpi, 'dlopened', { ranks: 2, through: stdout.trim().split(' ') });
    try {
      for (const { calls } of await askCalls(['--last', '1000', '--launcher', String(job.launcherPid)])) {
        assert.ok(calls !== undefined && !isUnavailable(calls), JSON.stringify(calls));
        const told = calls[0]!.calls.filter(({ name }) => /^MPI_(Init|Comm_dup|Comm_set_name|Comm_split)$/.test(name));
        assert.deepEqual(
          told.slice(0, 4).map(({ name, comm }) => [name, comm?.name]),
          [
            ['MPI_Init', undefined],
            ['MPI_Comm_dup', 'MPI_COMM_WORLD'],
            ['MPI_Comm_set_name', 'ocean'],
            ['MPI_Comm_split', 'MPI_COMM_WORLD'],
          ],
        );
      }
      await job.finish();
    } finally {
      await job.kill();
    }
  });
}

// Open MPI 4 has no sessions.
it('tells the calls and the handles of a program that has sessions alone, with mpich', async () => {
  const { stdout } = await runCli(['collector', '--collect', 'all']);
  const job = await SampleJob.startWaiting('mpich', 'sessions', { ranks: 2, through: stdout.trim().split(' ') });
  try {
    const target = ['--launcher', String(job.launcherPid)];
    for (const { calls } of await askCalls(['--last', '100', ...target])) {
      assert.ok(calls !== undefined && !isUnavailable(calls), JSON.stringify(calls));
      assert.deepEqual(
        calls[0]!.calls.map(({ name }) => name),
        [
          ...['MPI_Session_init', 'MPI_Session_init', 'MPI_Group_from_session_pset', 'MPI_Comm_create_from_group'],
          ...['MPI_Group_free', 'MPI_Session_finalize', 'MPI_Comm_rank', 'MPI_Barrier'],
        ],
      );
      assert.equal(calls[0]!.calls.at(-1)?.instance, 1);
    }
    const shown = JSON.parse((await runCli(['show', 'session', 'comm', ...target, '--json'])).stdout) as Document;
    for (const rank of shown.ranks) {
      assert.ok('answers' in rank, JSON.stringify(rank));
      const made = rank.answers.map((answer) =>
        answer.code === 'MPIDBG_SUCCESS' && 'history' in answer.info ? answer.info.history?.created?.call : undefined,
      );
      assert.deepEqual(made, ['MPI_Session_init', 'MPI_Comm_create_from_group']);
    }
    const { status, stdout: text } = await runCli(['pvars', ...target]);
    assert.equal(status, 0, text);
    await job.finish();
  } finally {
    await job.kill();
  }
});

for (const name of ['two-models', 'two-models-mpi', 'two-models-f08'])
  for (const isLast of [true, false])
    it(`tells the calls of ${name}, which has a session that ends ${isLast ? 'after MPI_Finalize' : 'before'}, with mpich`, async () => {
      const { stdout } = await runCli(['collector', '--collect', 'all']);
      const through = stdout.trim().split(' ');
      const job = await SampleJob.startWaiting('mpich', name, {
        ...{ ranks: 2, args: isLast ? ['--session-last'] : [], through },
      });
      try {
        const target = ['--launcher', String(job.launcherPid)];
        for (const { rank, calls } of await askCalls(['--last', '100', ...target])) {
          assert.ok(calls !== undefined && !isUnavailable(calls), JSON.stringify(calls));
          const { calls: told } = calls[0]!;
          const ends = isLast ? ['MPI_Finalize'] : ['MPI_Comm_free', 'MPI_Session_finalize'];
          assert.deepEqual(told.map((call) => call.name).slice(-3 - ends.length), [
            ...ends,
            'MPI_Comm_size',
            'MPI_Sendrecv_replace',
            'MPI_Barrier',
          ]);
          const comm = isLast ? 'ocean' : 'MPI_COMM_WORLD';
          assert.deepEqual(told.slice(-2).map(asOwn), [
            { name: 'MPI_Sendrecv_replace', peer: 1 - rank!, tag: 7, bytes: 4, comm },
            { name: 'MPI_Barrier', instance: 1, comm },
          ]);
          assert.ok(told.every(({ begin }) => begin >= 0));
        }
        // Its thread still reads values.
        const { status, stdout: text } = await runCli(['cvars', 'MPIR_CVAR_DEFAULT_THREAD_LEVEL', ...target]);
        assert.equal(status, 0, text);
        await job.finish();
      } finally {
        await job.kill();
      }
    });
