/** Sources that only a rank has, in its container or on its host. */
import assert from 'node:assert/strict';
import { SourceFiles } from '../../adapter/dap/references/source-files';
import type { HostProcess } from '../../adapter/hosts/host-process';
import type { Rank } from '../../adapter/job/rank';

interface Place {
  rank: Rank;
  asked: string[];
}

/** A rank that has these files. */
function rankWith(files: Readonly<Record<string, string>>, size?: number): Place {
  const asked: string[] = [];
  const process = {
    host: { name: 'node1' },
    namedStates: (paths: readonly string[]) => {
      asked.push(...paths);
      return Promise.resolve(paths.map((path) => files[path]));
    },
    openNamed: (path: string) => {
      const text = files[path];
      if (text === undefined) return Promise.reject(new Error('the rank has ended'));
      const content = Buffer.from(text);
      return Promise.resolve({
        size: size ?? content.length,
        read: () => Promise.resolve(content),
        close: () => undefined,
      });
    },
  };
  return { rank: { process: process as unknown as HostProcess } as Rank, asked };
}

describe('the sources of frames', () => {
  const path = '/no/such/folder/heat.c';
  const sources = () => new SourceFiles();

  it('are files of this machine, where they are here', async () => {
    const { rank, asked } = rankWith({ [__filename]: 'another text' });
    const source = await sources().of(rank, __filename, true);
    assert.deepEqual([source?.path, source?.sourceReference, asked], [__filename, undefined, []]);
  });

  it('are read through the rank that has them, and asked for once', async () => {
    const all = sources();
    const { rank, asked } = rankWith({ [path]: 'int lap;' });
    const source = await all.of(rank, '/no/such/folder/../folder/heat.c', true);
    assert.equal(source?.path, path);
    assert.equal(await all.text(source.sourceReference), 'int lap;');
    all.forget();
    assert.deepEqual(await all.of(rank, path, true), source);
    assert.deepEqual(asked, [path]);
  });

  it('are not asked for where they are a library’s, relative, or nowhere', async () => {
    const { rank, asked } = rankWith({});
    assert.equal(await sources().of(rank, path, false), undefined);
    assert.equal(await sources().of(rank, 'heat.c', true), undefined);
    assert.deepEqual(asked, []);
    assert.equal(await sources().of(rank, path, true), undefined);
    assert.equal(sources().text(0), undefined);
    assert.equal(sources().text(7), undefined);
  });

  it('are read through another rank where the first one has ended', async () => {
    const all = sources();
    const files: Record<string, string> = { [path]: 'int lap;' };
    const source = await all.of(rankWith(files).rank, path, true);
    delete files[path];
    await assert.rejects(all.text(source?.sourceReference)!, /the rank has ended/);
    await all.of(rankWith({ [path]: 'int lap;' }).rank, path, true);
    assert.equal(await all.text(source?.sourceReference), 'int lap;');
  });

  it('are not read where they are longer than any source', async () => {
    const all = sources();
    const source = await all.of(rankWith({ [path]: 'x' }, 2 ** 40).rank, path, true);
    await assert.rejects(all.text(source?.sourceReference)!, /longer than/);
  });
});
