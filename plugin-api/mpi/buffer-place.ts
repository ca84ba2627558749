/** In words: which variable a buffer lies in, and what is wrong with its memory. */
import { counted } from '../counted';
import { isUnavailable } from '../result';
import type { BufferFault, BufferPlace } from './records';

/** "edge[0]", "where answer points", "" where nothing is known. */
export function bufferPlaceText({ expression, isPointer, memory }: BufferPlace): string {
  if (expression !== undefined) return isPointer === true ? `where ${expression} points` : expression;
  if (memory === 'heap') return 'in the heap, in no variable that is known';
  if (memory === 'stack') return 'on the stack, in no variable that is known';
  return memory === undefined ? '' : 'in no variable that is known';
}

/** What a buffer that is gone may have been in Fortran. */
export function copyText({ mayBeCopy }: { mayBeCopy?: true }): string {
  return mayBeCopy === true
    ? ': if a section such as a(1:9:2) was passed, it was a temporary copy, which the compiler frees when the call returns'
    : '';
}

export function bufferFaultText(fault: BufferFault): string {
  switch (fault.kind) {
    case 'unmapped':
      return `no memory is mapped at its buffer${copyText(fault)}`;
    case 'freed':
      return `its buffer has been freed${copyText(fault)}`;
    case 'returned':
      return 'its buffer is on the stack of a function that has returned';
    case 'readOnly':
      return 'its buffer is read-only';
    case 'tooShort':
      return `its buffer is ${fault.isAtLeast === true ? 'at least ' : ''}${counted(fault.beyond, 'byte')} too short`;
    case 'shared':
      return `its buffer is also that of ${sharerText(fault)}`;
  }
}

/** "the pending receive from 1 tag 13" */
function sharerText({ operation, peer, tag }: Extract<BufferFault, { kind: 'shared' }>): string {
  const direction = operation === 'send' ? 'to' : 'from';
  const other = peer === undefined || isUnavailable(peer) ? '' : ` ${direction} ${peer}`;
  const tagged = tag === undefined || isUnavailable(tag) ? '' : ` ${typeof tag === 'string' ? tag : `tag ${tag}`}`;
  return `the pending ${operation}${other}${tagged}`;
}

/** All in one line: "edge[0] of main; its buffer has been freed". */
export function describeBufferPlace(place: BufferPlace): string {
  const { expression, function: name, thread, isPartial, faults } = place;
  const whose = [
    expression !== undefined && name !== undefined ? ` of ${name}` : '',
    thread === undefined ? '' : ` in thread ${thread}`,
    expression === undefined && isPartial === true ? ' (not all variables were looked at)' : '',
  ].join('');
  return [`${bufferPlaceText(place)}${whose}`, ...faults.map(bufferFaultText)].filter((text) => text !== '').join('; ');
}
