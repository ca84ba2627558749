import assert from 'node:assert/strict';
import { ElfError } from '../../adapter/elf/byte-source';
import { MappedSource } from '../../adapter/images/modules/mapped-source';
import { FaultError } from '../../plugin-api/result';

const common = { executable: false, inode: 0n, path: '/solver', file: 'solver' };

describe('a file of which a core has only some pages', () => {
  const source = new MappedSource(
    [
      { ...common, start: 0x1000n, end: 0x2000n, offset: 0 },
      { ...common, start: 0x2000n, end: 0x3000n, offset: 0 },
      { ...common, start: 0x3000n, end: 0x4000n, offset: 0x1000 },
    ],
    {
      read: async (address, length) => {
        if (address < 0x2000n || address >= 0x3000n) throw new FaultError(address, length);
        return new Uint8Array(length).fill(7);
      },
    },
  );

  it('is read where a page is mapped again that is not there the first time', async () => {
    assert.deepEqual([...(await source.read(0x10, 2))], [7, 7]);
  });

  it('lacks what is there nowhere', async () => {
    await assert.rejects(source.read(0x1010, 2), ElfError);
  });
});
