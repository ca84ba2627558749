import assert from 'node:assert/strict';
import { parseRecord } from '../../adapter/gdb/mi/mi-parser';
import { quote, type MiTuple } from '../../adapter/gdb/mi/mi-values';

/** A plain object: parsed tuples have no prototype. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function results(line: string): unknown {
  const record = parseRecord(line);
  assert.ok(record !== undefined && 'results' in record, line);
  return plain(record.results);
}

describe('MI parser', () => {
  it('reads result records with and without token', () => {
    assert.deepEqual(plain(parseRecord('17^done')), { kind: 'result', token: 17, class: 'done', results: {} });
    assert.deepEqual(plain(parseRecord('^error,msg="No symbol \\"x\\" in current context."')), {
      kind: 'result',
      class: 'error',
      results: { msg: 'No symbol "x" in current context.' },
    });
  });

  it('reads the stop at a breakpoint', () => {
    const line =
      '*stopped,reason="breakpoint-hit",disp="keep",bkptno="2",frame={addr="0x0000555555555199",func="main",' +
      'args=[{name="argc",value="1"}],file="t.c",fullname="/src/t.c",line="6",arch="i386:x86-64"},' +
      'thread-id="3",stopped-threads=["3"],core="1"';
    assert.deepEqual(plain(parseRecord(line)), {
      kind: 'exec',
      class: 'stopped',
      results: {
        reason: 'breakpoint-hit',
        disp: 'keep',
        bkptno: '2',
        frame: {
          addr: '0x0000555555555199',
          func: 'main',
          args: [{ name: 'argc', value: '1' }],
          file: 't.c',
          fullname: '/src/t.c',
          line: '6',
          arch: 'i386:x86-64',
        },
        'thread-id': '3',
        'stopped-threads': ['3'],
        core: '1',
      },
    });
  });

  it('drops the repeated names of lists', () => {
    assert.deepEqual(results('1^done,stack=[frame={level="0"},frame={level="1"}]'), {
      stack: [{ level: '0' }, { level: '1' }],
    });
    assert.deepEqual(results('1^done,a=[],b={},c=[[],["x"]]'), { a: [], b: {}, c: [[], ['x']] });
  });

  it('keeps every value of a name that a tuple repeats', () => {
    assert.deepEqual(results('1^done,bkpt={number="1"},bkpt={number="2"},bkpt={number="3"}'), {
      bkpt: [{ number: '1' }, { number: '2' }, { number: '3' }],
    });
    assert.deepEqual(results('1^done,script=["silent","continue"],script=["x"]'), {
      script: [['silent', 'continue'], ['x']],
    });
  });

  it('does not take a name for a property that every object has', () => {
    assert.deepEqual(
      results('1^done,constructor="1",__proto__="2"'),
      JSON.parse('{"constructor":"1","__proto__":"2"}'),
    );
  });

  it('undoes escapes, and reads octal ones as UTF-8', () => {
    assert.deepEqual(parseRecord('~"a\\tb\\n\\"c\\" d\\\\ \\303\\251\\342\\202\\254\\360\\237\\220\\233\\n"'), {
      kind: 'console',
      text: 'a\tb\n"c" d\\ é€🐛\n',
    });
    assert.deepEqual(parseRecord('&"\\\\\\\\"'), { kind: 'log', text: '\\\\' });
    assert.deepEqual(parseRecord('@"\\033[1m\\001"'), { kind: 'target', text: '\x1b[1m\x01' });
    assert.deepEqual(parseRecord('~"\\377"'), { kind: 'console', text: '\ufffd' });
  });

  it('is not fooled by marks inside of strings', () => {
    assert.deepEqual(results('1^done,value="{a = \\"],}\\", b = [1]}",x="\\\\"'), {
      value: '{a = "],}", b = [1]}',
      x: '\\',
    });
  });

  it('answers undefined for what is no MI', () => {
    for (const line of [
      '',
      'warning: x',
      '(gdb) ',
      '12',
      '^nonsense',
      '~"unfinished',
      '=x,',
      '*stopped,a',
      '^done,a={b="1"',
    ]) {
      assert.equal(parseRecord(line), undefined, line);
    }
  });

  it('reads a memory answer of 1 MiB faster than gdb writes one', () => {
    const contents = 'deadbeef'.repeat(2 ** 18);
    const line = `9^done,memory=[{begin="0x0",offset="0x0",end="0x100000",contents="${contents}"}]`;
    const start = process.cpuUsage();
    const record = parseRecord(line);
    const { user, system } = process.cpuUsage(start);
    assert.ok(record?.kind === 'result');
    assert.equal(((record.results.memory as MiTuple[])[0] ?? {}).contents, contents);
    assert.ok(user + system < 40_000, `${(user + system) / 1000} ms of processor time, gdb takes 40`);
  });

  it('quotes what commands take back', () => {
    const text = 'a "b" \\ c\n\t\u0001 é';
    const record = parseRecord(`~${quote(text)}`);
    assert.deepEqual(record, { kind: 'console', text });
    assert.ok(!quote(text).includes('\n'));
  });
});
