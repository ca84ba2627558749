/** README.md and CHANGELOG.md are packaged with the extension, where links to the checkout lead nowhere, except to the pictures that are packaged too. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const repository = join(__dirname, '../..');
const textOf = (name: string): string => readFileSync(join(repository, name), 'utf8');
const readme = textOf('README.md');

for (const name of ['README.md', 'CHANGELOG.md'])
  it(`${name} has no link to a file of the checkout`, () => {
    const links = [...textOf(name).matchAll(/\]\((?!https?:|#)([^)]+)\)/g)].map(([, link]) => link);
    const isPackaged = (link = ''): boolean =>
      /^docs\/pictures\/[\w-]+\.(png|gif)$/.test(link) && existsSync(join(repository, link));
    assert.deepEqual(
      links.filter((link) => !isPackaged(link)),
      [],
    );
  });

describe('README.md', () => {
  it('names pages of docs/ that are there', () => {
    const pages = [...readme.matchAll(/`(docs\/[\w-]+\.md)`/g)].map(([, page = '']) => page);
    assert.ok(pages.length > 0, 'none found');
    assert.deepEqual(
      pages.filter((page) => !existsSync(join(repository, page))),
      [],
    );
  });
});
