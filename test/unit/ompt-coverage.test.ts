/** docs/ompt-coverage.md has a row for every callback and field that is decoded, and cites tests that are there. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { callbackNames } from '../../plugin-api/overlays/ompt-fields';
import { flags, words } from '../../plugin-api/overlays/ompt-words';

const root = join(__dirname, '..', '..');
const page = readFileSync(join(root, 'docs/ompt-coverage.md'), 'utf8');
const rows = new Map(
  [...page.matchAll(/^\| `(ompt_[\w.]+)` +\| (.+?) +\| *(\w*) *\|$/gm)].map(([, name = '', how, key = '']) => [
    name,
    { how, key },
  ]),
);
const tests = new Map(
  [...page.matchAll(/^- ([\w-]+): `(\S+)` "(.+)"$/gm)].map(([, key, file, name]) => [key, { file, name }]),
);
/** What the enumerators begin with, of each sort. */
const prefixes: Record<keyof typeof words | keyof typeof flags, string> = {
  ...{ thread: 'ompt_thread_', endpoint: 'ompt_scope_', dispatch: 'ompt_dispatch_', syncRegion: 'ompt_sync_region_' },
  ...{ work: 'ompt_work_', mutex: 'ompt_mutex_', taskStatus: 'ompt_task_', dependence: 'ompt_dependence_type_' },
  ...{ target: 'ompt_target_', dataOperation: 'ompt_target_data_', severity: 'ompt_' },
  ...{ parallel: 'ompt_parallel_', task: 'ompt_task_', cancel: 'ompt_cancel_', targetMap: 'ompt_target_map_flag_' },
};

describe('docs/ompt-coverage.md', () => {
  it('has each callback', () => {
    for (const [, name] of callbackNames) assert.ok(rows.has(`ompt_callback_${name}`), name);
  });

  it('has the words of the header for each enumerator', () => {
    for (const [sort, names] of Object.entries({ ...words, ...flags }))
      for (const name of Object.values(names)) {
        const full = `${prefixes[sort as keyof typeof prefixes]}${name}`;
        const known = [
          full,
          full.replace('ompt_target_target', 'ompt_target'),
          full.replace('_task_taskwait', '_taskwait'),
        ];
        assert.ok(
          known.some((each) => rows.has(each)),
          full,
        );
      }
  });

  it('cites tests that are there', () => {
    for (const [name, { key }] of rows) assert.ok(key === '' || tests.has(key), `${name} cites ${key}`);
    for (const { file, name } of tests.values())
      assert.ok(readFileSync(join(root, file!), 'utf8').includes(name!), name);
  });
});
