import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Duplex } from 'node:stream';
import { EvaluationLimit, maxEvaluation } from '../../adapter/gdb/mi/evaluation-limit';
import { GdbError, GdbLostError, MiConnection } from '../../adapter/gdb/mi/mi-connection';
import { FakeClock } from '../support/fake-clock';

/** The other end of a dialogue: keeps what was sent, says what the test says. */
class FakeGdb extends Duplex {
  readonly sent: string[] = [];

  override _read(): void {
    // What gdb says is pushed by the test.
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.sent.push(...chunk.toString().split('\n').slice(0, -1));
    done();
  }

  says(text: string): void {
    this.push(text);
  }
}

describe('MI connection', () => {
  it('gives each command its own answer', async () => {
    const gdb = new FakeGdb();
    const connection = new MiConnection(gdb);
    const first = connection.command('-a');
    const second = connection.command('-b');
    assert.deepEqual(gdb.sent, ['1-a', '2-b']);
    gdb.says('2^done,x="2"\n(gdb) \n1^done,x="1"\n');
    assert.deepEqual([(await first).x, (await second).x], ['1', '2']);
  });

  it('reads lines that arrive in any pieces', async () => {
    const gdb = new FakeGdb();
    const connection = new MiConnection(gdb);
    const answer = connection.command('-a');
    for (const byte of Buffer.from('1^done,x="é"\r\n')) gdb.push(Buffer.from([byte]));
    assert.equal((await answer).x, 'é');
  });

  it('puts settings around a command, whose answer is its own', async () => {
    const gdb = new FakeGdb();
    const connection = new MiConnection(gdb);
    const asked = connection.command('-x "a b"', ['language c', 'confirm off']);
    const sent = String.raw`2-interpreter-exec console "with language c -- with confirm off -- interpreter-exec mi3 \"1-x \\\"a b\\\"\""`;
    assert.deepEqual(gdb.sent, [sent]);
    gdb.says('1^done,x="1"\n2^done\n');
    assert.equal((await asked).x, '1');
  });

  it('tells which setting around a command is refused', async () => {
    const gdb = new FakeGdb();
    const connection = new MiConnection(gdb);
    const asked = connection.command('-x', ['nonsense on']);
    gdb.says('2^error,msg="No symbol \\"nonsense\\" in current context."\n');
    await assert.rejects(asked, { message: 'No symbol "nonsense" in current context.', command: '-x' });
  });

  it('rejects with gdb’s words, the command, and the stack of the caller', async () => {
    const gdb = new FakeGdb();
    const connection = new MiConnection(gdb);
    async function askSomething(): Promise<void> {
      await connection.command('-data-evaluate-expression "x"');
    }
    const asked = askSomething();
    gdb.says('1^error,msg="No symbol \\"x\\" in current context."\n');
    await assert.rejects(asked, (error: unknown) => {
      assert.ok(error instanceof GdbError);
      assert.equal(error.message, 'No symbol "x" in current context.');
      assert.equal(error.command, '-data-evaluate-expression "x"');
      assert.match(error.stack ?? '', /^GdbError: No symbol "x"/);
      assert.match(error.stack ?? '', /askSomething/);
      return true;
    });
  });

  it('collects what a command prints, not what others print', async () => {
    const gdb = new FakeGdb();
    const connection = new MiConnection(gdb);
    gdb.says('~"before"\n');
    await once(connection, 'stream');
    const first = connection.commandOutput('-interpreter-exec console "x"');
    const second = connection.commandOutput('-interpreter-exec console "y"');
    gdb.says('~"x1\\n"\n~"x2\\n"\n1^done\n~"y\\n"\n2^done\n');
    assert.deepEqual([await first, await second], ['x1\nx2\n', 'y\n']);
  });

  it('tells events and noise, and goes on', async () => {
    const gdb = new FakeGdb();
    const connection = new MiConnection(gdb);
    const events: string[] = [];
    connection.on('async', (record) => events.push(record.class));
    connection.on('noise', (line) => events.push(line));
    const answer = connection.command('-a');
    gdb.says('warning: no MI\n*stopped,thread-id="1"\n99^done\n1^done\n');
    await answer;
    assert.deepEqual(events, ['warning: no MI', 'stopped']);
  });

  it('tells what is behind an answer when whoever waited for the answer has gone on, also in one piece', async () => {
    const gdb = new FakeGdb();
    const connection = new MiConnection(gdb);
    const order: string[] = [];
    connection.on('async', (record) => order.push(record.class));
    async function ask(command: string): Promise<void> {
      order.push(`${command} answered`);
      await Promise.resolve();
      await Promise.resolve();
      order.push(`${command} done`);
    }
    const asked = [connection.command('-a').then(() => ask('a')), connection.command('-b').then(() => ask('b'))];
    gdb.says('*running,thread-id="1"\n1^running\n*stopped,thread-id="1"\n2^done\n=thread-exited,id="1"\n');
    gdb.push(null);
    await Promise.all([...asked, once(connection, 'closed')]);
    assert.deepEqual(order, ['running', 'a answered', 'a done', 'stopped', 'b answered', 'b done', 'thread-exited']);
  });

  it('tells when gdb takes back that something runs, with what it said about it', async () => {
    const gdb = new FakeGdb();
    const connection = new MiConnection(gdb);
    const told: (readonly string[])[] = [];
    connection.on('retracted', (words) => told.push(words));
    const answers = [connection.command('-exec-continue'), connection.command('-b')];
    gdb.says('&"before\\n"\n1^running\n*running,thread-id="1"\n&"Cannot insert breakpoint 3.\\n"\n');
    gdb.says('1^error,msg="Command aborted."\n2^done\n&"behind\\n"\n2^error,msg="no"\n');
    gdb.push(null);
    await Promise.all([...answers, once(connection, 'closed')]);
    assert.deepEqual(told, [['Cannot insert breakpoint 3.\n', 'Command aborted.']]);
  });

  it('rejects everything when gdb is gone, and from then on', async () => {
    const gdb = new FakeGdb();
    const connection = new MiConnection(gdb);
    const reasons: string[] = [];
    connection.on('closed', (why) => reasons.push(why));
    const pending = [connection.command('-a'), connection.command('-b')];
    gdb.push(null);
    for (const command of pending) await assert.rejects(command, GdbLostError);
    await assert.rejects(connection.command('-c'), GdbLostError);
    assert.ok(connection.isClosed);
    assert.equal(reasons.length, 1);
  });

  it('ends an evaluation that has no end, and says so', async () => {
    const { gdb, connection, clock, interrupts } = limited();
    const asked = connection.command('-var-create --thread 1 --frame 0 - * "m"');
    asked.catch(() => undefined);
    const behind = connection.command('-data-evaluate-expression --thread 1 --frame 0 "n"');
    await clock.passes(maxEvaluation);
    assert.ok(interrupts() > 0);
    gdb.says('1^done,name="var1",numchild="0",value="{...}",dynamic="1"\n2^error,msg="Quit"\n');
    const why = { message: 'this took longer than 5 s: is it initialized?' };
    await assert.rejects(asked, why);
    // Half a value is none; and what an interrupt ended that came too late is asked for again.
    assert.deepEqual(gdb.sent.slice(2), ['-var-delete "var1"', '2-data-evaluate-expression --thread 1 --frame 0 "n"']);
    gdb.says('2^done,value="3"\n');
    assert.equal((await behind).value, '3');
    // The very same would take as long again, until a thread runs.
    await assert.rejects(connection.command('-var-create --thread 1 --frame 0 - * "m"'), why);
    const runs = once(connection, 'async');
    gdb.says('*running,thread-id="1"\n');
    await runs;
    const again = connection.command('-var-create --thread 1 --frame 0 - * "m"');
    gdb.says('3^done,name="var2"\n');
    assert.equal((await again).name, 'var2');
  });

  it('does not count the time of other commands, and of a gdb that computes nothing', async () => {
    const { gdb, connection, clock, interrupts, computes } = limited();
    const first = connection.command('-file-symbol-file "a"');
    const second = connection.command('-data-evaluate-expression --thread 1 --frame 0 "m"');
    await clock.passes(10 * maxEvaluation);
    computes(false);
    gdb.says('1^done\n');
    await first;
    await clock.passes(10 * maxEvaluation);
    assert.equal(interrupts(), 0);
    gdb.says('2^done,value="1"\n');
    assert.equal((await second).value, '1');
  });
});

/** A dialogue whose evaluations have a limit; its gdb computes all the time, unless it is told not to. */
function limited(): {
  gdb: FakeGdb;
  connection: MiConnection;
  clock: { passes: (milliseconds: number) => Promise<void> };
  interrupts: () => number;
  computes: (does: boolean) => void;
} {
  const gdb = new FakeGdb();
  const clock = new FakeClock();
  let [sent, does] = [0, true];
  const limit = new EvaluationLimit(
    { processorTime: async () => (does ? clock.now() : 0), interrupt: async () => void (sent += 1) },
    (milliseconds, work) => clock.after(milliseconds, work),
  );
  const passes = async (milliseconds: number): Promise<void> => {
    for (let passed = 0; passed < milliseconds + 1000; passed += 250) {
      clock.pass(250);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const connection = new MiConnection(gdb, undefined, limit);
  return { gdb, connection, clock: { passes }, interrupts: () => sent, computes: (now) => void (does = now) };
}
