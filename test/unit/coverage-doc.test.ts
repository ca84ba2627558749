/** docs/mpidbg-coverage.md cites fields of the records and tests: they must be there, by these names. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '..', '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const page = read('docs/mpidbg-coverage.md');
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.includes(' shown by |'))
  .map((line) => line.slice(2, -2).split(' | '));
const tests = new Map(
  [...page.matchAll(/^- ([\w-]+): `(\S+)` "(.+)"$/gm)].map(([, key, file, name]) => [
    key!,
    { file: file!, name: name! },
  ]),
);

/** The text of an interface, those that it extends included. */
function declaration(name: string): string {
  const sources = ['records', 'plugin', 'facts'].map((name) => read(`plugin-api/mpi/${name}.ts`)).join('\n');
  const found = new RegExp(`^export (?:interface|type) ${name}\\b([^]*?)\\n(?=export |/\\*\\*|$(?![^]))`, 'm').exec(
    sources,
  );
  assert.ok(found, `there is no ${name}`);
  const [, parent] = /extends ([A-Z]\w+)/.exec(found[1]!) ?? [];
  return `${found[1]!}${parent === undefined ? '' : declaration(parent)}`;
}

describe('docs/mpidbg-coverage.md', () => {
  it('has a row for everything, and each says what shows it', () => {
    assert.ok(rows.length >= 115, `${rows.length} rows`);
    for (const row of rows) {
      assert.ok(row.length === 5 || row.length === 3, row.join(' | '));
      for (const key of row.at(-1)!.split(', ')) assert.ok(tests.has(key), `${key}, of: ${row[0]}`);
    }
  });

  it('cites fields and flags that the records have', () => {
    const cited = rows.flatMap(([, ...cells]) => [...cells.join(' ').matchAll(/`(\w+)\.(\w+)(?:: (\w+))?`/g)]);
    assert.ok(cited.length >= 120, `${cited.length} citations`);
    for (const [, record, field, flag] of cited) {
      const text = declaration(record!);
      assert.match(text, new RegExp(`\\b${field}\\b\\??\\s*(<[^(]*>)?[:(]`), `${record}.${field}`);
      if (flag !== undefined) assert.ok(text.includes(`'${flag}'`), `${record}.${field}: ${flag}`);
    }
  });

  it('cites tests that are there, and each of its tests in a row', () => {
    const used = new Set(rows.flatMap((row) => row.at(-1)!.split(', ')));
    for (const [key, { file, name }] of tests) {
      assert.ok(used.has(key), `${key} is in no row`);
      assert.ok(existsSync(join(root, file)), file);
      assert.ok(
        titles(file).some((title) => title.test(name)),
        `${file} has no test "${name}"`,
      );
    }
  });
});

/** What is between ${ and } may be anything. */
function titles(file: string): RegExp[] {
  const found = read(file).matchAll(/\b(?:it|describe)\(\s*(?:'((?:[^'\\]|\\.)*)'|"([^"]*)"|`([^`]*)`)/g);
  return [...found].map(([, single, double, template]) => {
    const parts = (single ?? double ?? template ?? '').split(/\$\{[^}]*\}/);
    return new RegExp(`^${parts.map((part) => part.replace(/[.*+?^$()|[\]\\{}]/g, '\\$&')).join('.+')}$`);
  });
}
