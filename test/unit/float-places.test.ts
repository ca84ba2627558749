/** gdb is asked where numbers lie in slices, between which it may answer others, and the asker may give up. */
import assert from 'node:assert/strict';
import type { GdbThread } from '../../adapter/gdb/mi/context';
import { floatsOfFrames } from '../../adapter/gdb/python/float-places';

const answer = { roots: [], places: [], kept: [], left: [], cut: false, error: null };

/** Answers with these in turn; `commands`: what it was asked, without the scripts. */
class SlicedGdb {
  readonly commands: string[] = [];
  readonly thread = { gdb: this, gdbThread: 1 } as unknown as GdbThread;

  constructor(
    private readonly slices: readonly object[],
    private readonly answers: () => void = () => undefined,
  ) {}

  console(text: string): Promise<string> {
    if (!text.includes('_mpidbg_floats')) return Promise.resolve('');
    this.commands.push(text);
    this.answers();
    return Promise.resolve(`${JSON.stringify(this.slices[this.commands.length - 1] ?? null)}\n`);
  }
}

describe('where numbers lie', () => {
  it('is asked in slices', async () => {
    const gdb = new SlicedGdb([{ more: 7 }, { more: 8 }, answer]);
    assert.deepEqual((await floatsOfFrames(gdb.thread, [0])).places, []);
    assert.deepEqual(gdb.commands.slice(1), [
      'python _mpidbg_floats.going.pop(7).go_on()',
      'python _mpidbg_floats.going.pop(8).go_on()',
    ]);
  });

  it('is asked no more by who gives up, and nothing of it stays in gdb', async () => {
    const gaveUp = new AbortController();
    const gdb = new SlicedGdb([{ more: 7 }], () => gaveUp.abort(new Error('cancelled')));
    await assert.rejects(floatsOfFrames(gdb.thread, [0], gaveUp.signal), /^Error: cancelled$/);
    assert.deepEqual(gdb.commands.slice(1), ['python _mpidbg_floats.going.pop(7)']);
  });
});
