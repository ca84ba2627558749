import assert from 'node:assert/strict';
import { CachedImage } from '../../adapter/images/cached-image';
import { RememberingImage } from '../../adapter/images/remembering-image';
import { readI32 } from '../../plugin-api/memory';
import { FaultError } from '../../plugin-api/result';
import { MockImage } from '../support/mock-image';

const page = 0x10000n;

describe('an image that remembers', () => {
  let memory: MockImage;
  let cached: CachedImage;
  let remembering: RememberingImage;
  beforeEach(async () => {
    memory = new MockImage();
    memory.map(page, 4096);
    cached = new CachedImage(memory);
    remembering = new RememberingImage(cached);
    await remembering.start();
    // One that is not in the cache, and one that is.
    await readI32(remembering, page + 8n);
    await readI32(remembering, page + 16n);
    await assert.rejects(readI32(remembering, page + 4096n), FaultError);
    cached.invalidate();
  });

  it('is the same while what was read is, whatever lies beside it', async () => {
    memory.writeI32(page + 12n, 1);
    assert.equal(await remembering.isSame(), true);
  });

  for (const at of [8n, 16n])
    it(`is another one with another byte at ${at}`, async () => {
      memory.writeI32(page + at, 1);
      assert.equal(await remembering.isSame(), false);
    });

  it('is another one where memory came or went', async () => {
    memory.map(page + 4096n, 4096);
    assert.equal(await remembering.isSame(), false);
    memory.unmap(page + 4096n);
    cached.invalidate();
    assert.equal(await remembering.isSame(), true);
    memory.unmap(page);
    cached.invalidate();
    assert.equal(await remembering.isSame(), false);
  });

  it('is another one once memory was searched, and starts anew when told to', async () => {
    await remembering.findAllocated(1);
    assert.equal(await remembering.isSame(), false);
    await remembering.start();
    memory.writeI32(page + 8n, 1);
    cached.invalidate();
    assert.equal(await readI32(remembering, page + 8n), 1);
    assert.equal(await remembering.isSame(), true);
  });
});
