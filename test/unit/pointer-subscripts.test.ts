/** Indexes as steps of a pointer, in expressions as users write them. */
import assert from 'node:assert/strict';
import { withCppWords } from '../../adapter/expressions/cpp-words';
import { withPointerSubscripts } from '../../adapter/expressions/pointer-subscripts';

describe('indexes as steps of a pointer', () => {
  for (const [source, written] of [
    ['a[5]', '(*(a + (5)))'],
    ['(*p)[2][i + b[1]]', '(*((*((*p) + (2))) + (i + (*(b + (1))))))'],
    ['&h->data[3] - x', '&(*(h->data + (3))) - x'],
    ['c == \'[\' && s[0] == "a[1]"', 'c == \'[\' && (*(s + (0))) == "a[1]"'],
    ['sizeof(a[3])', 'sizeof(a[3])'],
    ['3.5 + x', '3.5 + x'],
  ] as const)
    it(`has ${source}`, () => assert.equal(withPointerSubscripts(source), written));
});

describe('words of C++', () => {
  for (const [source, written] of [
    ['a and b or not c', 'a && b || !c'],
    ['name == "x and y" and z', 'name == "x and y" && z'],
    ['(a) bitand (b)', '(a) & (b)'],
    ['x not_eq 3', 'x != 3'],
    ['and == 3', 'and == 3'],
    ['not(x)', 'not(x)'],
    ['(anonymous namespace)::a.b + 1', "'(anonymous namespace)::a'.b + 1"],
  ] as const)
    it(`are ${written}`, () => assert.equal(withCppWords(source), written));
});
