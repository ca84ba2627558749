/** What a debug session answers about every handle of the samples at a breakpoint, held against what MPI told. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { Document } from '../../plugin-api/mpi/records';
import { assertAgree, compareDocument } from '../support/compare-facts';
import { DapClient } from '../support/dap-client';
import { allMpis, eitherMpi, launchers, markerLine, samplePath, type Mpi } from '../support/sample-job';
import { questions, readTruthDirectory } from '../support/truth';
import { conformancePrograms } from './programs';

const root = join(__dirname, '..', '..');
const ranks = 4;

for (const mpi of allMpis) {
  for (const { name, source, marker, spawns, atLeast } of conformancePrograms(mpi)) {
    if (spawns || !eitherMpi(name).includes(mpi)) continue; // a session follows the ranks of its launch only
    it(`a session stopped in ${name} under ${mpi} tells what MPI tells`, async () => {
      const directory = mkdtempSync(join(tmpdir(), 'mpidbg-truth-'));
      const { client, process: adapter } = DapClient.spawn(join(root, 'dist', 'adapter.js'));
      try {
        const threadId = await stopAt(client, mpi, name, { source, marker }, directory);
        const frameId = await innermostFrame(client, threadId);
        const truth = readTruthDirectory(directory);
        const document = await client.request<Document>('mpidbg/show', {
          expressions: questions(truth),
          ranks: `0-${ranks - 1}`,
          frameId,
        });
        assertAgree(compareDocument(truth, document, mpi), atLeast);
        await client.request('continue', { threadId });
        const { body } = await client.waitFor<DebugProtocol.ExitedEvent>('exited');
        assert.equal(body.exitCode, 0, 'the job ends well');
        await client.waitFor('terminated');
        await client.request('disconnect', {});
        adapter.stdin?.end();
        if (adapter.exitCode === null) await once(adapter, 'exit', { signal: AbortSignal.timeout(10_000) });
      } finally {
        adapter.kill('SIGTERM'); // the adapter ends its job
        rmSync(directory, { recursive: true, force: true });
      }
    });
  }
}

/** Launches the sample; answers a thread of one rank when every rank is stopped at the marker. */
async function stopAt(
  client: DapClient,
  mpi: Mpi,
  name: string,
  { source, marker }: { source: string; marker: string },
  truth: string,
): Promise<number> {
  await client.request('initialize', { adapterID: 'mpidbg', linesStartAt1: true, columnsStartAt1: true });
  const launched = client.request('launch', {
    program: samplePath(mpi, name),
    ranks,
    env: { MPIDBG_TRUTH: truth },
    // The program that loads MPI late does not show which launcher it needs.
    launcher: launchers[mpi].command,
  });
  await Promise.race([client.waitFor('initialized'), launched.then(() => client.waitFor('initialized'))]);
  await client.request('setBreakpoints', {
    source: { path: join(root, 'samples', source) },
    breakpoints: [{ line: markerLine(source, marker) }],
  });
  await client.request('configurationDone', {});
  await launched;
  for (let seen = 0; ;) {
    const stopped = await client.waitFor<DebugProtocol.StoppedEvent>('stopped', () => true, { since: seen });
    seen = client.events.indexOf(stopped) + 1;
    assert.equal(stopped.body.reason, 'breakpoint');
    const { ranks: states } = await client.request<{ ranks: { state: string }[] }>('mpidbg/ranks');
    if (states.length === ranks && states.every(({ state }) => state === 'stopped')) return stopped.body.threadId ?? -1;
  }
}

async function innermostFrame(client: DapClient, threadId: number): Promise<number> {
  const { stackFrames } = await client.request<DebugProtocol.StackTraceResponse['body']>('stackTrace', {
    threadId,
    levels: 1,
  });
  assert.ok(stackFrames[0], 'the thread has a frame');
  return stackFrames[0].id;
}
