import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { StillHost } from '../../adapter/hosts/still-host';

const folder = `/proc/${process.pid}`;

describe('a machine whose processes stand still', () => {
  it('is asked once for what its kernel tells, until they have run', async () => {
    const host = new StillHost();
    const read = (): Promise<Buffer> => host.readFile(`${folder}/schedstat`);
    const first = await read();
    assert.equal(await read(), first);
    host.forget();
    assert.notEqual(await read(), first);
    await assert.rejects(host.readFile(`${folder}/nothing`), { code: 'ENOENT' });
    host.forget();
  });

  it('opens a file once for all who see the same one', async () => {
    const host = new StillHost();
    const open = () => host.openFile(`${folder}/root${__filename}`);
    const [first, second] = await Promise.all([open(), open()]);
    first.close();
    assert.equal(second.inode, BigInt(statSync(__filename).ino));
    assert.ok((await second.read(0, 10)).length === 10);
    host.forget();
  });
});
