/** What is said of files that have changed since ranks loaded them. */
import assert from 'node:assert/strict';
import { lostMpiOf } from '../../adapter/job/lost-files';
import { unreadState, withLostFiles } from '../../adapter/query/hang/look';
import { shippedMpis } from '../../plugin-api/plugins/shipped';

describe('a rank whose MPI library was overwritten', () => {
  const changed = (path: string) => ({ kind: 'changed', path, change: 'overwritten' }) as const;

  it('is not looked at, with the reason', () => {
    for (const name of ['libmpi.so.40.30.4', 'libmpich.so.12.2.1'])
      assert.equal(
        lostMpiOf([changed('/home/me/libsolver.so'), changed(`/opt/lib/${name}`)], shippedMpis),
        `the MPI library /opt/lib/${name} was overwritten after the process had loaded it`,
      );
    assert.equal(lostMpiOf([changed('/home/me/libsolver.so')], shippedMpis), undefined);
  });

  it('has no positions in a look, whatever its stack shows', () => {
    const id = { rank: 0, host: 'node', pid: 7 };
    const seen = {
      ...unreadState(id, ''),
      error: undefined,
      positions: [{ ...id, thread: 1, state: 'blocked' as const }],
    };
    const rank = (path: string) => ({ label: 'rank 0', lostFiles: [changed(path)] });
    const looked = withLostFiles(seen, rank('/opt/lib/libmpi.so.40'), shippedMpis);
    assert.deepEqual(
      [looked.positions, looked.error],
      [[], 'the MPI library /opt/lib/libmpi.so.40 was overwritten after the process had loaded it'],
    );
    const other = withLostFiles(seen, rank('/home/me/libsolver.so'), shippedMpis);
    assert.deepEqual([other.positions, other.error], [seen.positions, undefined]);
    assert.match(other.lostFiles!.join(), /libsolver\.so was overwritten after rank 0 had loaded it/);
  });
});
