import assert from 'node:assert/strict';
import { whyNotAtBreakpoint, whyNotInFortran } from '../../adapter/expressions/fortran-refusals';

describe('what mpidbg does not work out in Fortran', () => {
  it('is told: joined texts, and parts of SELECT TYPE', () => {
    assert.match(whyNotInFortran("name // 'x' == 'abx'") ?? '', /does not join texts \(\/\/\)/);
    assert.match(whyNotInFortran("trim(name)//'x'") ?? '', /does not join texts/);
    for (const statement of ['class is (ball)', 'TYPE IS(ball)', 'select  type (s)', 'class default'])
      assert.match(whyNotInFortran(statement) ?? '', /^".*" is part of a statement: ask for a component/, statement);
  });

  it('is told: parentheses that do not match', () => {
    assert.match(whyNotInFortran("a(1 == ')'") ?? '', /not closed/);
    assert.match(whyNotInFortran("a(1)) == '('") ?? '', /has no opening one/);
    assert.match(whyNotInFortran(')(') ?? '', /has no opening one/);
    for (const expression of ["name == ')('", 'a((1))', 'f()', "it == ''"])
      assert.equal(whyNotInFortran(expression), undefined, expression);
  });

  it('is told at a breakpoint: parentheses with nothing in them', () => {
    for (const expression of ['a()', 'c%t( ) == 1', '(a)()', 'n == 1 .or. f()'])
      assert.match(whyNotAtBreakpoint(expression) ?? '', /^nothing is between the parentheses/, expression);
    for (const expression of ["name == 'a()'", 'a(1)', '()']) assert.equal(whyNotAtBreakpoint(expression), undefined);
  });

  it('is nothing of texts, divisions, and names that begin alike', () => {
    for (const expression of [
      "path == 'a//b'",
      "kind == 'class is (x)'",
      'a / b / c',
      'class_is == 3',
      'a /= b',
      'class%type',
    ])
      assert.equal(whyNotInFortran(expression), undefined, expression);
  });
});
