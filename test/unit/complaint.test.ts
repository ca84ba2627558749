import assert from 'node:assert/strict';
import { complaintIn } from '../../plugin-api/complaint';

describe("a launcher's complaint", () => {
  it('is the line that says why', () => {
    const ofOpenmpi = `${'-'.repeat(74)}\nAll nodes which are allocated for this job are already filled.\n${'-'.repeat(74)}\n`;
    assert.equal(complaintIn(ofOpenmpi), 'All nodes which are allocated for this job are already filled.');
    assert.equal(
      complaintIn(
        'srun: job 4 queued and waiting for resources\nsrun: error: Unable to create step for job 4: Access/permission denied\n',
      ),
      'srun: error: Unable to create step for job 4: Access/permission denied',
    );
    assert.equal(
      complaintIn('=====\n=   BAD TERMINATION OF ONE OF YOUR PROCESSES\n=====\n'),
      '=   BAD TERMINATION OF ONE OF YOUR PROCESSES',
    );
  });

  it('may be missing', () => assert.equal(complaintIn('\n-----\n'), undefined));
});
