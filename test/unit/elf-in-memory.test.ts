import assert from 'node:assert/strict';
import { openElf } from '../../adapter/elf/elf-cache';
import { readMappedElf } from '../../adapter/images/modules/mapped-modules';
import { localProcess } from '../support/local-process';

describe('an ELF file that is only left in memory', () => {
  it('has the segments, the build-id, the needs and the dynamic symbols of the file', async () => {
    const own = localProcess(process.pid);
    const memory = own.openMemory();
    const mappings = (await own.maps()).filter(({ path }) => /\/libc[.-][^/]*so[^/]*$/.test(path));
    const [first] = mappings;
    assert.ok(first !== undefined, 'Node is not linked with the C library dynamically here');
    const file = openElf(first.path);

    const inMemory = await readMappedElf(mappings, memory, { isWhole: true });
    memory.close();

    assert.deepEqual(inMemory.segments, file.segments);
    assert.equal(inMemory.buildId, file.buildId);
    assert.deepEqual(inMemory.dynamic?.needed, file.dynamic?.needed);
    for (const name of ['malloc', 'printf', 'environ']) {
      const expected = file.dynamicSymbols?.find(name, 'exported');
      assert.ok(expected !== undefined);
      assert.deepEqual(inMemory.dynamicSymbols?.find(name, 'exported'), expected);
    }
  });
});
