import assert from 'node:assert/strict';
import { wordsOfAnswer } from '../../../extension/variables/variable-words';

it('what a change of a variable came to is in words, with the refusal by its name', () => {
  assert.deepEqual(
    [
      wordsOfAnswer('write', { done: true, values: [5, 6] }),
      wordsOfAnswer('reset', { done: true }),
      wordsOfAnswer('reset', { done: false, error: 'MPI_T_ERR_PVAR_NO_WRITE' }),
      wordsOfAnswer('start', { done: false, error: 'stopped: takes effect when the rank goes on' }),
      wordsOfAnswer('write', { done: false, error: 'MPI_ERR_OTHER' }),
    ],
    [
      'written, now 5 6',
      'reset',
      'it cannot be written or reset (MPI_T_ERR_PVAR_NO_WRITE)',
      'stopped: takes effect when the rank goes on',
      'MPI_ERR_OTHER',
    ],
  );
});
