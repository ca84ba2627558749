import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../..');
const dist = join(root, 'dist');

/** The folders of packages that the source map of a bundle names. */
function packagesOf(map: string): string[] {
  const { sources } = JSON.parse(readFileSync(map, 'utf8')) as { sources: string[] };
  return sources.flatMap((source) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(source)?.[0] ?? []);
}

function fromVsix(file: string): string {
  const read = 'import sys, zipfile; sys.stdout.buffer.write(zipfile.ZipFile(sys.argv[1]).read(sys.argv[2]))';
  return execFileSync('python3', ['-c', read, join(root, 'mpidbg.vsix'), `extension/${file}`], { encoding: 'utf8' });
}

describe('what the VSIX says of the code of others', () => {
  it('has the licence of each package whose code it carries', () => {
    const notices = fromVsix('dist/THIRD-PARTY-NOTICES.txt');
    const maps = ['.', 'web'].flatMap((folder) =>
      readdirSync(join(dist, folder))
        .filter((file) => file.endsWith('.js.map'))
        .map((file) => join(folder, file)),
    );
    const packages = new Set(
      maps.flatMap((map) => packagesOf(join(dist, map)).map((folder) => join(dist, map, '..', folder))),
    );
    assert.ok(packages.size > 0, 'no package is found in the source maps');
    for (const folder of packages) {
      const about = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, string>;
      const notice = notices
        .split(/^-{80}$/m)
        .find((text) => text.trim().startsWith(`${about.name} ${about.version} (`));
      assert.match(notice ?? '', /Permission|permission|license/, `${about.name} ${about.version}`);
    }
  });
});
