/** Which words of a command line are options, and which are expressions. */
import assert from 'node:assert/strict';
import { parseCommand } from '../../adapter/cli/arguments/parse-command';

describe('a word that begins with -', () => {
  const expressionsOf = (...argv: string[]): readonly string[] => {
    const command = parseCommand(argv);
    return 'expressions' in command ? command.expressions : [];
  };

  it('is an expression where expressions are taken, wherever it stands', () => {
    assert.deepEqual(expressionsOf('print', '-a**2', '-1', '-offset', '--pid', '1', '-x[0]'), [
      ...['-a**2', '-1', '-offset', '-x[0]'],
    ]);
    assert.deepEqual(expressionsOf('print', '--core', 'core.1', '-a', '--frame', 'main'), ['-a']);
    assert.deepEqual(expressionsOf('nan', '--pid', '1', '--', '-field', '--x'), ['-field', '--x']);
  });

  it('is an option that does not exist, or its missing argument, everywhere else', () => {
    for (const [argv, message] of [
      [['print', '--a', '--pid', '1'], /^Unknown option '--a'/],
      [['print', 'a', '--ranks', '-1', '--pid', '1'], /^--ranks needs an argument/],
      [['stacks', '-a', '--pid', '1'], /^Unknown option '-a'/],
      [['print', '-o', 'x', '--pid', '1'], /^print does not take -o/],
    ] as const)
      assert.throws(() => parseCommand(argv), { name: 'UsageError', message }, argv.join(' '));
  });
});
