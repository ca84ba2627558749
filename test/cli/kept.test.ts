/** What a program has freed stays until MPI_Finalize, on the user's wish: as MPI knew it before. */
import assert from 'node:assert/strict';
import type { Answer, Document, Info, RankAnswer } from '../../plugin-api/mpi/records';
import { CoreFolder } from '../support/core-files';
import { runCli } from '../support/run-cli';
import { allMpis, SampleJob, type Mpi } from '../support/sample-job';

interface Kept {
  rank: number;
  /** How often MPI has called the program's function that deletes an attribute. */
  deleted: number;
  handles: {
    expression: string;
    isKept: boolean;
    /** Whether the variable that the call got is a null handle. */
    isNull: boolean;
    call: string;
    line: number;
    /** As MPI said before. */
    info: { name?: string; size?: number; entries?: number };
  }[];
}

const ranks = 2;

function lines(job: SampleJob): string[] {
  const prefix = 'KEPT ';
  return job.printed.filter((line) => line.startsWith(prefix)).map((line) => line.slice(prefix.length));
}

async function start(mpi: Mpi, program: string): Promise<SampleJob> {
  const { stdout, stderr } = await runCli(['collector', '--keep-freed']);
  assert.match(stdout, /MPIDBG_COLLECT=calls /, stderr);
  return SampleJob.startWaiting(mpi, program, { ranks, through: stdout.trim().split(' ') });
}

async function ask(expressions: readonly string[], target: readonly string[]): Promise<RankAnswer[]> {
  const { stdout, stderr, status } = await runCli(['show', ...expressions, ...target, '--json']);
  assert.equal(status, 0, stderr);
  return (JSON.parse(stdout) as Document).ranks.filter((rank): rank is RankAnswer => 'answers' in rank);
}

function assertKept(answer: Answer, { isKept, call, line, info: told }: Kept['handles'][number]): void {
  const message = JSON.stringify(answer);
  if (!isKept) {
    assert.equal(answer.code, 'MPIDBG_ERR_NOT_FOUND', message);
    assert.equal(answer.reason, `freed by ${call} at kept.c:${line}`);
    return;
  }
  assert.ok(answer.code === 'MPIDBG_SUCCESS', message);
  const info = answer.info as Info<string> & { size?: number; entries?: unknown[] };
  assert.ok(info.flags.includes('freedHandle'), message);
  const freed = info.history?.freed;
  assert.deepEqual([freed?.call, freed?.code?.line], [call, line], message);
  if (told.name !== undefined) assert.equal(info.name, told.name);
  if (told.size !== undefined) assert.equal(info.size, told.size, message);
  if (told.entries !== undefined) assert.equal(info.entries?.length, told.entries, message);
}

for (const mpi of allMpis)
  describe(`what a program of ${mpi} frees, with --keep-freed`, () => {
    const folder = new CoreFolder();
    let job: SampleJob | undefined;
    afterEach(async () => {
      await job?.kill();
      job = undefined;
    });
    after(() => folder.remove());

    it('stays as MPI knew it, live and in core files; what has attributes of the program does not', async () => {
      job = await start(mpi, 'kept');
      const told = lines(job).map((line) => JSON.parse(line) as Kept);
      assert.equal(told.length, ranks);
      const expressions = told[0]!.handles.map(({ expression }) => expression);
      const targets = [
        ['--launcher', String(job.launcherPid)],
        ['--core', ...(await folder.gcore(job.pids))],
      ];
      for (const target of targets) {
        const answered = await ask(expressions, target);
        for (const { rank, deleted, handles } of told) {
          assert.equal(deleted, 1, 'the attribute is deleted when its communicator is freed');
          assert.equal(handles.length, 7);
          for (const { expression, isNull } of handles) assert.ok(isNull, `${expression}: the variable is not null`);
          const { answers } = answered.find((each) => each.rank === rank)!;
          handles.forEach((handle, i) => assertKept(answers[i]!, handle));
        }
      }
    });

    it('leaves Fortran the null handles and no error', async () => {
      job = await start(mpi, 'kept-mpi');
      assert.deepEqual(lines(job).sort(), ['0 TT', '1 TT']);
      const expressions = ['comm.f:ocean', 'datatype.f:row'];
      for (const { answers } of await ask(expressions, ['--launcher', String(job.launcherPid)]))
        for (const answer of answers)
          assert.ok(
            answer.code === 'MPIDBG_SUCCESS' && (answer.info as Info<string>).flags.includes('freedHandle'),
            JSON.stringify(answer),
          );
    });

    it('is freed in MPI_Finalize, behind which the program ends well', async () => {
      job = await start(mpi, 'kept');
      const printed = await job.finish();
      assert.equal(printed.filter((line) => line.includes('ended well')).length, ranks, printed.join('\n'));
    });
  });
