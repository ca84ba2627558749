/** The worlds of a job, as VS Code offers them. */
import assert from 'node:assert/strict';
import { worldsOf } from '../../../extension/ranks/worlds';

describe('the worlds that VS Code offers', () => {
  it('are told by their names, their ranks and their programs', () => {
    const members = [
      { rank: 1, world: '0.1', command: './worker fast' },
      { rank: 0, world: '0', command: './manager' },
      { rank: 0, world: '0.1', command: './worker slow' },
      { rank: null, command: './tool' },
    ];
    assert.deepEqual(
      worldsOf(members).map(({ name, ranks, label, description }) => [name, ranks, label, description]),
      [
        ['0', '0', '$(server-process) World 0', 'rank 0 · ./manager'],
        ['0.1', '0.1:0-1', '$(server-process) World 0.1', 'ranks 0-1 · ./worker fast · ./worker slow'],
      ],
    );
  });

  it('are none where there is only one', () => {
    assert.deepEqual(worldsOf([{ rank: 0 }, { rank: 1 }]), []);
    assert.deepEqual(worldsOf([{ rank: 0, world: '0' }]), []);
  });
});
