/** What the kernel says about the connections of a process; here of this one. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { GuardedHost } from '../../adapter/agent/guarded-gdb';
import type { Hub } from '../../adapter/agent/hub';
import type { Host } from '../../adapter/hosts/host';
import { HostProcess } from '../../adapter/hosts/host-process';
import { localHost } from '../../adapter/hosts/local-host';
import { Networks, parseCounters } from '../../adapter/hosts/network-state';
import { eventually } from '../support/process-state';

describe('the network state of a process', () => {
  const here = new GuardedHost({} as Hub);
  const stateOn = (host: Host) => new Networks().of(new HostProcess(host, process.pid));

  /** A kernel without tcp_diag does not. */
  const kernelTells = (host: Host): Promise<boolean> =>
    host.tcpCounters!().then(
      () => true,
      () => false,
    );

  it('counts what is unread, and changes with each byte', async () => {
    const server = createServer({ pauseOnConnect: true });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const arrived = once(server, 'connection') as Promise<[Socket]>;
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const [accepted] = await arrived;
    const before = await stateOn(here);
    if (!(await kernelTells(here))) {
      assert.equal(before, undefined);
      for (const each of [socket, accepted]) each.destroy();
      server.close();
      return;
    }
    assert.ok(before);
    assert.deepEqual(await stateOn(here), before);
    socket.write('12345');
    let now = before;
    await eventually('five bytes more', async () => (now = (await stateOn(here))!).unread === before.unread + 5);
    assert.notEqual(now.carried, before.carried);
    const got = once(accepted, 'data');
    accepted.resume();
    await got;
    assert.equal((await stateOn(here))!.unread, before.unread);
    for (const each of [socket, accepted]) each.destroy();
    server.close();
  });

  it('is not known where nobody can ask the kernel about a connection', async () => {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    assert.equal(await stateOn(localHost), undefined);
    server.close();
  });

  it('leaves out lines that are none', () => {
    const counters = parseCounters('7 1 2 0 4\n8 1 2 -3 4\n9 1 2\n10 x 2 3 4\n');
    assert.deepEqual([...counters], [['7', { carried: '1 2', unread: 0, unsent: 4 }]]);
  });
});
