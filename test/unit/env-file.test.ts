import assert from 'node:assert/strict';
import { environmentIn } from '../../adapter/dap/start/env-file';

describe('a file of environment variables', () => {
  it('has a variable on each line, with comments and quotes', () => {
    const text = '# of the job\nA=1\n\nexport B = two words  # a comment\nC="x\\n y "\nD=\'a # b\'\r\nE=\n';
    assert.deepEqual(environmentIn(text, '.env'), { A: '1', B: 'two words', C: 'x\n y ', D: 'a # b', E: '' });
  });

  it('is refused where a line is none', () => {
    assert.throws(
      () => environmentIn('A=1\nnonsense\n', '/home/me/.env'),
      /line 2 of \/home\/me\/\.env is not NAME=value/,
    );
  });
});
