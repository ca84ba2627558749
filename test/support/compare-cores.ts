/** What `mpidbg show` tells of the core files of a job, against what the job told before it ended. */
import assert from 'node:assert/strict';
import type { Answer, Document } from '../../plugin-api/mpi/records';
import { assertAgree, compareDocument } from './compare-facts';
import { runCli } from './run-cli';
import type { Mpi, SampleJob } from './sample-job';
import { splitAnswers } from './split-answers';
import { questions } from './truth';

/** Fails for a difference, and for fewer than `atLeast` facts. Answers each rank's answers to `more` expressions, one for each. */
export async function assertCoresAgree(
  truth: SampleJob['truth'],
  cores: readonly string[],
  mpi: Mpi,
  atLeast: number,
  more: readonly string[] = [],
): Promise<Answer[][]> {
  const asked = await runCli(['show', ...questions(truth), ...more, '--json', '--core', ...cores]);
  assert.equal(asked.status, 0, `mpidbg show: ${asked.stderr}\n${asked.stdout.slice(0, 2000)}`);
  const document = JSON.parse(asked.stdout) as Document;
  assert.equal(document.target, 'core');
  const { first, last } = splitAnswers(document, more.length);
  assertAgree(compareDocument(truth, first, mpi), atLeast);
  return last;
}
