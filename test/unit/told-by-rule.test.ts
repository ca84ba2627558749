/** What gdb's Python writes of a log point or a failed condition, in a user's words. */
import assert from 'node:assert/strict';
import { inWordsOf } from '../../adapter/gdb/fortran-words';
import { toldByRule } from '../../adapter/gdb/python/stop-rule';
import { whyUnevaluated } from '../../adapter/job/breakpoint-conditions';

const absent = 'absent: OPTIONAL and not passed, not allocated, or a POINTER to nothing';

describe('a value of Fortran that is not there', () => {
  it('is absent in a log message, as in a view', () => {
    const values = [
      '<Cannot access memory at address 0x0>',
      '<error reading variable: failed to get range bounds>',
      "'<Cannot access memory at address 0x0>'",
    ];
    const line = { kind: 'logged', rule: 3, inferior: 1, parts: values.flatMap((value) => [{ value }, ' ']) };
    assert.deepEqual(
      toldByRule(`\u0001mpidbg ${JSON.stringify(line)}`, (rule, why) => inWordsOf(rule === 3 ? 'fortran' : 'c', why)),
      {
        ...{ kind: 'logged', rule: 3, inferior: 1 },
        text: `<${absent}> <only the caller knows its size (*): ask for an element> '<Cannot access memory at address 0x0>' `,
      },
    );
  });

  it('is why a condition cannot be evaluated', () => {
    assert.equal(whyUnevaluated('Cannot access memory at address 0x0', 'fortran'), absent);
    assert.match(whyUnevaluated('Cannot access memory at address 0x0', 'c'), /0x0/);
  });
});
