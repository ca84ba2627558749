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

  it('tells the list that a line announces', () => {
    const printed =
      '--------\nA call to mkdir was unable to create the desired directory:\n\n' +
      '  Directory: /small/ompi.node\n  Error:     No space left on device\n\nPlease check to ensure you have adequate permissions.\n';
    assert.equal(
      complaintIn(printed),
      'A call to mkdir was unable to create the desired directory: Directory: /small/ompi.node; Error: No space left on device',
    );
    assert.equal(complaintIn('it failed:\nno list\n'), 'it failed:');
  });
});
