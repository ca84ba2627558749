/** docs/architecture.md names files and folders: they must be there, and every folder of the adapter must be told of. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const repository = join(__dirname, '../..');
const document = readFileSync(join(repository, 'docs/architecture.md'), 'utf8');
const cited = [...document.matchAll(/`([^`\s]+)`/g)].map(([, text = '']) => text);

describe('docs/architecture.md', () => {
  it('names files that are there', () => {
    const paths = cited.filter((text) => /^[\w.*-]+\/[\w./*-]*$/.test(text) && !text.endsWith('/'));
    assert.ok(paths.length > 20, `${paths.length} paths found`);
    for (const path of paths) {
      const places = [path, `adapter/${path}`].map((place) => join(repository, place));
      assert.ok(
        places.some((place) => existsSync(place.replace('plugins/*', 'plugins/mpich'))),
        `${path} is not there`,
      );
    }
  });

  it('tells of every folder of the adapter', () => {
    const folders = readdirSync(join(repository, 'adapter'), { withFileTypes: true }).filter((each) =>
      each.isDirectory(),
    );
    for (const { name } of folders) assert.ok(cited.includes(`${name}/`), `adapter/${name}/ is missing`);
  });
});
