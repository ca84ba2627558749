/** The innermost loop around an instruction, as its branches make it. */
import assert from 'node:assert/strict';
import type { CodeSource } from '../../plugin-api/processor/code/code';
import { decode } from '../../plugin-api/processor/x86-64/decode';
import { innermostLoop, type Place } from '../../plugin-api/processor/code/innermost-loop';

const start = 0x100;
const nop = 0x90;
const ret = 0xc3;
const jump = (from: number, to: number): number[] => [0xeb, (to - from - 2) & 0xff];
const branch = (from: number, to: number): number[] => [0x75, (to - from - 2) & 0xff];
const call = [0xe8, 0, 1, 0, 0];
const jumpRax = [0xff, 0xe0];

/** Offsets in a function of these bytes. */
async function loopIn(code: readonly number[], at: number, isReturn = false): Promise<number[] | undefined> {
  const bytes = Buffer.alloc(code.length + 16, ret);
  Buffer.from(code).copy(bytes);
  const source: CodeSource = {
    instructionAt: (address) => decode(bytes.subarray(address - start)),
    pieceAt: () => Promise.resolve({ start, end: start + code.length }),
    mayReturn: () => Promise.resolve(true),
    mayReturnThrough: () => Promise.resolve(true),
    int32At: () => Promise.resolve(undefined),
  };
  const place: Place = { address: start + at, isReturn };
  const found = await innermostLoop(source, place);
  return found && [...found.keys()].map((address) => address - start).sort((a, b) => a - b);
}

describe('the innermost loop around an instruction', () => {
  it('is none in straight code, before a loop and behind one', async () => {
    const code = [nop, nop, ...branch(2, 1), nop, ret];
    assert.equal(await loopIn([nop, nop, ret], 1), undefined);
    assert.equal(await loopIn(code, 0), undefined);
    assert.equal(await loopIn(code, 4), undefined);
    assert.deepEqual(await loopIn(code, 1), [1, 2]);
  });

  it('is entered at its condition, as compilers write it', async () => {
    const code = [...jump(0, 3), nop, nop, ...branch(4, 2), ret];
    assert.deepEqual(await loopIn(code, 2), [2, 3, 4]);
  });

  it('is the inner one of two, or the outer one around what lies beside the inner one', async () => {
    const code = [nop, nop, nop, ...branch(3, 2), nop, ...branch(6, 1), ret];
    assert.deepEqual(await loopIn(code, 2), [2, 3]);
    assert.deepEqual(await loopIn(code, 5), [1, 2, 3, 5, 6]);
  });

  it('counts where a call was made, not where it returns to', async () => {
    const code = [nop, ...call, nop, ...branch(7, 6), ...branch(9, 0), ret];
    assert.deepEqual(await loopIn(code, 6), [6, 7]);
    assert.deepEqual(await loopIn(code, 6, true), [0, 1, 6, 7, 9]);
  });

  it('holds what a switch leads to', async () => {
    const code = [nop, ...jumpRax, nop, ...jump(4, 0), ret];
    assert.deepEqual(await loopIn(code, 3), [0, 1, 3, 4]);
  });

  it('is not known where no table tells where the function begins', async () => {
    const source = { pieceAt: () => Promise.resolve(undefined) } as unknown as CodeSource;
    assert.equal(await innermostLoop(source, { address: start, isReturn: false }), undefined);
  });
});
