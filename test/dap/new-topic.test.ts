/** A topic that the adapter does not know yet: a table of its requests is all that a session needs to answer them. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { JobSession } from '../../adapter/dap/job-session';
import { requestTable } from '../../adapter/dap/request-table';
import { count, record } from '../../adapter/questions/argument-checks';
import { nothing } from '../../adapter/dap/requests/dap-arguments';
import { jobRequests, refused } from '../../adapter/dap/requests/request';
import { Session } from '../../adapter/dap/session';
import { DapClient } from '../support/dap-client';
import { launchers, markerLine, samplePath } from '../support/sample-job';

const { ofJob, ofStoppedRanks, ofStoppedThread } = jobRequests<Pick<JobSession, 'job' | 'queries'>>();

const topic = {
  'mpidbg/labels': ofJob({
    arguments: record<{ first: number }>({ first: count }),
    onCores: refused('be asked for labels'),
    answer: ({ job }, { first }) => job.ranks.slice(first).map(({ label }) => label),
  }),
  'mpidbg/whereabouts': ofStoppedRanks({
    arguments: nothing,
    answer: ({ queries }, _args, ranks) => Promise.all(ranks.map((rank) => queries.whereabouts(rank))),
  }),
  'mpidbg/rankOf': ofStoppedThread({
    arguments: record<{ threadId: number }>({ threadId: count }),
    answer: (_topics, _args, { rank }) => rank.number,
  }),
};

it('a session answers the requests of one more topic, by its table alone', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  let end = (): void => undefined;
  const closed = new Promise<void>((done) => (end = done));
  const session = new Session(end, { ...requestTable, ...topic });
  session.run({
    ...{ input, output, isOpenToStrangers: false },
    accepted: () => undefined,
    refused: (problem) => assert.fail(problem),
  });
  try {
    const client = new DapClient(output, input);
    await client.request('initialize', { adapterID: 'mpidbg' });
    await assert.rejects(client.request('mpidbg/whereabouts'), /send launch or attach before mpidbg\/whereabouts/);

    const { command: launcher, env } = launchers.mpich;
    const launched = client.request('launch', { program: samplePath('mpich', 'ring'), ranks: 3, launcher, env });
    await client.waitFor('initialized');
    await client.request('setBreakpoints', {
      source: { path: join(__dirname, '..', '..', 'samples', 'ring.c') },
      breakpoints: [{ line: markerLine('ring.c', 'token arrived') }],
    });
    await client.request('configurationDone');
    await launched;
    const { body } = await client.waitFor<DebugProtocol.StoppedEvent>('stopped');

    assert.deepEqual(await client.request('mpidbg/labels', { first: 1 }), ['rank 1', 'rank 2']);
    await assert.rejects(client.request('mpidbg/labels', { first: '1' }), /"first" must be a whole number/);
    const { ranks } = await client.request<{ ranks: { rank: number; threadIds: number[] }[] }>('mpidbg/ranks');
    const stopped = ranks.find(({ threadIds }) => threadIds.includes(body.threadId!))!;
    assert.equal(await client.request('mpidbg/rankOf', { threadId: body.threadId }), stopped.rank);
    const places = await client.request<{ source?: { file: string } }[]>('mpidbg/whereabouts');
    assert.ok(
      places.some(({ source }) => source?.file.endsWith('/ring.c') === true),
      JSON.stringify(places),
    );
    await client.request('disconnect');
    await closed;
  } finally {
    await session.close();
  }
});
