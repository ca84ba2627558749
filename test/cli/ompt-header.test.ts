/** docs/ompt-coverage.md has a row for everything that the installed omp-tools.h defines of OMPT. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '..', '..');
const rows = new Set(
  [...readFileSync(join(root, 'docs/ompt-coverage.md'), 'utf8').matchAll(/^\| `([\w.]+)` \|/gm)].map(
    ([, name]) => name,
  ),
);

function header(): string {
  const compilers = readdirSync('/usr/lib').filter((name) => name.startsWith('llvm-'));
  const folders = compilers
    .map((name) => join('/usr/lib', name, 'lib', 'clang'))
    .filter((folder) => existsSync(folder));
  const path = folders
    .flatMap((folder) => readdirSync(folder).map((version) => join(folder, version, 'include', 'omp-tools.h')))
    .find((each) => existsSync(each));
  assert.ok(path !== undefined, 'omp-tools.h is missing: install libomp-dev');
  return readFileSync(path, 'utf8').replaceAll(/\/\*[^]*?\*\//g, '');
}

/** Its fields, those of unions as the union. */
function fieldsOf(body: string): string[] {
  const flat = body.replaceAll(/union\s*\{[^}]*\}/g, 'union');
  return [...flat.matchAll(/(\w+)(?:\[\w+\])?;/g)].map(([, field]) => field!);
}

function assertRows(names: readonly string[]): void {
  assert.ok(names.length > 20, `${names.length} names`);
  assert.deepEqual(
    names.filter((name) => !rows.has(name)),
    [],
  );
}

describe('docs/ompt-coverage.md, with the omp-tools.h that is installed', () => {
  it('has each callback, enumerator, constant and entry point', () => {
    const names = [...new Set(header().match(/\bompt_\w+/g))];
    // The types of functions and of arguments.
    assertRows(names.filter((name) => !name.endsWith('_t')));
  });

  it('has each record with its fields', () => {
    const structs = [...header().matchAll(/typedef struct (ompt_\w+) \{([^]*?)\} \1;/g)];
    assertRows(structs.flatMap(([, name, body]) => [name!, ...fieldsOf(body!).map((field) => `${name!}.${field}`)]));
  });
});
