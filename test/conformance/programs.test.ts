/**
 * What `mpidbg show` answers about every handle of the samples, of the ranks and of all core files of the same run, gcore's
 * and the kernel's, held against what MPI told them.
 */
import assert from 'node:assert/strict';
import type { CommInfo, Document } from '../../plugin-api/mpi/records';
import { assertCoresAgree } from '../support/compare-cores';
import { assertAgree, compareDocument } from '../support/compare-facts';
import { CoreFolder } from '../support/core-files';
import { eventually, isFree } from '../support/process-state';
import { runCli } from '../support/run-cli';
import { allMpis, SampleJob } from '../support/sample-job';
import { questions, type TruthRecord } from '../support/truth';
import { conformancePrograms } from './programs';

for (const mpi of allMpis) {
  for (const { name, ranks, spawns, atLeast } of conformancePrograms(mpi)) {
    describe(`mpidbg show, ${name} under ${mpi}`, () => {
      const folder = new CoreFolder();
      let job: SampleJob;
      let document: Document;

      before(async () => {
        job = await SampleJob.startWaiting(mpi, name, { ranks, through: folder.inFolderOfRank() });
        const target = spawns ? ['--pid', job.pids.join(',')] : ['--launcher', String(job.launcherPid)];
        const asked = await runCli(['show', ...questions(job.truth), ...target, '--json']);
        assert.equal(asked.status, 0, `mpidbg show: ${asked.stderr}\n${asked.stdout.slice(0, 2000)}`);
        document = JSON.parse(asked.stdout) as Document;
      });

      after(async () => {
        await (job as SampleJob | undefined)?.kill();
        folder.remove();
      });

      it('gives the answers that MPI gives', () => {
        assertAgree(compareDocument(job.truth, document, mpi), atLeast);
      });

      it('tells one context id for all members of a communicator, and another for each communicator', () => {
        const problems = checkContextIds(job.truth, document);
        assert.deepEqual(problems, []);
      });

      it('calls every handle by an expression that can be asked for again', async () => {
        const [first] = document.ranks;
        assert.ok(first !== undefined && 'answers' in first);
        const asked = new Set(questions(job.truth));
        const parts = first.answers.filter(({ expression }) => !asked.has(expression!));
        if (parts.length === 0) return;
        const labels = parts.map(({ expression }) => expression!);
        const { stdout, stderr } = await runCli(['show', ...labels, '--pid', String(first.pid), '--json']);
        const [again] = (JSON.parse(stdout) as Document).ranks;
        assert.ok(again !== undefined && 'answers' in again, stderr);
        assert.deepEqual(again.answers, parts);
      });

      it('gives the answers that MPI gave of gcore files', async () => {
        await assertCoresAgree(job.truth, await folder.gcore(job.pids), mpi, atLeast);
      });

      it('leaves the ranks as they were, and gives the answers that MPI gave of the cores that the kernel writes', async () => {
        await eventually('all ranks wait, and nobody traces them', () => job.pids.every(isFree));
        await assertCoresAgree(job.truth, await folder.crashWaiting(job, { signal: 'SIGABRT' }), mpi, atLeast);
      });
    });
  }
}

/**
 * MPI has no call that tells a context id, but it is what keeps messages of communicators apart: within a process no
 * two intracommunicators share one, and all members of one have the same. (The sides of an intercommunicator may count
 * differently.)
 */
function checkContextIds(truth: TruthRecord[], document: Document): string[] {
  const problems: string[] = [];
  const byCall = new Map<string, number>();
  for (const rank of document.ranks) {
    const byContext = new Map<number, string>();
    for (const answer of 'answers' in rank ? rank.answers : []) {
      if (answer.code !== 'MPIDBG_SUCCESS' || answer.kind !== 'comm') continue;
      const info = answer.info as CommInfo;
      if (info.flags.includes('commNull') || info.flags.includes('intercomm')) continue;
      const where = `rank ${rank.rank} ${answer.expression}`;
      if (typeof info.contextId !== 'number') {
        problems.push(`${where}: contextId is ${JSON.stringify(info.contextId)}`);
        continue;
      }
      const other = byContext.get(info.contextId);
      if (other !== undefined && other !== info.handle) problems.push(`${where}: shares context id ${info.contextId}`);
      byContext.set(info.contextId, info.handle);

      const told = truth.find((record) => record.rank === rank.rank && record.expression === answer.expression)?.told;
      if (told === undefined) continue;
      const call = `${answer.expression} ${JSON.stringify(told.info['localProcs'])}`;
      const expected = byCall.get(call) ?? info.contextId;
      byCall.set(call, expected);
      if (info.contextId !== expected)
        problems.push(`${where}: context id ${info.contextId}, another rank ${expected}`);
    }
  }
  return problems;
}
