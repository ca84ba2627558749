/** Parentheses by the rules of Fortran, where gdb has others. */
import assert from 'node:assert/strict';
import { withPrecedence } from '../../adapter/expressions/fortran-precedence';

describe('the precedence of operators in Fortran', () => {
  for (const [source, written] of [
    ['.not. lap == 3', '.not. (lap == 3)'],
    ['.NOT.lap.eq.3.and.done', '.NOT. (lap.eq.3).and.done'],
    ["flag .and. .not. name == '.not. a' .or. b", "flag .and. .not. (name == '.not. a').or. b"],
    ['a == b .eqv. c == d', '(a == b) .eqv. (c == d)'],
    ['a .eqv. b .neqv. .not. c > 1', '((a) .eqv. (b)) .neqv. (.not. (c > 1))'],
    ['x .eqv. .false. .and. .true.', '(x) .eqv. (.false. .and. .true.)'],
    ['-a**2', '-(a**2)'],
    ['b == -a(i)**2 + 1', 'b == -(a(i)**2 )+ 1'],
    ['w(-2**n:3)%p(.not. q == 1)', 'w(-(2**n):3)%p(.not. (q == 1))'],
    ['$rank in 0-3 .and. (.not. lap == 2)', '$rank in 0-3 .and. (.not. (lap == 2))'],
  ] as const)
    it(`is told to gdb in ${source}`, () => {
      const plain = (text: string): string => text.replace(/\s+/g, '');
      assert.equal(plain(withPrecedence(source)), plain(written));
    });

  it('ends numbers where an operator begins', () => {
    for (const [source, written] of [
      ["a==2.or.b==1.5.and.c==1e3.or.d=='2.or.3'", "a==2 .or.b==1.5 .and.c==1e3 .or.d=='2.or.3'"],
      ['x2.or.y == 2.', 'x2.or.y == 2.'],
      ['i.eq.5.and..not.flag', 'i.eq.5 .and..not. flag'],
    ] as const)
      assert.equal(withPrecedence(source).replace(/[()]/g, ''), written);
  });

  it('leaves the kinds of literals out', () => {
    for (const [source, written] of [
      ['k == 4294967300_8', 'k == 4294967300'],
      ['x > 1.0_dp.and.y < .5_4', 'x > 1.0 .and.y < .5'],
      ['z == 1.e-3_8 .or. .true._1', 'z == 1.e-3 .or. .true.'],
      ["a_8 == b%c_2(3) .and. name == '2_8'", "a_8 == b%c_2(3) .and. name == '2_8'"],
    ] as const)
      assert.equal(withPrecedence(source), written);
  });

  for (const source of [
    'a - b**2',
    '2**3**2',
    'lap == 3 .and. x /= 1',
    'name == "-a**2"',
    'a(1:2)',
    'f(',
    '.not. flag)',
  ])
    it(`needs nothing or is left alone in ${source}`, () => {
      assert.equal(withPrecedence(source).replace(/[()\s]/g, ''), source.replace(/[()\s]/g, ''));
    });
});
