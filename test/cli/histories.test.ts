/** The history of handles: what programs have noted of their own calls, against what mpidbg says of the handles they have. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HandleCall, History } from '../../plugin-api/mpi/history';
import type { Answer, Document, HandleKind, RankAnswer } from '../../plugin-api/mpi/records';
import type { OverlayDocument } from '../../plugin-api/overlays/records';
import { isUnavailable } from '../../plugin-api/result';
import { CoreFolder } from '../support/core-files';
import { runCli } from '../support/run-cli';
import { eitherMpi, SampleJob } from '../support/sample-job';

interface OwnCall {
  call: string;
  line: number;
}

interface OwnHandle {
  /** The kind of an INTEGER, whose type does not say it. */
  kind?: HandleKind;
  expression: string;
  isThere: boolean;
  /** The program does not know what else has had this handle. */
  skipsEarlier?: boolean;
  created?: OwnCall;
  freed?: OwnCall;
  earlier: { created: OwnCall; freed: OwnCall; name?: string }[];
}

interface OwnHandles {
  rank: number;
  handles: OwnHandle[];
}

function ownHandles(job: SampleJob): OwnHandles[] {
  const prefix = 'HISTORY ';
  return job.printed
    .filter((line) => line.trim().startsWith(prefix))
    .map((line) => JSON.parse(line.trim().slice(prefix.length)) as OwnHandles);
}

async function ask(command: 'show' | 'handles', args: readonly string[]): Promise<RankAnswer[]> {
  const { stdout, stderr, status } = await runCli([command, ...args, '--json']);
  assert.equal(status, 0, stderr);
  return (JSON.parse(stdout) as Document).ranks.filter((rank): rank is RankAnswer => 'answers' in rank);
}

function own(call: HandleCall): OwnCall {
  assert.ok(call.time >= 0 && call.thread > 0);
  assert.match(call.code?.file ?? '', /\/samples\/histories/);
  return { call: call.call, line: call.code?.line ?? 0 };
}

function ownHistory({ created, freed, earlier = [] }: History): Pick<OwnHandle, 'created' | 'freed' | 'earlier'> {
  assert.ok(created !== undefined);
  return {
    created: own(created),
    ...(freed === undefined ? {} : { freed: own(freed) }),
    earlier: earlier.map((each) => {
      assert.ok(each.created !== undefined);
      return {
        created: own(each.created),
        freed: own(each.freed),
        ...(each.name === undefined ? {} : { name: each.name }),
      };
    }),
  };
}

/** With MPI's modules gfortran notes a wrong line for some calls: these have none here. The others have theirs. */
function withKnownLines<T>(seen: T, told: T, hasAll: boolean): T {
  if (hasAll || typeof seen !== 'object' || seen === null) return seen;
  const fields = Object.entries(seen).map(([key, value]: [string, unknown]) => {
    const own = (told as Record<string, unknown> | undefined)?.[key];
    return [key, key === 'line' && value === 0 ? own : withKnownLines(value, own, hasAll)] as const;
  });
  return (Array.isArray(seen) ? fields.map(([, value]) => value) : Object.fromEntries(fields)) as T;
}

function assertAnswer(
  answer: Answer,
  { isThere, expression, skipsEarlier, ...told }: OwnHandle,
  hasLines: boolean,
): void {
  const message = `${expression}: ${JSON.stringify(answer)}`;
  if (isThere) {
    assert.ok(answer.code === 'MPIDBG_SUCCESS' && 'history' in answer.info, message);
    const { earlier, ...seen } = ownHistory(answer.info.history!);
    const { created, freed } = told;
    const expected = { created, ...(freed === undefined ? {} : { freed }) };
    assert.equal((answer.info.flags as string[]).includes('freedHandle'), freed !== undefined, message);
    assert.deepEqual(withKnownLines(seen, expected, hasLines), expected, message);
    if (skipsEarlier !== true) assert.deepEqual(withKnownLines(earlier, told.earlier, hasLines), told.earlier, message);
  } else {
    assert.equal(answer.code, 'MPIDBG_ERR_NOT_FOUND', message);
    const { call, line } = told.freed!;
    const place = `at histories\\S*:${line}`;
    const places = hasLines ? place : `(${place}|in (MAIN__|free_type\\S*))`;
    assert.match(answer.reason, new RegExp(`^freed by ${call} ${places}$`), message);
  }
}

