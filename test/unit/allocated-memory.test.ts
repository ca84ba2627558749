import assert from 'node:assert/strict';
import { searchAllocated } from '../../adapter/images/allocated-memory';
import { FaultError } from '../../plugin-api/result';

const page = 4096;
const mebibyte = 1 << 20;
const word = 0x25f450;

/** Reads zeros, and the word at these addresses; none of the pages in `missing` can be read. */
function memory(places: number[], missing: number[] = []) {
  const read = async (address: bigint, length: number): Promise<Uint8Array> => {
    const start = Number(address);
    if (missing.some((at) => at + page > start && at < start + length)) throw new FaultError(address, length);
    const bytes = new Uint8Array(length);
    const inside = places.filter((at) => at >= start && at + 4 <= start + length);
    for (const at of inside) new DataView(bytes.buffer).setInt32(at - start, word, true);
    return bytes;
  };
  return { read };
}

describe('what a process has allocated', () => {
  const areas = [{ start: 0x10000n, size: 16 * page }];

  it('is searched where malloc may have placed something', async () => {
    const read = memory([0x10010, 0x10018, 0x1f000]);
    assert.deepEqual(await searchAllocated(areas, read, word, 'live'), { addresses: [0x10010n, 0x1f000n] });
  });

  it('is searched around guard pages, which are no memory of a live process', async () => {
    const read = memory([0x10010, 0x13000], [0x12000]);
    assert.deepEqual(await searchAllocated(areas, read, word, 'live'), { addresses: [0x10010n, 0x13000n] });
  });

  it('is not all known of a core file that lacks pages', async () => {
    const { addresses, gap } = await searchAllocated(areas, memory([0x10010], [0x12000]), word, 'core');
    assert.deepEqual(addresses, [0x10010n]);
    assert.equal(gap, '1 of the 1 MiB that the process has allocated were not searched');
  });

  it('is searched up to a limit, the smallest parts first', async () => {
    const large = { start: 0x100000000n, size: 300 * mebibyte };
    const behind = 0x100000000 + 256 * mebibyte;
    const { addresses, gap } = await searchAllocated([large, ...areas], memory([0x10010, behind]), word, 'live');
    assert.deepEqual(addresses, [0x10010n]);
    assert.equal(gap, '45 of the 301 MiB that the process has allocated were not searched');
  });
});
