/** Ranks that stop together share a look at their files, and none gets an answer from before it asked. */
import assert from 'node:assert/strict';
import { FileLooks } from '../../adapter/job/file-looks';
import type { HostProcess } from '../../adapter/hosts/host-process';

describe('looks at the files of ranks', () => {
  it('are shared by those that see the same files and ask before it begins', async () => {
    const asked: string[] = [];
    const rank = (name: string): HostProcess =>
      ({
        namedStates: async (names: readonly string[]) => {
          asked.push(name);
          return names.map(() => `state ${asked.length}`);
        },
      }) as never;
    const looks = new FileLooks();
    const files = { key: 'here', names: ['/lib/a', '/lib/b'], states: [] };
    const together = await Promise.all([
      looks.statesNow(rank('0'), files),
      looks.statesNow(rank('1'), files),
      looks.statesNow(rank('2'), { ...files, key: 'elsewhere' }),
    ]);
    assert.deepEqual(asked, ['0', '2']);
    assert.deepEqual(together[1], ['state 1', 'state 1']);
    assert.deepEqual(await looks.statesNow(rank('1'), files), ['state 3', 'state 3']);
  });
});
