/**
 * Each program runs once and is asked everything: by the plugin in its memory, without gdb; by `mpidbg show`, of the ranks
 * and of core files of the same run, gcore's or the kernel's; in Fortran by bare names, too. All answers are held
 * against what MPI told the ranks.
 */
import assert from 'node:assert/strict';
import type { CommInfo, Document } from '../../plugin-api/mpi/records';
import { bareVariables } from '../support/bare-variables';
import { assertCoresAgree } from '../support/compare-cores';
import { assertAgree, compareDocument } from '../support/compare-facts';
import { compareJob } from '../support/compare-ranks';
import { CoreFolder } from '../support/core-files';
import { eventually, isFree } from '../support/process-state';
import { runCli } from '../support/run-cli';
import { allMpis, SampleJob } from '../support/sample-job';
import { isThorough } from '../support/thorough';
import { questions, type TruthRecord } from '../support/truth';
import { conformancePrograms } from './programs';

for (const [m, mpi] of allMpis.entries()) {
  for (const [p, { name, ranks, spawns, atLeast, bareAtLeast }] of conformancePrograms(mpi).entries()) {
    // Each program is opened in both kinds of core file, in one of them with each MPI.
    const isOpened = { gcore: isThorough || (m + p) % 2 === 0, kernel: isThorough || (m + p) % 2 === 1 };
    describe(`${name} under ${mpi}`, () => {
      const folder = new CoreFolder();
      const all = atLeast + bareAtLeast;
      let job: SampleJob;
      let truth: TruthRecord[];
      let document: Document;

      before(async () => {
        job = await SampleJob.startWaiting(mpi, name, { ranks, through: folder.inFolderOfRank() });
        truth = [...job.truth];
        if (bareAtLeast > 0) {
          const named = new Set(truth.map(({ expression }) => expression));
          truth.push(...bareVariables(job.truth).filter(({ expression }) => !named.has(expression)));
        }
        const target = spawns ? ['--pid', job.pids.join(',')] : ['--launcher', String(job.launcherPid)];
        const asked = await runCli(['show', ...questions(truth), ...target, '--json']);
        assert.equal(asked.status, 0, `mpidbg show: ${asked.stderr}\n${asked.stdout.slice(0, 2000)}`);
        document = JSON.parse(asked.stdout) as Document;
      });

      after(async () => {
        await (job as SampleJob | undefined)?.kill();
        folder.remove();
      });

      it(`${name} of ${mpi} has in its memory what MPI tells`, async () => {
        assertAgree(await compareJob(mpi, job), atLeast);
      });

      it('is answered by mpidbg show as by MPI', () => {
        assertAgree(compareDocument(truth, document, mpi), all);
      });

      it('has one context id for all members of a communicator, and another for each communicator', () => {
        const problems = checkContextIds(truth, document);
        assert.deepEqual(problems, []);
      });

      if (isOpened.gcore)
        it('is answered as by MPI in gcore files, where each handle is found again by its expression', async () => {
          const [first] = document.ranks;
          assert.ok(first !== undefined && 'answers' in first);
          const asked = new Set(questions(truth));
          const parts = first.answers.filter(({ expression }) => !asked.has(expression!));
          const expressions = parts.map(({ expression }) => expression!);
          const [again] = await assertCoresAgree(truth, await folder.gcore(job.pids), mpi, all, expressions);
          assert.deepEqual(again, parts);
        });

      if (isOpened.kernel)
        it('is left as it was, and answered as by MPI in the cores that the kernel writes', async () => {
          await eventually('all ranks wait, and nobody traces them', () => job.pids.every(isFree));
          await assertCoresAgree(truth, await folder.crashWaiting(job, { signal: 'SIGABRT' }), mpi, all);
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