async function assertHistories(job: SampleJob, name: string, target: readonly string[]): Promise<void> {
  const told = ownHandles(job);
  assert.equal(told.length, 2);
  const isF08 = name.endsWith('f08');
  const expressions = told[0]!.handles.map(({ kind, expression }) =>
    kind === undefined || isF08 ? expression : `${kind}.f:${expression}`,
  );
  const ranks = await ask('show', [...expressions, ...target]);
  for (const { rank, handles } of told) {
    const { answers } = ranks.find((each) => each.rank === rank)!;
    assert.equal(answers.length, handles.length);
    handles.forEach((handle, i) => assertAnswer(answers[i]!, handle, /^histories(-mpif)?$/.test(name)));
  }
}

/** Those that the library has no list of too: `handles` takes them from the history. */
async function assertListed(job: SampleJob, name: string, target: readonly string[]): Promise<void> {
  const told = ownHandles(job)[0]!;
  const isF08 = name.endsWith('f08');
  const expressions = told.handles
    .filter(({ isThere, freed }) => isThere && freed === undefined)
    .map(({ kind, expression }) => (kind === undefined || isF08 ? expression : `${kind}.f:${expression}`));
  const [shown] = await ask('show', [...expressions, ...target, '--ranks', String(told.rank)]);
  const [listed] = await ask('handles', [...target, '--ranks', String(told.rank)]);
  const nameOf = (answer: Answer): string[] =>
    answer.code === 'MPIDBG_SUCCESS' && 'handle' in answer.info ? [`${answer.kind} ${answer.info.handle}`] : [];
  const names = new Set(listed!.answers.flatMap(nameOf));
  for (const answer of shown!.answers.filter(({ kind }) => kind !== 'request'))
    assert.ok(names.has(nameOf(answer)[0]!), `${answer.expression}: ${JSON.stringify([...names])}`);
  assert.equal(names.size, listed!.answers.flatMap(nameOf).length);
}

for (const name of ['histories', 'histories-mpif', 'histories-mpi', 'histories-f08']) {
  for (const mpi of eitherMpi(name)) {
    describe(`the handles of ${name} of ${mpi}`, () => {
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

      it('have the history that the program has noted, live and in core files', async () => {
        await assertHistories(job, name, ['--launcher', String(job.launcherPid)]);
        await assertHistories(job, name, ['--core', ...(await folder.gcore(job.pids))]);
      });

      it('are listed, each once', async () => {
        await assertListed(job, name, ['--launcher', String(job.launcherPid)]);
      });

      it('are in a report with the last calls', async () => {
        const file = join(folder.path, 'report.html');
        const target = ['--launcher', String(job.launcherPid)];
        const { status, stderr } = await runCli(['report', ...target, '-o', file]);
        assert.equal(status, 0, stderr);
        const page = readFileSync(file, 'utf8');
        const [, calls = ''] = /<h2 id="calls-title">MPI calls[^]*?<pre>([^]*?)<\/pre>/.exec(page) ?? [];
        const { call } = ownHandles(job)[0]!.handles.at(-1)!.freed!;
        assert.ok(calls.includes(call), calls || page.slice(0, 2000));
      });

      it('ends as it would without', async () => {
        await job.finish();
      });
    });
  }
}

describe('the history of more objects than its table has room for', () => {
  let job: SampleJob;
  before(async () => {
    const { stdout } = await runCli(['collector', '--collect', 'calls']);
    const through = stdout.trim().split(' ');
    job = await SampleJob.startWaiting('mpich', 'many', { ranks: 1, args: ['info', '30000'], through });
  });
  after(async () => (job as SampleJob | undefined)?.kill());

  it('says how many are missing', async () => {
    const { stdout, stderr, status } = await runCli(['calls', '--launcher', String(job.launcherPid), '--json']);
    assert.equal(status, 0, stderr);
    const [rank] = (JSON.parse(stdout) as OverlayDocument).ranks;
    assert.ok(rank !== undefined && 'collector' in rank && !isUnavailable(rank.collector), stdout);
    const [, lost] =
      /^the table is full: (\d+) objects /.exec(
        rank.collector.denied.find(({ name }) => name === 'history')?.reason ?? '',
      ) ?? [];
    // MAX_LIVES of history.c.
    assert.ok(Number(lost) >= 30_000 - 24 * 1024, JSON.stringify(rank.collector));
  });
});
