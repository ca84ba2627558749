/** What is said of files that have changed since ranks loaded them. */
import assert from 'node:assert/strict';
import { lostMpiOf } from '../../adapter/job/lost-files';
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
});
