/** What a client hears of the time when it was not there. */
import assert from 'node:assert/strict';
import { DapConnection, type EventBodies } from '../../adapter/dap/client/connection';
import { maxMissed, ReturningClient } from '../../adapter/dap/client/returning-client';

class HearingConnection extends DapConnection {
  readonly heard: string[] = [];

  constructor() {
    super(
      () => () => undefined,
      () => undefined,
    );
  }

  override send<Name extends keyof EventBodies>(name: Name, body: EventBodies[Name]): void {
    this.heard.push(body !== undefined && 'output' in body ? body.output : name);
  }
}

describe('a client that comes back', () => {
  const printed = (output: string) => ({ category: 'stdout', output });

  it('is told what was printed and that the job ended, in order, and nothing that it asks for anyway', () => {
    const client = new ReturningClient();
    const [first, second] = [new HearingConnection(), new HearingConnection()];
    client.connect(first);
    client.send('output', printed('before\n'));
    client.leave();
    client.send('output', printed('one\n'));
    client.send('thread', { reason: 'started', threadId: 1 });
    client.say('rank 0 exited with status 0');
    client.send('terminated', undefined);
    client.connect(second);
    assert.deepEqual(second.heard, []);
    client.catchUp();
    client.send('thread', { reason: 'exited', threadId: 1 });
    assert.deepEqual(first.heard, ['before\n']);
    assert.deepEqual(second.heard, ['one\n', 'rank 0 exited with status 0\n', 'terminated', 'thread']);
  });

  it('is told the latest of very much, and that there was more', () => {
    const client = new ReturningClient();
    client.leave();
    const half = 'x'.repeat(maxMissed / 2);
    for (const begin of ['1', '2', '3']) client.send('output', printed(begin + half.slice(1)));
    client.send('exited', { exitCode: 0 });
    const back = new HearingConnection();
    client.connect(back);
    client.catchUp();
    assert.deepEqual(
      back.heard.map((each) => each.slice(0, 21)),
      ['what the job printed ', `2${half.slice(0, 20)}`, `3${half.slice(0, 20)}`, 'exited'],
    );
  });
});
