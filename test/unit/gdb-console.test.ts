/** Commands of gdb's own language: what they print is text, in every gdb. */
import assert from 'node:assert/strict';
import { userCommand } from '../../adapter/gdb/mi/support-commands';
import { isNameOfType, ptype } from '../../adapter/gdb/mi/symbol-query';
import { FakeGdb } from '../support/fake-gdb';

describe('a command of gdb’s own language', () => {
  it('selects its frame by MI: inside of `frame apply` gdb 18 writes what is printed as MI once more', async () => {
    const fake = new FakeGdb('in one piece');
    const gdb = await fake.connect();
    const thread = { gdb, gdbThread: 3 };
    const printed = userCommand(gdb, 'info registers rip', { thread, frame: 2 });
    await fake.plays(`
      > 1-interpreter-exec --thread 3 --frame 2 console "info registers rip"
      < ~"rip            0x1149              0x1149 <main+8>\\n"
      < 1^done`);
    assert.equal(await printed, 'rip            0x1149              0x1149 <main+8>\n');
    const type = ptype(thread, 1, 'z');
    await fake.plays(`
      > 1-interpreter-exec --thread 3 --frame 1 console "ptype z"
      < ~"type = complex double\\n"
      < 1^done`);
    assert.equal(await type, 'type = complex double\n');
    const isType = isNameOfType(thread, 0, 'stat');
    await fake.plays(`
      > 1-interpreter-exec --thread 3 --frame 0 console "whatis stat"
      < ~"type = Type stat\\n"
      < 1^done`);
    assert.equal(await isType, true);
  });

  it('has no colours in its messages, which gdb 18 would write where TERM names a terminal', async () => {
    const fake = new FakeGdb('in one piece');
    const connecting = fake.connect();
    await fake.plays(`
      > 1-gdb-set style enabled off
      < 1^done`);
    await connecting;
  });
});
