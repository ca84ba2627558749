import assert from 'node:assert/strict';
import { inOrderOfEnds, type ToldEnd } from '../../adapter/cli/run/end-order';
import { localHost } from '../../adapter/hosts/local-host';

const [killed, segv, failed] = ['9', '11', String(7 << 8)];

describe('the order in which ranks ended', () => {
  const other = { ...localHost, name: 'other' };
  const end = (rank: number, how: string, after: number, time = 0, host = localHost): ToldEnd => {
    return { host, pid: 100 + rank, rank, after, how, time };
  };
  const order = (...told: ToldEnd[]): unknown => inOrderOfEnds(told).map(({ rank, after }) => [rank, after]);

  it('is what the kernel says on one host', () => {
    assert.deepEqual(order(end(1, failed, 0), end(2, killed, 1), end(0, killed, 1)), [
      [1, 0],
      [2, 1],
      [0, 1],
    ]);
  });

  it('is not known where a launcher may have ended a rank for one that was still ending', () => {
    const rest = end(2, killed, 2, 40);
    for (const how of [failed, segv, '0', '-'])
      assert.deepEqual(order(end(0, killed, 0), end(1, how, 1, 20), rest), [
        [0, 0],
        [1, 0],
        [2, 2],
      ]);
  });

  it('is known where more time has passed, or whoever ended by itself was first', () => {
    assert.deepEqual(order(end(0, killed, 0), end(1, failed, 1, 1000)), [
      [0, 0],
      [1, 1],
    ]);
    assert.deepEqual(order(end(0, segv, 0), end(1, failed, 1)), [
      [0, 0],
      [1, 1],
    ]);
  });

  it('is that of the reports on several hosts, where more time has passed', () => {
    assert.deepEqual(order(end(0, failed, 0, 0, other), end(1, killed, 0, 100)), [
      [0, 0],
      [1, 0],
    ]);
    assert.deepEqual(order(end(0, failed, 0, 0, other), end(1, killed, 0, 1000)), [
      [0, 0],
      [1, 1],
    ]);
  });
});
