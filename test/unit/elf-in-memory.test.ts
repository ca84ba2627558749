import assert from 'node:assert/strict';
import { openElf } from '../../adapter/elf/elf-cache';
import { readElf } from '../../adapter/elf/elf-file';
import { MappedSource } from '../../adapter/images/modules/mapped-source';
import { parseMaps, readMapsText } from '../../adapter/hosts/process-maps';
import { ProcessMemory } from '../../adapter/hosts/process-memory';

describe('an ELF file that is only left in memory', () => {
  it('has the segments, the build-id, the needs and the dynamic symbols of the file', () => {
    const memory = new ProcessMemory(process.pid);
    const mappings = parseMaps(readMapsText(process.pid)).filter(({ path }) => /\/libc[.-][^/]*so[^/]*$/.test(path));
    const [first] = mappings;
    assert.ok(first !== undefined, 'Node is not linked with the C library dynamically here');
    const { file } = openElf(first.path);

    const source = new MappedSource(mappings, (address, length) => memory.read(address, length));
    const inMemory = readElf(source, first.start);
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
