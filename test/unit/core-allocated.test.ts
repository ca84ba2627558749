/** What a core file tells of the memory that its process had allocated, on core files made of bytes. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Search } from '../../plugin-api/image';
import { CoreImage } from '../../adapter/images/core/core-image';
import { coreBytes, words, type CoreParts } from '../support/core-bytes';

const wanted = 0x0f11e;
const heap = 0x50_0000;

describe('a search in the memory that a process had allocated', () => {
  let folder: string;
  before(() => (folder = mkdtempSync(join(tmpdir(), 'mpidbg-core-'))));
  after(() => rmSync(folder, { recursive: true }));

  async function search(memory: CoreParts['memory']): Promise<Search> {
    const path = join(folder, 'core');
    writeFileSync(path, coreBytes({ memory }));
    const image = new CoreImage(path);
    try {
      return await image.findAllocated(wanted);
    } finally {
      image.close();
    }
  }

  const written = Buffer.concat([words([BigInt(wanted)]), Buffer.alloc(0x1000 - 8)]);
  const nothing = Buffer.alloc(0);

  it('needs nothing of what was never written to, of which the kernel announces nothing', async () => {
    const found = await search([
      { address: heap, bytes: written },
      { address: 0x60_0000, bytes: nothing, size: 0x4000 },
    ]);
    assert.deepEqual(found, { addresses: [BigInt(heap)] });
  });

  it('tells what was left out where the kernel was told to leave out what was written to', async () => {
    const { addresses, gap } = await search([{ address: 0x60_0000, bytes: nothing, size: 0x400000 }]);
    assert.deepEqual(addresses, []);
    assert.equal(gap, '4 of the 4 MiB that the process has allocated were not searched');
  });
});
