import assert from 'node:assert/strict';
import { elfOf } from '../../adapter/elf/elf-cache';
import { localHost } from '../../adapter/hosts/local-host';

describe('ELF files of several hosts', () => {
  it('are read once when they have the same build-id, size and time, also by those who ask at once', async () => {
    const file = await localHost.openFile(process.execPath);
    let reads = 0;
    const on = (host: string, modified = file.modified): typeof file => ({
      ...file,
      modified,
      identity: `${host} ${file.identity}`,
      read: (offset, length) => (reads++, file.read(offset, length)),
    });
    const [first, second] = await Promise.all([elfOf(on('a')), elfOf(on('b'))]);
    assert.ok(first?.buildId);
    assert.equal(second, first);
    const whole = reads;
    assert.equal(await elfOf(on('c')), first);
    // Where its build-id lies is all that is read of another host's.
    assert.ok(reads - whole <= 2 && whole > 2 * (reads - whole), `${whole}, ${reads}`);
    assert.equal(await elfOf(on('c')), first);
    assert.notEqual(await elfOf(on('d', file.modified + 1)), first);
    file.close();
  });
});
