/** The connection to the window is lost while a job on two hosts is debugged: the next window finds all of it as it was. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { DapClient } from '../support/dap-client';
import { launchers, markerLine, samplePath } from '../support/sample-job';
import { launcherArgs } from './cluster';
import { allRanks, installation, ranks, TwoHosts } from './two-hosts';

const source = 'ring.c';

interface ToldRank {
  host: string;
  state: string;
  pid: number;
}

describe('a session with ranks on two hosts whose window is lost', () => {
  let hosts: TwoHosts;
  before(async () => {
    hosts = await TwoHosts.start();
  });
  after(() => hosts.stop());

  it('is found by the next one as it was, and goes on', async () => {
    // As the extension starts it; the first process of the host is the editor.
    const [command = '', ...args] = hosts.cluster.on('nodea', [
      ...[process.execPath, join(installation, 'adapter.js'), '--session=1'],
    ]);
    const adapter = spawn(command, args, { stdio: ['ignore', 'inherit', 'pipe'] });
    const [line] = (await once(createInterface(adapter.stderr), 'line')) as [string];
    // The host has its own /tmp.
    const path = `/proc/${hosts.cluster.host('nodea').pid}/root${line.replace('listening on ', '')}`;
    const client = async (): Promise<{ client: DapClient; socket: Socket }> => {
      const socket = connect({ path });
      await once(socket, 'connect');
      socket.on('error', () => undefined);
      const made = new DapClient(socket, socket);
      await made.request('initialize', { adapterID: 'mpidbg' });
      return { client: made, socket };
    };
    const configure = async (made: DapClient): Promise<void> => {
      await made.request('setBreakpoints', {
        source: { path: join(__dirname, '..', '..', 'samples', source) },
        breakpoints: [{ line: markerLine(source, 'token arrived') }],
      });
      await made.request('configurationDone');
    };
    const stopped = (made: DapClient, since = 0): Promise<DebugProtocol.StoppedEvent> =>
      made.waitFor('stopped', ({ body }) => body.allThreadsStopped === true, { since });
    const told = async (made: DapClient): Promise<ToldRank[]> =>
      (await made.request<{ ranks: ToldRank[] }>('mpidbg/ranks')).ranks;

    const first = await client();
    const launched = first.client.request('launch', {
      ...{ name: 'ring', program: samplePath('openmpi', 'ring'), ranks, launcher: launchers.openmpi.command },
      ...{ launcherArgs: launcherArgs('openmpi', `nodea:${ranks / 2},nodeb:${ranks / 2}`), env: launchers.openmpi.env },
    });
    await Promise.race([first.client.waitFor('initialized'), launched]);
    await configure(first.client);
    await launched;
    await stopped(first.client);
    const before = await told(first.client);
    assert.deepEqual([...new Set(before.map(({ host }) => host))], ['nodea', 'nodeb']);
    first.socket.destroy();

    const next = await client();
    await next.client.request('launch', { keptSession: 'it' });
    await configure(next.client);
    const { body } = await stopped(next.client);
    assert.deepEqual(await told(next.client), before);
    assert.deepEqual(
      before.map(({ state }) => state),
      allRanks.map(() => 'stopped'),
    );
    const since = next.client.events.length;
    await next.client.request('next', { threadId: body.threadId });
    assert.equal((await stopped(next.client, since)).body.description, 'ranks 0-7: step');
    await next.client.request('disconnect');
    await hosts.isQuiet();
  });
});
