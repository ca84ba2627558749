/** What machine code may call. */
import assert from 'node:assert/strict';
import { reachableCalls } from '../../plugin-api/processor/code/reachable-calls';
import type { Module, ProcessImage } from '../../plugin-api/image';

const base = 0x1000n;

/** Code at the beginning of a module without any tables. */
async function isAllKnown(...code: number[]): Promise<boolean> {
  const bytes = Buffer.alloc(0x1000, 0xcc);
  Buffer.from(code).copy(bytes);
  const module: Module = {
    ...{ path: '/home/user/heat', bias: base, buildId: undefined, isExecutable: true },
    segments: [{ address: base, size: 0x1000, fileSize: 0x1000, writable: false, executable: true }],
  };
  const image = {
    readMemory: (address: bigint, length: number) =>
      Promise.resolve(bytes.subarray(Number(address - base)).subarray(0, length)),
    findSymbol: () => Promise.resolve(undefined),
  } as unknown as ProcessImage;
  const { linked, isComplete } = await reachableCalls(image, module, base);
  assert.deepEqual(linked, []);
  return isComplete;
}

const ret = 0xc3;
const nop = 0x90;
const callRax = [0xff, 0xd0];

describe('what code may call', () => {
  it('is nothing in a loop, or behind a return', async () => {
    assert.ok(await isAllKnown(nop, 0xeb, 0xfd));
    assert.ok(await isAllKnown(nop, ret, ...callRax));
  });

  it('is not known through a pointer, in a function that it calls or whose address it takes too', async () => {
    assert.ok(!(await isAllKnown(...callRax, ret)));
    assert.ok(!(await isAllKnown(0xe8, 1, 0, 0, 0, ret, ...callRax, ret)));
    // lea 1(%rip), %rdi
    assert.ok(!(await isAllKnown(0x48, 0x8d, 0x3d, 1, 0, 0, 0, ret, ...callRax, ret)));
  });

  it('is not known on one of two branches', async () => {
    assert.ok(!(await isAllKnown(0x74, 1, ret, ...callRax, ret)));
  });

  it('is not known through a slot that no table names, and behind what is no instruction', async () => {
    assert.ok(!(await isAllKnown(0xff, 0x15, 0, 1, 0, 0, ret)));
    assert.ok(!(await isAllKnown(nop, 0x06)));
  });
});
