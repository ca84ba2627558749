import assert from 'node:assert/strict';
import { parseLife } from '../../adapter/hosts/process-life';

/** As proc(5) says it, of a program whose name is to mislead. */
function stat(state: string, startTime: number, status = 0): string {
  const fields = [state, ...Array.from({ length: 49 }, (_, i) => (i === 18 ? startTime : i === 48 ? status : 0))];
  return `17 (a) R (b) ${fields.join(' ')}\n`;
}

describe('the life of a process', () => {
  it('is known by its start, and its end by its status', () => {
    assert.deepEqual(parseLife(stat('S', 100, 7)), { startTime: '100', endStatus: undefined, stopped: undefined });
    assert.deepEqual(parseLife(stat('Z', 100, 139)), { startTime: '100', endStatus: 139, stopped: undefined });
    assert.deepEqual(parseLife(stat('X', 200, 0)), { startTime: '200', endStatus: 0, stopped: undefined });
    assert.equal(parseLife(stat('T', 100)).stopped, 'bySignal');
    assert.equal(parseLife(stat('t', 100)).stopped, 'byDebugger');
  });
});
