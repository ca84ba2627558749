/** What functions would return, by their instructions. */
import assert from 'node:assert/strict';
import { returnedValue, UnknownResultError } from '../../plugin-api/processor/code/returned-value';
import type { Module, ProcessImage } from '../../plugin-api/image';

const base = 0x1000n;
const object = base + 0x800n;

/** What code at the beginning of a module returns, called with the address of an object that holds 0x1111 and 0x2222. */
async function returned(code: string): Promise<bigint> {
  const bytes = Buffer.alloc(0x1000, 0xcc);
  Buffer.from(code.replace(/\s+/g, ''), 'hex').copy(bytes);
  bytes.writeBigUInt64LE(0x1111n, 0x800);
  bytes.writeBigUInt64LE(0x2222n, 0x808);
  const module: Module = {
    ...{ path: '/home/user/heat', bias: base, buildId: undefined, isExecutable: true },
    segments: [{ address: base, size: 0x1000, fileSize: 0x1000, writable: false, executable: true }],
  };
  const image = {
    readMemory: (address: bigint, length: number) =>
      Promise.resolve(new Uint8Array(bytes.subarray(Number(address - base))).slice(0, length)),
    findSymbol: () => Promise.resolve(undefined),
    modules: () => Promise.resolve([module]),
  } as unknown as ProcessImage;
  return returnedValue(image, base, object);
}

const enter = '55 48 89 e5 48 83 ec 10'; // push %rbp; mov %rsp,%rbp; sub $16,%rsp
const keep = '48 89 7d f8'; // mov %rdi,-8(%rbp)
const leave = 'c9 c3';

describe('what a function would return', () => {
  it('is a constant, an address or a part of its argument', async () => {
    assert.equal(await returned('b8 2a 00 00 00 c3'), 42n); // mov $42,%eax
    assert.equal(await returned('f3 0f 1e fa 48 8d 05 f5 01 00 00 c3'), base + 0x200n); // endbr64; lea 0x1f5(%rip),%rax
    assert.equal(await returned('48 8b 47 08 c3'), 0x2222n); // mov 8(%rdi),%rax
    assert.equal(await returned('48 89 f8 48 05 10 00 00 00 c3'), object + 16n); // mov %rdi,%rax; add $16,%rax
  });

  it('is found without optimization, and in functions that it calls', async () => {
    // mov -8(%rbp),%rax; add $8,%rax; mov %rax,%rdi; call; leave; ret; and there mov (%rdi),%rax; ret
    const calls = '48 8b 45 f8 48 83 c0 08 48 89 c7 e8 02 00 00 00';
    assert.equal(await returned(`${enter} ${keep} ${calls} ${leave} 48 8b 07 c3`), 0x2222n);
  });

  it('is not known where it decides, writes memory of others, does not end, or depends on what is not known', async () => {
    const unknown = [
      '48 85 ff 74 01 90 c3', // test %rdi,%rdi; je
      '48 89 3f c3', // mov %rdi,(%rdi)
      'eb fe', // itself
      '48 89 f0 c3', // mov %rsi,%rax
      '64 48 8b 04 25 28 00 00 00 c3', // mov %fs:40,%rax
      'f4',
    ];
    for (const code of unknown) await assert.rejects(returned(code), UnknownResultError, code);
  });
});
