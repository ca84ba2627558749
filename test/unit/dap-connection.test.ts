/** A session before it is one: what is heard and said before initialize; and a client that does not read. */
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { comfortableBytes, DapConnection, maxUnreadBytes, type Handler } from '../../adapter/dap/client/connection';
import { unknownRequest } from '../../adapter/dap/client/errors';
import { MessageReader } from '../../adapter/dap/client/message-reader';

/** A connection whose every command is known but `toString`, and all that it did. */
class TestConnection {
  readonly input = new PassThrough();
  readonly output = new PassThrough();
  readonly log: string[] = [];
  readonly connection: DapConnection;

  constructor(isOpenToStrangers: boolean) {
    const handlerOf = (command: string): Handler => {
      if (command === 'toString') throw unknownRequest(command);
      return () => void this.log.push(`handled ${command}`);
    };
    this.connection = new DapConnection(handlerOf, () => this.log.push('disconnected'));
    this.connection.open({
      ...{ input: this.input, output: this.output, isOpenToStrangers },
      accepted: () => this.log.push('accepted'),
      refused: (problem) => this.log.push(`refused: ${problem}`),
    });
  }

  /** In one piece. Resolves when everything is answered that has an answer. */
  async say(...commands: readonly string[]): Promise<void> {
    const messages = commands.map((command, i) => JSON.stringify({ seq: i + 1, type: 'request', command }));
    this.input.write(messages.map((json) => `Content-Length: ${json.length}\r\n\r\n${json}`).join(''));
    await new Promise((done) => setImmediate(done));
  }

  said(): string[] {
    const reader = new MessageReader();
    const messages = [...reader.read((this.output.read() as Buffer | null) ?? Buffer.alloc(0))];
    return messages.map((message) => {
      const { type, command, event, success, message: error } = message as unknown as Record<string, string>;
      return [type, command ?? event, success, error].filter((word) => word !== undefined).join(' ');
    });
  }
}

describe('a session before initialize', () => {
  it('is none for a stranger: nothing is handled, nothing is said', async () => {
    for (const first of ['launch', 'disconnect', 'toString', 'Initialize']) {
      const test = new TestConnection(true);
      await test.say(first, 'initialize', 'launch');
      assert.deepEqual(test.log, ['refused: the first request of a client is not initialize', 'disconnected'], first);
      test.connection.send('terminated', undefined);
      test.connection.say('a line');
      assert.deepEqual(test.said(), []);
    }
  });

  it('tells the program that started the adapter what is missing', async () => {
    const test = new TestConnection(false);
    await test.say('launch', 'toString');
    assert.deepEqual(test.said(), [
      'response launch false send initialize before launch',
      'response toString false send initialize before toString',
    ]);
    assert.deepEqual(test.log, []);
    await test.say('initialize');
    assert.deepEqual(test.log, ['handled initialize']);
  });

  for (const isOpenToStrangers of [true, false]) {
    it(`ends with the first initialize, ${isOpenToStrangers ? 'in a server' : 'on standard input'}`, async () => {
      const test = new TestConnection(isOpenToStrangers);
      await test.say('initialize', 'threads', 'initialize', 'toString', 'threads');
      assert.deepEqual(test.log, ['handled initialize', 'handled threads', 'handled threads']);
      assert.deepEqual(test.said().sort(), [
        'response initialize false initialize was already sent: it comes first in a session, and only once',
        'response initialize true',
        'response threads true',
        'response threads true',
        'response toString false mpidbg does not support the request "toString"',
      ]);
    });
  }
});

describe('a client that sends no DAP', () => {
  it('is heard until there, and no further', async () => {
    const test = new TestConnection(true);
    await test.say('initialize');
    test.input.write('GET / HTTP/1.1\r\n\r\n');
    await test.say('launch');
    assert.deepEqual(test.log, [
      'handled initialize',
      'refused: a message does not begin with the header "Content-Length: N", N being its length in bytes',
      'disconnected',
    ]);
  });
});

