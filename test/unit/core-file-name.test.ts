/** The last hint at the rank of a core file: its name. */
import assert from 'node:assert/strict';
import { rankInName } from '../../adapter/job-sources/cores/core-file-name';

describe('the name of a core file', () => {
  const names: [path: string, rank: number | undefined][] = [
    ['/cores/core.rank3', 3],
    ['/cores/core-rank-12.zst', 12],
    ['/cores/rank_0.core', 0],
    ['/cores/rank7/core', 7],
    ['/cores/core.node7.3', 3],
    ['/cores/core.node-a.15.gz', 15],
    ['/cores/core', undefined],
    ['/cores/core.4711', undefined],
    ['/cores/core.815', undefined],
    ['/cores/core.solver.4711', undefined],
    ['/cores/core.solver.58123', undefined],
    ['/cores/core.10.20', undefined],
    ['/cores/frank3.core', undefined],
    ['/cores/core.rank99999999999', undefined],
  ];
  for (const [path, rank] of names)
    it(`${path} ${rank === undefined ? 'tells no rank' : `is rank ${rank}`}`, () => {
      assert.equal(rankInName(path, 4711), rank);
    });
});
