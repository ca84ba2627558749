import assert from 'node:assert/strict';
import { describeFields, fullText } from '../../plugin-api/mpi/describe';
import type { RequestInfo } from '../../plugin-api/mpi/records';
import { capabilityInWords, inWords } from '../../plugin-api/mpi/words';

function fieldsOf(fields: object): string[] {
  const info = { handle: '0x1', fortranHandle: 1, name: '', flags: [], ...fields } as unknown as RequestInfo;
  return describeFields(info).map((field) => `${inWords(field).name}: ${fullText(inWords(field))}`);
}

describe('the fields of a record in words', () => {
  it('have plain names and values', () => {
    const shown = fieldsOf({ operation: 'empty', unknownFlags: ['freedHandle'], flags: ['requestNull'], bytesDone: 8 });
    assert.deepEqual(shown, [
      'name: ""',
      'operation: completed by its call',
      'bytes done: 8',
      'handle: 0x1',
      'Fortran handle: 1',
      'flags: [null]',
      'flags that this MPI does not record: [handle freed]',
    ]);
  });

  it('have plain values in structures too', () => {
    assert.ok(
      fieldsOf({ epoch: { access: 'lockAll', exposure: 'none' } }).includes(
        'epoch: {access: lock all, exposure: none}',
      ),
    );
  });

  it('keep names that only a plugin knows', () => {
    assert.deepEqual(['WINDOW_LIST', 'OTHER'].map(capabilityInWords), ['windows', 'OTHER']);
  });
});
