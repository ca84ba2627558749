/** Answers of scripts in gdb, beside what gdb itself prints. */
import assert from 'node:assert/strict';
import { printedAnswer } from '../../adapter/gdb/python/printed-answer';

describe('the answer of a script in gdb', () => {
  it('is found between the news of threads that stop', () => {
    const news = '\nThread 2.4 "floats" received signal SIGFPE, Arithmetic exception.\n';
    const switching = '[Switching to Thread 0x7f0e (LWP 4711)]\n';
    assert.deepEqual(printedAnswer(`${news}${switching}{"operation": "inf - inf"}\n`), { operation: 'inf - inf' });
    assert.deepEqual(printedAnswer(`{"operation": "inf - inf"}\n${news}`), { operation: 'inf - inf' });
    assert.deepEqual(printedAnswer(`${news}[[1, 2]]\n`), [[1, 2]]);
    assert.equal(printedAnswer(`${news}640\n`), 640);
    assert.equal(printedAnswer(`null\n${news}`), null);
    assert.throws(() => printedAnswer(news), SyntaxError);
  });
});
