/** How long a job is held, and how one attaches to it. */
import assert from 'node:assert/strict';
import { parseCommand } from '../../adapter/cli/arguments/parse-command';
import { attachLines } from '../../adapter/cli/attach-lines';

describe('a job that is held', () => {
  const holdOf = (text: string): number | undefined => {
    const command = parseCommand(['run', '--hold', text, '--', 'mpirun', './a']);
    return command.name === 'run' ? command.hold : undefined;
  };

  it('is held for seconds, minutes or hours', () => {
    assert.deepEqual(['90', '90s', '30m', '2h'].map(holdOf), [90, 90, 1800, 7200]);
  });

  it('is held for a time that a timer can wait, and for none that is unclear', () => {
    for (const text of ['', '0', '0m', '1.5h', '30 m', '30min', '1d', '556h', '9999999h', '1e3'])
      assert.throws(() => holdOf(text), { name: 'UsageError', message: /^--hold takes a duration up to 555h/ }, text);
  });

  it('waits at a line or in a function', () => {
    const placeOf = (text: string) => {
      const command = parseCommand(['run', '--stop-at', text, '--', 'mpirun', './a']);
      return command.name === 'run' ? command.stopAt : undefined;
    };
    assert.deepEqual(placeOf('src/solver.c:41'), { kind: 'line', file: 'src/solver.c', line: 41 });
    for (const name of ['MPI_Init', 'ocean::relax', 'Field<double>::step(int, char*)', '~Field'])
      assert.deepEqual(placeOf(name), { kind: 'function', function: name });
    for (const text of ['', '41', 'solver.c:0', 'solver.c:', 'a\nb'])
      assert.throws(
        () => placeOf(text),
        { name: 'UsageError', message: /^--stop-at takes a line or a function/ },
        text,
      );
  });

  it('has a link that starts a session', () => {
    const [command = '', link = ''] = attachLines({ job: '4711' });
    assert.equal(command, 'look at it: mpidbg stacks --job 4711');
    const { protocol, host, pathname, search } = new URL(link.slice(link.indexOf('vscode:')));
    assert.deepEqual([protocol, host, pathname], ['vscode:', 'mpidbg.mpidbg', '/launch/config']);
    assert.deepEqual(JSON.parse(decodeURIComponent(search.slice(1))), {
      ...{ request: 'attach', name: '--job 4711', job: '4711' },
    });
  });
});
