/** What a verdict says of the buffers of pending operations, of hand-written requests. */
import assert from 'node:assert/strict';
import type { BufferFault, RequestInfo } from '../../plugin-api/mpi/records';
import { ask, barrier, computes, receives } from '../support/hang-state';

const request = { kind: 'request', handle: '0xb' } as const;
const pending = (handle: string, tag: number, ...faults: BufferFault[]): Partial<RequestInfo> => ({
  ...{ handle, operation: 'receive', active: true, complete: false, peer: 0, peerWorldRank: 0, tag },
  bufferPlace: { faults },
});
const told = (...requests: Partial<RequestInfo>[]): string => ask(barrier, receives(0, 8, { requests })).sentence;

describe('the buffers of pending operations in a verdict', () => {
  for (const [text, faults] of [
    ['whose buffer has been freed', [{ kind: 'freed' }]],
    ['at whose buffer no memory is mapped', [{ kind: 'unmapped' }]],
    ['whose buffer is on the stack of a function that has returned', [{ kind: 'returned' }]],
    ['whose buffer is read-only', [{ kind: 'readOnly' }]],
    ['whose buffer is at least 8 bytes too short', [{ kind: 'tooShort', beyond: 8, isAtLeast: true }]],
  ] as [string, BufferFault[]][])
    it(text, () => {
      const sentence = told(pending('0xa', 5, ...faults));
      assert.ok(sentence.includes(`Rank 1 has a pending receive from rank 0 with tag 5, ${text}.`), sentence);
    });

  it('counts those that have the same fault, also of several ranks', () => {
    const both = { requests: [pending('0xa', 5, { kind: 'freed' }), pending('0xb', 6, { kind: 'freed' })] };
    const text = /Ranks 0-1 have 4 pending receives, whose buffers have been freed\./;
    assert.match(ask(receives(1, 3, both), receives(0, 8, both)).sentence, text);
  });

  it('names those that use the same memory once', () => {
    const shared = (tag: number): BufferFault => ({ kind: 'shared', request, operation: 'receive', peer: 0, tag });
    const sentence = told(pending('0xa', 5, shared(6)), pending('0xb', 6, shared(5)));
    const text =
      'Rank 1 has operations on the same memory, though one of them at least writes there: a pending receive from ' +
      'rank 0 with tag 5 and a pending receive from rank 0 with tag 6.';
    assert.ok(sentence.includes(text), sentence);
  });

  it('also where there is no deadlock, and nothing where nothing is wrong', () => {
    const requests = [pending('0xa', 5, { kind: 'unmapped' })];
    assert.match(ask(computes, { ...computes, requests }).sentence, /at whose buffer no memory is mapped\./);
    assert.doesNotMatch(told(pending('0xa', 5)), /buffer/);
  });
});