describe('a client that does not read', () => {
  it('has to catch up when it has left much', async () => {
    const { connection, output } = new TestConnection(true);
    let unread = comfortableBytes;
    Object.defineProperty(output, 'writableLength', { get: () => unread });
    assert.equal(connection.catchingUp(), undefined);
    const listeners = output.listenerCount('close');
    for (const event of ['drain', 'close']) {
      unread += 1;
      const read = connection.catchingUp();
      assert.equal(connection.catchingUp(), read);
      let isRead = false;
      void read?.then(() => (isRead = true));
      await new Promise(setImmediate);
      assert.equal(isRead, false);
      unread = comfortableBytes;
      output.emit(event);
      await read;
      assert.equal(connection.catchingUp(), undefined);
    }
    assert.equal(output.listenerCount('close'), listeners);
  });

  it('is gone when it has left too much', async () => {
    const test = new TestConnection(true);
    await test.say('initialize');
    let unread = maxUnreadBytes;
    Object.defineProperty(test.output, 'writableLength', { get: () => unread });
    test.connection.say('a line');
    assert.equal(test.output.destroyed, false);
    unread += 1;
    test.connection.say('one more');
    test.connection.say('and one more');
    assert.equal(test.output.destroyed, true);
    assert.equal(test.connection.catchingUp(), undefined);
    assert.deepEqual(test.log.slice(1), ['refused: the client does not read its messages', 'disconnected']);
  });
});

describe('what is said in the debug console', () => {
  const long = `Rank 0 waits in MPI_Recv (./solver.c:12) for a message ${'that nobody sends '.repeat(8)}to it.`;
  const said = async (clientID: string, output: object): Promise<string> => {
    const test = new TestConnection(false);
    await test.say('initialize');
    test.said();
    test.connection.know({ clientID });
    test.connection.send('output', output as never);
    const [event] = new MessageReader().read(test.output.read() as Buffer) as unknown as [{ body: { output: string } }];
    return event.body.output;
  };

  it('is broken between words for VS Code, which would break it within them', async () => {
    const output = `a title\n${long}\n`;
    const lines = (await said('vscode', { category: 'console', output })).split('\n');
    for (const line of lines) assert.ok(line.length <= 100, line);
    assert.deepEqual([lines[0], lines.at(-1)], ['a title', '']);
    assert.equal(lines.slice(1).join(' '), `${long} `);
    assert.equal(await said('other', { category: 'console', output }), output);
  });

  it('stays as it is where a program or a breakpoint says it', async () => {
    for (const body of [
      { category: 'stdout' },
      { category: 'stderr' },
      { category: 'console', source: { path: '/a.c' } },
    ])
      assert.equal(await said('vscode', { ...body, output: long }), long);
  });
});

describe('a stop that VS Code has not shown yet when other ranks stop', () => {
  const shown = { reason: 'step', threadId: 1 };
  const others = { reason: 'step', threadId: 2, preserveFocusHint: true, allThreadsStopped: true };

  async function toldAfter(
    clientID: string,
    between: (test: TestConnection) => void | Promise<void>,
  ): Promise<string[]> {
    const test = new TestConnection(false);
    test.connection.know({ clientID });
    await test.say('initialize');
    test.connection.send('stopped', shown);
    await between(test);
    test.said();
    test.connection.send('stopped', others);
    return test.said();
  }
  const [once, twice] = [['event stopped'], ['event stopped', 'event stopped']];

  it('is sent again', async () => {
    assert.deepEqual(await toldAfter('vscode', () => undefined), twice);
    assert.deepEqual(await toldAfter('vscode', (test) => test.say('threads', 'stackTrace')), twice);
  });

  it('is not where it was shown, or the thread runs or has ended, nor to other clients', async () => {
    for (const command of ['scopes', 'next', 'continue'])
      assert.deepEqual(await toldAfter('vscode', (test) => test.say(command)), once, command);
    assert.deepEqual(
      await toldAfter('vscode', ({ connection }) => connection.send('continued', { threadId: 1 })),
      once,
    );
    const ended = { reason: 'exited', threadId: 1 };
    assert.deepEqual(await toldAfter('vscode', ({ connection }) => connection.send('thread', ended)), once);
    assert.deepEqual(await toldAfter('nvim-dap', () => undefined), once);
  });
});
