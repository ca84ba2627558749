/** Who may be in a server: connections that say nothing have their time, and keep nobody out. */
import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { ClientConnections, connectionLimits, type Guest } from '../../adapter/dap/client/client-connections';

/** Connections with a clock of its own, and all that came in. */
class TestConnections {
  readonly guests: Guest[] = [];
  private now = 0;
  private readonly timers = new Set<{ at: number; callback: () => void }>();
  private readonly connections: ClientConnections;

  constructor(limits = connectionLimits) {
    this.connections = new ClientConnections(
      (guest) => this.guests.push(guest),
      limits,
      (afterMs, callback) => {
        const timer = { at: this.now + afterMs, callback };
        this.timers.add(timer);
        return () => this.timers.delete(timer);
      },
    );
  }

  get waiting(): number {
    return this.timers.size;
  }

  enter(): Socket {
    const socket = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() }) as Socket;
    this.connections.enter(socket);
    return socket;
  }

  /** The guest that came in with this socket. */
  guest(socket: Socket): Guest {
    return this.guests.find((guest) => guest.socket === socket)!;
  }

  pass(ms: number): void {
    this.now += ms;
    for (const timer of this.timers) {
      if (timer.at > this.now) continue;
      this.timers.delete(timer);
      timer.callback();
    }
  }
}

describe('the connections of a server', () => {
  it('lets 64 in, and gives each ten seconds', () => {
    assert.deepEqual(connectionLimits, { maxConnections: 64, maxSilentMs: 10_000 });
  });

  it('closes who does not say initialize in time, and nobody who has said it', () => {
    const connections = new TestConnections();
    const silent = connections.enter();
    const client = connections.enter();
    connections.pass(9_999);
    connections.guest(client).admit();
    assert.deepEqual([silent.destroyed, client.destroyed], [false, false]);
    connections.pass(1);
    assert.deepEqual([silent.destroyed, client.destroyed], [true, false]);
    connections.pass(1_000_000);
    assert.equal(client.destroyed, false);
    assert.equal(connections.waiting, 0);
  });

  it('closes the oldest silent one for a newer one', () => {
    const connections = new TestConnections({ maxConnections: 3, maxSilentMs: 10 });
    const client = connections.enter();
    connections.guest(client).admit();
    const sockets = Array.from({ length: 200 }, () => connections.enter());
    const open = sockets.filter(({ destroyed }) => !destroyed);
    assert.deepEqual(open, sockets.slice(-2));
    assert.equal(client.destroyed, false);
    assert.equal(connections.waiting, 2, 'those that are gone have no timers');
  });

  it('keeps out who comes when all have said initialize', async () => {
    const connections = new TestConnections({ maxConnections: 2, maxSilentMs: 10 });
    const clients = [connections.enter(), connections.enter()];
    for (const client of clients) connections.guest(client).admit();
    const late = connections.enter();
    assert.equal(late.destroyed, true);
    assert.equal(connections.guest(late), undefined);
    clients[0]!.destroy();
    await new Promise((closed) => clients[0]!.once('close', closed));
    assert.equal(connections.enter().destroyed, false, 'there is room again');
  });

  it('does not wait long for one whose session has ended to take the rest', () => {
    const connections = new TestConnections();
    const client = connections.enter();
    connections.guest(client).admit();
    client._write = () => undefined;
    client.write('never taken');
    connections.guest(client).end();
    connections.pass(9_999);
    assert.equal(client.destroyed, false);
    connections.pass(1);
    assert.equal(client.destroyed, true);
  });
});
