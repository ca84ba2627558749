import assert from 'node:assert/strict';
import { whyNoHandle, type NoHandle } from '../../adapter/values/no-handle';

function why(type: string, text: string, facts: Partial<NoHandle> = {}): string {
  return whyNoHandle(type, text, {
    isKindGiven: false,
    number: undefined,
    named: undefined,
    conflict: undefined,
    untold: undefined,
    ...facts,
  });
}

describe('why an expression is no handle', () => {
  it('advises to name the kind of a number', () => {
    const number = { expression: 'left', isMember: false };
    assert.equal(
      why('int', 'left', { number }),
      'its type is int, not an MPI handle: mpidbg print left shows its value; if it holds one, name the kind, as in comm:left or comm.f:left',
    );
  });

  it('names a number that MPI has a name for', () => {
    const number = { expression: 'left', isMember: false };
    assert.equal(
      why('int', 'left', { number, named: 'MPI_PROC_NULL (-2)' }),
      'left is MPI_PROC_NULL (-2), not a handle',
    );
  });

  it('advises to name one number of a struct, not the struct', () => {
    const number = { expression: 'solver->n', isMember: true };
    assert.equal(
      why('std::unique_ptr<Solver>', 'solver', { number }),
      'its type is std::unique_ptr<Solver>, not an MPI handle: mpidbg print solver shows its value; if it holds one, name the number and its kind, as in comm:solver->n',
    );
  });

  it('quotes for a shell what is more than a name', () => {
    assert.match(why('double', 'a[1] * 2'), /: mpidbg print 'a\[1\] \* 2' shows its value$/);
  });

  it('advises nothing more where there is no number', () => {
    assert.equal(why('double', 'tol'), 'its type is double, not an MPI handle: mpidbg print tol shows its value');
  });
});
