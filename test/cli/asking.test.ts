/** What the commands ask of the ranks, and that they let them go before they write what the ranks answered. */
import assert from 'node:assert/strict';
import { parseCommand } from '../../adapter/cli/arguments/parse-command';
import { runQuery, type Outcome, type QueryCommand } from '../../adapter/cli/query-command';
import { JobQueries } from '../../adapter/query/job-queries';
import { processState, tracerOf } from '../support/process-state';
import { SampleJob } from '../support/sample-job';

describe('mpidbg, of the ranks', () => {
  let job: SampleJob;
  const own = { ...Object.getOwnPropertyDescriptors(JobQueries.prototype) };

  before(async () => (job = await SampleJob.startWaiting('openmpi', 'communicators', { ranks: 2 })));
  after(() => job.finish());
  afterEach(() => Object.defineProperties(JobQueries.prototype, own));

  const run = (...words: string[]): Promise<Outcome> =>
    runQuery(
      parseCommand([...words, '--launcher', String(job.launcherPid)]) as QueryCommand,
      AbortSignal.timeout(60_000),
    );

  it('asks how they died where that is written, and not for JSON', async () => {
    let asked = 0;
    JobQueries.prototype.crashes = async () => {
      asked++;
      return [];
    };
    await run('stacks', '--json');
    assert.equal(asked, 0);
    await run('stacks');
    assert.equal(asked, 1);
  });

  it('lets them go before the text is made', async () => {
    const found: boolean[] = [];
    const isHeld = (): boolean => job.pids.some((pid) => tracerOf(pid) !== 0 || /^t$/i.test(processState(pid) ?? ''));
    JobQueries.prototype.handles = async function (this: JobQueries, ...asked) {
      const document = await own.handles.value!.apply(this, asked);
      for (const rank of document.ranks)
        for (const answer of 'answers' in rank ? rank.answers : []) {
          const info = 'info' in answer ? answer.info : undefined;
          Object.defineProperty(answer, 'info', {
            get: () => {
              found.push(isHeld());
              return info;
            },
          });
        }
      assert.ok(isHeld());
      return document;
    };
    const { output } = await run('handles', 'comm');
    assert.match(output as string, /^MPI_Comm\n/);
    assert.deepEqual([...new Set(found)], [false]);
  });
});
