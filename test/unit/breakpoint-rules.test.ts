import assert from 'node:assert/strict';
import {
  checkConditionText,
  parseHitCondition,
  parseLogMessage,
  RuleError,
} from '../../adapter/dap/breakpoints/breakpoint-rules';
import { asksForNumber, withRank } from '../../adapter/gdb/python/rank-words';
import { parseRanks } from '../../plugin-api/answers/rank-set';

describe('what is written beside a breakpoint', () => {
  it('hit counts', () => {
    assert.deepEqual(parseHitCondition(' 5 '), { operator: '>=', count: 5 });
    for (const operator of ['<', '<=', '==', '!=', '>=', '>', '%'])
      assert.deepEqual(parseHitCondition(`${operator}12`), { operator, count: 12 });
    assert.deepEqual(parseHitCondition('= 3'), { operator: '==', count: 3 });
    for (const text of ['>= 0', '> 0', '!= 0', '< 2']) assert.ok(parseHitCondition(text));
    for (const text of ['0', '% 0', '== 0', '<= 0', '< 0', '< 1', 'often', '-1', '1.5', '5 5', '=> 3'])
      assert.throws(() => parseHitCondition(text), RuleError);
  });

  it('log messages', () => {
    assert.deepEqual(parseLogMessage('plain'), ['plain']);
    assert.deepEqual(parseLogMessage('lap {lap} of { laps }'), [
      'lap ',
      { expression: 'lap' },
      ' of ',
      { expression: 'laps' },
    ]);
    assert.deepEqual(parseLogMessage('{(int[2]){1, 2}}'), [{ expression: '(int[2]){1, 2}' }]);
    assert.deepEqual(parseLogMessage('\\{text\\} \\\\ \\n'), ['{text} \\ \\n']);
    assert.deepEqual(parseLogMessage('{{x}} {x} }} } {{{x}}}'), [
      ...['{x} ', { expression: 'x' }, ' } } {', { expression: 'x' }, '}'],
    ]);
    assert.throws(() => parseLogMessage('a {b'), RuleError);
  });

  it('$rank and sets of ranks', () => {
    const written = (text: string): string =>
      withRank(text, (set) => parseRanks(set).map(({ ranks, world = '0' }) => ({ world, ranges: ranks })));
    assert.equal(written('x > 3'), 'x > 3');
    assert.equal(written('$rank == 3'), '$_mpidbg_rank() == 3');
    assert.equal(written('$rank in 0-3,7 && x'), '$_mpidbg_rank_in(1,0,0,3,1,0,7,7) && x');
    assert.equal(written('$rank in 0, 0.1:2-3 ? a : b'), '$_mpidbg_rank_in(1,0,0,0,2,0,1,2,3) ? a : b');
    assert.equal(written('x ? $rank in 1 : 2'), 'x ? $_mpidbg_rank_in(1,0,1,1) : 2');
    assert.ok(asksForNumber('$rank in 1 || $rank == 2') && !asksForNumber('$rank in 0.1:1 && x'));
    assert.equal(written('$ranks + $rank'), '$ranks + $_mpidbg_rank()');
    assert.throws(() => checkConditionText('$rank in 3-1', 'c'), RuleError);
  });
});
