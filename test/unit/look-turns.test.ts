/** Looks at a job while a rank is about to die. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { LookTurns } from '../../adapter/cli/run/look-turns';

describe('looks at one job', () => {
  const never = new AbortController().signal;

  it('give way to that at a death, which waits until they have let go what they held', async () => {
    const turns = new LookTurns();
    const order: string[] = [];
    const other = turns.take(never, async (signal) => {
      await once(signal, 'abort');
      order.push('told');
      await new Promise(setImmediate);
      order.push('let go');
      return 'nothing';
    });
    const urgent = turns.takeFirst(never, async () => {
      order.push('looks');
      assert.equal(await turns.take(never, () => Promise.resolve('held at once')), undefined);
      return 'seen';
    });
    assert.deepEqual([await urgent, await other], ['seen', 'nothing']);
    assert.deepEqual(order, ['told', 'let go', 'looks']);
    assert.equal(await turns.take(never, () => Promise.resolve('later')), 'later');
  });

  it("that are late do not begin, and one that fails is in nobody's way", async () => {
    const turns = new LookTurns();
    const late = new AbortController();
    const other = turns.take(never, async (signal) => {
      await once(signal, 'abort');
      throw new Error('a rank has ended');
    });
    const urgent = turns.takeFirst(late.signal, () => Promise.reject(new Error('it begins')));
    late.abort(new Error('late'));
    await assert.rejects(other, /a rank has ended/);
    await assert.rejects(urgent, /late/);
    assert.equal(await turns.takeFirst(never, () => Promise.resolve('seen')), 'seen');
  });
});
