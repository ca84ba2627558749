import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { shippedMpis } from '../../plugin-api/plugins/shipped';
import type { OutputTag } from '../../plugin-api/mpi/facts';
import { findLauncher } from '../../adapter/launchers/launcher';
import { RankOutput, type TaggedText } from '../../adapter/launchers/rank-output';

function tagOf(launcher: string): OutputTag | undefined {
  return shippedMpis.launchers.find(({ facts }) => facts.names.includes(launcher))?.facts.outputTag;
}

function told(launcher: string, ...texts: string[]): TaggedText[] {
  const result: TaggedText[] = [];
  const output = new RankOutput(tagOf(launcher), (one) => result.push(one));
  for (const text of texts) output.add(text);
  output.flush();
  return result;
}

describe('output of ranks', () => {
  it('is told with its rank, the mark taken off', () => {
    assert.deepEqual(told('mpirun.openmpi', '[1,2]<stdout>:hello\n[1,10]<stderr>:[1,2] x\n'), [
      { rank: 2, text: 'hello\n' },
      { rank: 10, text: '[1,2] x\n' },
    ]);
    // Open MPI 5 puts a blank behind it, and the rank's line may begin with one.
    assert.deepEqual(told('prterun', '[1,2]<stdout>: hello\n[1,10]<stderr>:  [1,2] x\n'), [
      { rank: 2, text: 'hello\n' },
      { rank: 10, text: ' [1,2] x\n' },
    ]);
    assert.deepEqual(told('orterun', '[1,2]<stdout>: hello\n'), [{ rank: 2, text: ' hello\n' }]);
    assert.deepEqual(told('mpiexec.hydra', '[mpidbg:0:3]hello\n[mpidbg:0:0][3] x\n'), [
      { rank: 3, text: 'hello\n' },
      { rank: 0, text: '[3] x\n' },
    ]);
    assert.deepEqual(told('srun', ' 7: hello\n'), [{ rank: 7, text: 'hello\n' }]);
  });

  it('is told with the number of its world, if that was spawned', () => {
    const both = [
      { rank: 0, text: 'one piece\n' },
      { rank: 0, world: '2', text: 'no end\n' },
    ];
    assert.deepEqual(
      told('mpirun.openmpi', '[1,0]<stdout>:one [2,0]<stdout>:no end[1,0]<stdout>:piece\n[2,0]<stdout>:\n'),
      both,
    );
    assert.deepEqual(
      told('mpiexec.hydra', '[mpidbg:0:0]one [mpidbg:2:0]no end[mpidbg:0:0]piece\n[mpidbg:2:0]\n'),
      both,
    );
    const numbersOf = (launcher: string, keys: string[]): unknown[] =>
      keys.map((key) => tagOf(launcher)?.worlds?.numberOf(key));
    assert.deepEqual(numbersOf('mpirun.openmpi', ['159383553', '159383554', 'x']), ['1', '2', undefined]);
    assert.deepEqual(numbersOf('prterun', ['prterun-vm-4711@2']), ['2']);
    assert.deepEqual(numbersOf('mpiexec.hydra', ['vm:35027 0', 'vm:38149 1', 'spawned 2']), ['0', '1', '2']);
  });

  it('is the launcher’s own without a mark', () => {
    assert.deepEqual(told('mpirun.openmpi', 'mpirun noticed\n\n'), [
      { rank: undefined, text: 'mpirun noticed\n' },
      { rank: undefined, text: '\n' },
    ]);
    assert.deepEqual(told('mpiexec.hydra', '[proxy:0:0@vm] x\n'), [{ rank: undefined, text: '[proxy:0:0@vm] x\n' }]);
    assert.deepEqual(told('jsrun', '[1] x\n'), [{ rank: undefined, text: '[1] x\n' }]);
  });

  it('arrives in any pieces', () => {
    assert.deepEqual(told('mpirun.openmpi', '[1,', '0]<std', 'out>:a', 'b\n[1,1]<stdout>:c'), [
      { rank: 0, text: 'ab\n' },
      { rank: 1, text: 'c' },
    ]);
    assert.deepEqual(told('prterun', '[1,0]<stdout>', ':', ' a\n[1,1]<stderr>:', ' c'), [
      { rank: 0, text: 'a\n' },
      { rank: 1, text: 'c' },
    ]);
  });

  it('is put together where launchers join and cut lines that have no end', () => {
    assert.deepEqual(told('mpirun.openmpi', '[1,0]<stdout>:work[1,1]<stdout>:done\n[1,0]<stdout>:ing\n'), [
      { rank: 1, text: 'done\n' },
      { rank: 0, text: 'working\n' },
    ]);
  });

  it('has no mark in the middle of a line that came in pieces', () => {
    assert.deepEqual(told('mpiexec.hydra', '[mpidbg:0:0]a [1] b[mpidbg:0:0] c', '[mp', 'idbg:0:0]d\n'), [
      { rank: 0, text: 'a [1] b cd\n' },
    ]);
  });

  it('may end like a mark begins', () => {
    assert.deepEqual(told('mpiexec.hydra', '[mpidbg:0:0]array['), [{ rank: 0, text: 'array[' }]);
    assert.deepEqual(told('mpirun.openmpi', '[1,0]<stdout>:array[1', ',x]\n'), [{ rank: 0, text: 'array[1,x]\n' }]);
  });

  it('is told without its end when that does not come, and the rest is of the same rank', async () => {
    const result: TaggedText[] = [];
    const output = new RankOutput(tagOf('mpiexec.hydra'), (one) => result.push(one));
    output.add('[mpidbg:0:1]your na');
    while (result.length === 0) await new Promise((resolve) => setImmediate(resolve));
    output.add('[mpidbg:0:1]me?\n[mpidbg:0:0]x\n');
    assert.deepEqual(result, [
      { rank: 1, text: 'your na' },
      { rank: 1, text: 'me?\n' },
      { rank: 0, text: 'x\n' },
    ]);
  });

  it('keeps empty lines', () => {
    assert.deepEqual(told('mpirun.openmpi', '[1,0]<stdout>:\n'), [{ rank: 0, text: '\n' }]);
  });

  for (const [text, tag] of [
    ['#!/bin/sh\nexec prterun "$@"\n', 'prterun'],
    ['#!/bin/sh\nexec orterun "$@"\n', 'orterun'],
    ['#!/bin/sh\necho "mpirun (Open MPI) 5.0.7"\n', 'prterun'],
    ['#!/bin/sh\necho "mpirun (Open MPI) 10.1.0"\n', 'prterun'],
    ['#!/bin/sh\necho "mpirun (Open MPI) 4.1.6"\n', 'orterun'],
    ['#!/bin/sh\necho "mpirun (OpenRTE) 4.1.4"\n', 'orterun'],
  ] as const) {
    it(`is marked as Open MPI's launcher of its release does: ${text.split('\n')[1]}`, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'mpidbg-launcher-'));
      try {
        const path = join(folder, 'mpirun');
        writeFileSync(path, text, { mode: 0o755 });
        const { facts } = await findLauncher(path, folder, { PATH: '/usr/bin:/bin' }, shippedMpis);
        assert.equal(facts?.outputTag, tagOf(tag));
      } finally {
        rmSync(folder, { recursive: true });
      }
    });
  }
});
