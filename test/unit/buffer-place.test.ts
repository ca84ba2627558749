/** The words for which variable a buffer is, and what is wrong with it. */
import assert from 'node:assert/strict';
import { describeBufferPlace } from '../../plugin-api/mpi/buffer-place';
import { describeAnswer, describeFields } from '../../plugin-api/mpi/describe';
import type { BufferPlace, RequestInfo } from '../../plugin-api/mpi/records';

describe('whose buffer it is, in words', () => {
  const request = { kind: 'request', handle: '0xb2' } as const;

  for (const [text, place] of [
    ['edge[0] of main', { expression: 'edge[0]', function: 'main', faults: [] }],
    [
      'where answer points of ask in thread 3',
      { expression: 'answer', isPointer: true, function: 'ask', thread: 3, faults: [] },
    ],
    ['edge; its buffer is 8 bytes too short', { expression: 'edge', faults: [{ kind: 'tooShort', beyond: 8 }] }],
    [
      'p; its buffer is at least 1 byte too short',
      { expression: 'p', faults: [{ kind: 'tooShort', beyond: 1, isAtLeast: true }] },
    ],
    ['no memory is mapped at its buffer', { faults: [{ kind: 'unmapped' }] }],
    [
      'in the heap, in no variable that is known; its buffer has been freed',
      { memory: 'heap', faults: [{ kind: 'freed' }] },
    ],
    [
      'on the stack, in no variable that is known (not all variables were looked at)',
      { memory: 'stack', isPartial: true, faults: [] },
    ],
    [
      'u; its buffer is also that of the pending send to 2 tag 7',
      { expression: 'u', faults: [{ kind: 'shared', request, operation: 'send', peer: 2, tag: 7 }] },
    ],
  ] as [string, BufferPlace][])
    it(text, () => assert.equal(describeBufferPlace(place), text));

  it('is at the end of the line and the first of the fields', () => {
    const bufferPlace: BufferPlace = { expression: 'edge[0]', faults: [{ kind: 'freed' }] };
    const info = {
      handle: '0xb',
      fortranHandle: 1,
      name: '',
      flags: [],
      operation: 'receive',
      bufferPlace,
    } as unknown as RequestInfo;
    const line = describeAnswer({ kind: 'request', code: 'MPIDBG_SUCCESS', info });
    assert.match(line, / · buffer edge\[0\] · its buffer has been freed$/);
    assert.equal(describeFields(info)[0]?.text, 'edge[0]; its buffer has been freed');
  });
});
