import assert from 'node:assert/strict';
import type { Gdb } from '../../adapter/gdb/gdb';
import { GdbError } from '../../adapter/gdb/mi/mi-connection';
import type { Host } from '../../adapter/hosts/host';
import { GdbSettings } from '../../adapter/job/gdb-settings';

describe('what all gdbs of a job are told', () => {
  const [first, later] = ['first', 'later'].map((name) => ({ version: name }) as Gdb) as [Gdb, Gdb];
  const [near, far] = ['near', 'far'].map((name) => ({ name }) as Host) as [Host, Host];

  it('is told to one that comes later, the latest of each name, in the order of the names', async () => {
    const told: string[] = [];
    const settings = new GdbSettings(
      () => [first],
      () => near,
    );
    const set = (name: string, value: string): Promise<void> =>
      settings.set(name, async ({ version }, host) => void told.push(`${version} on ${host?.name}: ${name} ${value}`));
    await set('skip', 'std');
    await set('signals', 'none');
    await set('skip', 'nothing');
    assert.deepEqual(told.splice(0), [
      'first on near: skip std',
      'first on near: signals none',
      'first on near: skip nothing',
    ]);
    await settings.tell(later, far);
    assert.deepEqual(told, ['later on far: skip nothing', 'later on far: signals none']);
  });

  it('may be refused by a later one, and the rest is told', async () => {
    const told: Gdb[] = [];
    const settings = new GdbSettings(
      () => [],
      () => near,
    );
    await settings.set('refused', () => Promise.reject(new GdbError('no', '')));
    await settings.set('taken', async (gdb) => void told.push(gdb));
    await settings.tell(later, far);
    assert.deepEqual(told, [later]);
  });
});
