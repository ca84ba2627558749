/** README.md is packaged with the extension, where the links of a checkout lead nowhere: vsce refuses them. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const repository = join(__dirname, '../..');
const readme = readFileSync(join(repository, 'README.md'), 'utf8');

describe('README.md', () => {
  it('has no link to a file of the checkout', () => {
    const links = [...readme.matchAll(/\]\((?!https?:|#)([^)]+)\)/g)].map(([, link]) => link);
    assert.deepEqual(links, []);
  });

  it('names pages of docs/ that are there', () => {
    const pages = [...readme.matchAll(/`(docs\/[\w-]+\.md)`/g)].map(([, page = '']) => page);
    assert.ok(pages.length > 0, 'none found');
    assert.deepEqual(
      pages.filter((page) => !existsSync(join(repository, page))),
      [],
    );
  });
});
