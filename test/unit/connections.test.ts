import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { connectionsOf, parseConnections } from '../../adapter/hosts/connections';
import { HostProcess } from '../../adapter/hosts/host-process';
import { localHost } from '../../adapter/hosts/local-host';
import { connectionsFromElsewhere, daemonsOf } from '../../adapter/launchers/launcher-hosts';
import { shippedMpis } from '../../plugin-api/plugins/shipped';

const header = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode';

describe('connections of a process', () => {
  it('are told as the kernel has them, those of others left out', () => {
    const table = [
      header,
      '   0: 0100FA0A:9C2D 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 11 1 0 100 0 0 10 0',
      '   1: 0100FA0A:9C2D 0200FA0A:D431 01 00000000:00000000 00:00000000 00000000     0        0 12 1 0 20 4 30 10 -1',
      '   2: 0100FA0A:9C2D 0300FA0A:D431 01 00000000:00000000 00:00000000 00000000     0        0 99 1 0 20 4 30 10 -1',
      '   3: 0000000000000000FFFF00000100FA0A:0016 0000000000000000FFFF00000200FA0A:0017 06 0:0 0:0 0 0 0 13 1 0',
      '   4: B80D0120000000000000000001000000:0016 00000000000000000000000000000000:0000 0A 0:0 0:0 0 0 0 14 1 0',
    ].join('\n');
    assert.deepEqual(parseConnections(table, new Set(['11', '12', '13', '14'])), [
      { local: '10.250.0.1:39981', remote: '0.0.0.0:0', state: 'listening' },
      { local: '10.250.0.1:39981', remote: '10.250.0.2:54321', state: 'established' },
      { local: '10.250.0.1:22', remote: '10.250.0.2:23', state: 'other' },
      { local: '2001:db8:0:0:0:0:0:1:22', remote: '0:0:0:0:0:0:0:0:0', state: 'listening' },
    ]);
  });

  it('of this process are found, and none of them comes from elsewhere', async () => {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const arrived = once(server, 'connection') as Promise<[Socket]>;
    const socket = connect(port, '127.0.0.1');
    const [accepted] = await arrived;
    if (socket.connecting) await once(socket, 'connect');
    const own = await connectionsOf(new HostProcess(localHost, process.pid));
    const place = `127.0.0.1:${port}`;
    assert.ok(own.some(({ local, state }) => local === place && state === 'listening'));
    const established = own.filter(({ local, state }) => local === place && state === 'established');
    assert.equal(established[0]?.remote, `127.0.0.1:${socket.localPort}`);
    assert.deepEqual(await connectionsFromElsewhere(localHost, process.pid), []);
    // The other end is in this process, which starts no ranks.
    assert.deepEqual(await daemonsOf(localHost, established, shippedMpis), []);
    for (const each of [socket, accepted]) each.destroy();
    server.close();
  });
});
