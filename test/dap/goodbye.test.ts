/** disconnect ends the adapter itself, also where the client keeps its side of the stream open. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DapClient } from '../support/dap-client';

const adapter = join(__dirname, '..', '..', 'dist', 'adapter.js');

describe('an adapter after disconnect', () => {
  it('ends', async () => {
    const { client, process } = DapClient.spawn(adapter);
    await client.request('initialize', { adapterID: 'mpidbg' });
    await client.request('disconnect');
    if (process.exitCode === null) await once(process, 'exit', { signal: AbortSignal.timeout(10_000) });
    assert.equal(process.exitCode, 0);
  });

  it('closes the connection, and as a server takes the next one', async () => {
    const server = spawn(process.execPath, [adapter, '--server=0'], { stdio: ['ignore', 'ignore', 'pipe'] });
    try {
      const [line] = (await once(createInterface(server.stderr), 'line', { signal: AbortSignal.timeout(10_000) })) as [
        string,
      ];
      const port = Number(/:(\d+)$/.exec(line)?.[1]);
      for (const session of ['first', 'second']) {
        const socket = connect(port, '127.0.0.1');
        const ended = once(socket, 'end', { signal: AbortSignal.timeout(10_000) });
        const client = new DapClient(socket, socket);
        await client.request('initialize', { adapterID: 'mpidbg' });
        await client.request('disconnect');
        await ended;
        assert.equal(server.exitCode, null, `the server ended after its ${session} session`);
      }
    } finally {
      server.kill();
    }
  });
});
