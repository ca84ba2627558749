/** Whether a process has loaded the content that a file has now, from what the dynamic linker left in its memory. */
import assert from 'node:assert/strict';
import type { LinkedWords } from '../../adapter/elf/linked-words';
import { linkageOf } from '../../adapter/images/modules/overwritten';
import { FaultError } from '../../plugin-api/result';

const bias = 0x7f0000000000n;
const [dynamicAt, sealedAt, end] = [0x3000, 0x3100, 0x5000];

function words(...values: (number | bigint)[]): Buffer {
  const bytes = Buffer.alloc(values.length * 8);
  values.forEach((value, index) => bytes.writeBigUInt64LE(BigInt(value), index * 8));
  return bytes;
}

/** Tags and values: DT_STRTAB, DT_STRSZ, DT_DEBUG, DT_NULL. */
const section = (strings: number | bigint, size = 94, debug: number | bigint = 0): Buffer =>
  words(5, strings, 10, size, 21, debug, 0, 0);

/** The address of a place, at once behind it of a symbol of its own, and a word about which the file says nothing. */
const file: LinkedWords = {
  dynamic: { address: dynamicAt, bytes: section(0x330) },
  sealed: { start: sealedAt, end: sealedAt + 24 },
  addresses: [{ at: sealedAt, value: 0x10c0 }],
  symbols: [{ at: sealedAt + 8, value: 0x4008 }],
};

const linkage = (dynamic: Buffer, ...sealed: (number | bigint)[]): Promise<string> =>
  linkageOf(
    file,
    { bias, end },
    {
      read: async (address, length) => {
        const [bytes, start] = address < bias + BigInt(sealedAt) ? [dynamic, dynamicAt] : [words(...sealed), sealedAt];
        const at = Number(address - bias) - start;
        if (at < 0 || at + length > bytes.length) throw new FaultError(address, length);
        return bytes.subarray(at, at + length);
      },
    },
  );

describe('what a process has of a library', () => {
  const linked = [bias + 0x10c0n, bias + 0x4008n, 7] as const;

  it('was linked from this content, whether or not the C library adds addresses in the dynamic section', async () => {
    assert.equal(await linkage(section(bias + 0x330n, 94, 0x7fff1000), ...linked), 'linked');
    assert.equal(await linkage(section(0x330), ...linked), 'linked');
  });

  it('may have the symbol of another library in the place of its own', async () => {
    assert.equal(await linkage(section(0x330), bias + 0x10c0n, 0x7e0000001234n, 7), 'linked');
  });

  it('is of another content, where an address, a symbol of its own or a size is another one', async () => {
    assert.equal(await linkage(section(0x330), bias + 0x10d0n, linked[1], 7), 'another');
    assert.equal(await linkage(section(0x330), linked[0], bias + 0x4010n, 7), 'another');
    assert.equal(await linkage(section(0x330, 105), ...linked), 'another');
    assert.equal(await linkage(section(bias + 0x370n), ...linked), 'another');
  });

  it('is of another content, where the process has no memory', async () => {
    assert.equal(await linkage(Buffer.alloc(8), ...linked), 'another');
  });

  it('is not linked, before the dynamic linker was there or after the file was cut off', async () => {
    assert.equal(await linkage(section(0x330), 0, 0, 0), 'unlinked');
    assert.equal(await linkage(section(0x330), 0x10c0, 0, 0), 'unlinked');
  });

  it('is of this content while the dynamic linker is not ready, as at the stop where a debugger sees a library come', async () => {
    assert.equal(await linkage(section(bias + 0x330n), 0x10c0, 0, 0), 'linked');
  });

  it('is not doubted, where the file is static', async () => {
    const none = { dynamic: undefined, sealed: undefined, addresses: [], symbols: [] };
    const memory = { read: (): Promise<Uint8Array> => Promise.reject(new Error('nothing is to be read')) };
    assert.equal(await linkageOf(none, { bias: 0n, end }, memory), 'linked');
  });
});
