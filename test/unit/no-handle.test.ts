import assert from 'node:assert/strict';
import { whyNoHandle, type NoHandle } from '../../adapter/values/no-handle';

function why(type: string, text: string, facts: Partial<NoHandle> = {}): string {
  return whyNoHandle(type, text, {
    isKindGiven: false,
    number: undefined,
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
      'its type is int, which is not an MPI handle: name the kind, as in comm:left or comm.f:left',
    );
  });

  it('advises to name one number of a struct, not the struct', () => {
    const number = { expression: 'solver->n', isMember: true };
    assert.equal(
      why('std::unique_ptr<Solver>', 'solver', { number }),
      'its type is std::unique_ptr<Solver>, which is not an MPI handle: if a number in it is one, name that and its kind, as in comm:solver->n',
    );
  });

  it('advises nothing where there is no number', () => {
    assert.equal(why('double', 'tol'), 'its type is double, which is not an MPI handle');
  });
});
