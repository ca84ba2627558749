/**
 * Objects of every kind, freed in any order, the last one of a kind included: a handle that is shown lives when the
 * program has not freed it, and so does one that is listed.
 */
import assert from 'node:assert/strict';
import type { Document } from '../../plugin-api/mpi/records';
import { CoreFolder } from '../support/core-files';
import { runCli } from '../support/run-cli';
import { allMpis, SampleJob, type Mpi } from '../support/sample-job';
import { questions, type TruthRecord } from '../support/truth';

/** What decides about the order; and a kind to leave out: MPICH keeps an info for ever with the first file. */
const orders = [['1'], ['2', 'file'], ['3', 'file']];
const ranks = 6;
/** What the library keeps no list of. */
const unlisted: Partial<Record<Mpi, string>> = { openmpi: 'datatype' };

for (const mpi of allMpis) {
  for (const args of orders) {
    it(`objects of ${mpi} live until they are freed: free-all ${args.join(' ')}`, async () => {
      const job = await SampleJob.startWaiting(mpi, 'free-all', { ranks, args });
      try {
        await check(job.truth, mpi, ['--launcher', String(job.launcherPid)]);
        await job.finish();
      } finally {
        await job.kill();
      }
    });
  }

  it(`objects of ${mpi} that were freed are told so in core files`, async () => {
    const folder = new CoreFolder();
    const job = await SampleJob.startWaiting(mpi, 'free-all', { ranks: 3, args: ['4', 'file'] });
    try {
      const cores = await folder.gcore(job.pids);
      await job.finish();
      await check(job.truth, mpi, ['--core', ...cores]);
    } finally {
      await job.kill();
      folder.remove();
    }
  });
}

async function check(truth: TruthRecord[], mpi: Mpi, target: string[]): Promise<void> {
  const kinds = new Set(truth.map(({ kind }) => kind));
  assert.ok(kinds.size >= 9 && truth.length >= 3 * 90, `only ${truth.length} handles of ${[...kinds].join(', ')}`);
  const shown = await ask(['show', ...questions(truth), ...target]);
  const listed = await ask(['handles', ...target]);
  const wrong: string[] = [];
  for (const { rank, expression, kind, code, bad } of truth) {
    assert.ok(bad !== undefined && 'handle' in bad);
    const handle = `0x${bad.handle.toString(16)}`;
    const answer = answersOf(shown, rank).find((each) => each.expression === expression);
    if (answer?.code !== code) wrong.push(`rank ${rank} ${expression} ${handle}: ${answer?.code}, ${answer?.reason}`);
    const isListed = answersOf(listed, rank).some((each) => each.kind === kind && each.info?.handle === handle);
    const isLive = code === 'MPIDBG_SUCCESS';
    const mayLack = unlisted[mpi] === kind;
    if (isListed !== isLive && !(isLive && mayLack))
      wrong.push(`rank ${rank} ${expression} ${handle}: ${isListed ? 'listed' : 'not listed'}`);
  }
  assert.deepEqual(wrong.slice(0, 30), [], `${wrong.length} of ${truth.length} handles`);
}

interface Answer {
  expression?: string;
  kind?: string;
  code: string;
  reason?: string;
  info?: { handle?: string };
}

function answersOf({ ranks: entries }: Document, rank: number): Answer[] {
  const entry = entries.find((each) => each.rank === rank);
  return entry !== undefined && 'answers' in entry ? (entry.answers as Answer[]) : [];
}

async function ask(args: string[]): Promise<Document> {
  const { stdout, stderr } = await runCli([...args, '--json']);
  assert.ok(stdout !== '', stderr);
  return JSON.parse(stdout) as Document;
}
