/** What the editor writes at the ends of lines. */
import assert from 'node:assert/strict';
import { withoutOtherFunctions } from '../../extension/editor/entered-code';
import { inMargin } from '../../extension/editor/margin-value';
import { variablesIn } from '../../extension/editor/variables-in-line';

describe('the code that has been entered', () => {
  const before = [
    'void step() {',
    '  int phase = 12;',
    '  auto post = [this, &requests](Side side, std::array<int, 3> tags) mutable -> int {',
    '    use(side, phase);',
    '    return tags[0];',
    '  };',
    '  for (int i = 0; i < n[0]; i++) { use(phase); }',
    '  each(list, [](int one) { return one; });',
  ];
  const namesIn = (lines: readonly string[]): string[][] =>
    withoutOtherFunctions(lines).map((line) => variablesIn(line, false).map(({ name }) => name));

  it('is without the lambdas that a function has, but with the lines around them, in their columns', () => {
    const lines = [...before, '  wait(phase);'];
    const names = namesIn(lines);
    assert.deepEqual(names[1], ['int', 'phase']);
    assert.deepEqual(names[2], ['auto', 'post']);
    assert.deepEqual([names[3], names[4]], [[], []]);
    assert.deepEqual(names[6], ['for', 'int', 'i', 'n', 'use', 'phase']);
    assert.deepEqual(names[7], ['each', 'list']);
    assert.deepEqual(names[8], ['wait', 'phase']);
    for (const [i, line] of withoutOtherFunctions(lines).entries()) assert.equal(line.length, lines[i]!.length);
  });

  it('of a lambda is the lambda alone', () => {
    const names = namesIn(before.slice(0, 4));
    assert.deepEqual(names[1], []);
    assert.ok(names[2]!.includes('side') && !names[2]!.includes('post'));
    assert.deepEqual(names[3], ['use', 'side', 'phase']);
  });
});

describe('a value in the margin', () => {
  it('is a number, a short text, a list or a handle', () => {
    for (const value of ['0.1', '"fog"', '{2, 2}', '600 numbers, all 0', '4 receives, 4 sends, all pending'])
      assert.equal(inMargin(value), value);
    assert.equal(inMargin('12 ≠'), '12 ≠');
    assert.equal(inMargin('MPI_Comm "torus" · rank 0 of 4 · cart 2×2 ≠'), 'MPI_Comm "torus" · rank 0 of 4 ≠');
    assert.equal(inMargin('MPI_Request · receive from 2 · tag 1 · pending'), 'receive from 2 · tag 1 · pending');
    const requests = '2 receives pending, 4 sends complete, 2 completed operations';
    assert.equal(inMargin(`${requests} ≠`), '2 receives pending, 4 sends complete, … ≠');
    assert.equal(inMargin('0x7ffe10 "heat"'), '"heat"');
    assert.equal(inMargin(`"${'a'.repeat(60)}"`), `"${'a'.repeat(37)}…"`);
  });

  it('is never an address, a lambda, half of something, or in words of the debugger', () => {
    const others = [
      '0x7ffe10',
      '(int *) 0x7ffe10',
      '0x401136 <twice>',
      'lambda at ripple.cpp:66',
      'not set yet',
      '{...}',
    ];
    for (const value of [...others, '<optimized out>', 'cannot be read', 'x'.repeat(60)])
      assert.equal(inMargin(value), undefined, value);
  });
});
