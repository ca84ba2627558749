import assert from 'node:assert/strict';
import { doingInRow, doingOf } from '../../../extension/ranks/rank-text';
import type { RankRow } from '../../../extension/ranks/job-client';

describe('what a rank does, in a row of a side bar', () => {
  const at = (place: string, file: string, more: Partial<RankRow> = {}): RankRow => ({
    ...{ rank: 0, host: 'a', state: 'stopped', stopReason: 'breakpoint', threadIds: [1] },
    ...{ place, source: { file: `/home/user/${file}`, line: 102 }, ...more },
  });

  it('begins with the line where the function leaves no room for it', () => {
    const row = at('Ocean::exchange at ocean.cpp:102', 'ocean.cpp');
    assert.equal(doingInRow(row), 'ocean.cpp:102 · Ocean::exchange · breakpoint');
    assert.equal(doingOf(row), 'Ocean::exchange at ocean.cpp:102 · breakpoint');
    const long = 'barotropic_velocity_update.f90';
    assert.equal(doingInRow(at(`step at ${long}:102`, long)), '…locity_update.f90:102 · step · breakpoint');
  });

  it('begins with the line where a call of MPI leaves no room for it', () => {
    assert.equal(
      doingInRow(at('MPI_Neighbor_alltoallv', 'ocean.cpp')),
      'ocean.cpp:102 · MPI_Neighbor_alltoallv · breakpoint',
    );
    const inLibrary = at('H5Dwrite, inside MPI_Barrier', 'ocean.cpp', { stopReason: 'pause' });
    assert.equal(doingInRow(inLibrary), 'ocean.cpp:102 · H5Dwrite, inside MPI_Barrier · paused');
  });

  it('is as elsewhere where there is room, and where no line is known', () => {
    for (const row of [
      at('main at ring.c:102', 'ring.c'),
      at('MPI_Waitall', 'ripple.cpp'),
      { ...at('MPI_Neighbor_alltoallv', ''), source: undefined } as unknown as RankRow,
    ])
      assert.equal(doingInRow(row), doingOf(row));
  });
});
