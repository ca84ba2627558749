import assert from 'node:assert/strict';
import { textsOfLinesAbove } from '../../../extension/editor/lines-above';

const wide = 80;

function shown(
  code: string[],
  locals: Record<string, string>,
  isFortran = false,
  room = code.map(() => wide),
): string[] {
  return textsOfLinesAbove(code, isFortran, new Map(Object.entries(locals)), room).map((texts) =>
    texts.map(({ text }) => text).join(', '),
  );
}

describe('the lines above the one that has stopped', () => {
  it('have a value once where lines below each other name it', () => {
    const code = ['post(left, &r[0]);', 'post(right, &r[1]);', 'post(up, &r[2]);', 'step++;', 'use(r);'];
    assert.deepEqual(shown(code, { left: '3', right: '1', up: '0', r: '4 receives', step: '2' }), [
      'left = 3, r = 4 receives',
      'right = 1',
      'up = 0',
      'step = 2',
      'r = 4 receives',
    ]);
  });

  it('have it behind the next one where the first has no room', () => {
    const code = ['a_long_call(r);', 'use(r);', 'use(r);'];
    assert.deepEqual(shown(code, { r: '4 receives' }, false, [4, wide, wide]), ['', 'r = 4 receives', '']);
  });

  it('know no case in Fortran', () => {
    assert.deepEqual(shown(['call f(Tag)', 'call g(TAG, n)'], { tag: '30', n: '6' }, true), ['Tag = 30', 'n = 6']);
  });

  it('have an object where it is meant, and not where a line has a member of it', () => {
    assert.deepEqual(shown(['use(d.dt);', 'use(d);'], { d: '{dt 0.1}' }), ['', 'd = {dt 0.1}']);
  });
});
