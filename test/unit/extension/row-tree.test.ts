import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type * as Rows from '../../../extension/views/row-tree';
import type { JobChanges } from '../../../extension/ranks/job-changes';
import { editorOfTests, loadWithEditor } from '../../support/with-editor';

describe('a view with a message', () => {
  it('is given its message again when it has its first rows, and not later', async () => {
    const messages: (string | undefined)[] = [];
    let provider: { getChildren: () => Promise<unknown[]> } | undefined;
    const view = {
      visible: true,
      get message() {
        return 'Deadlock';
      },
      set message(text: string | undefined) {
        messages.push(text);
      },
    };
    editorOfTests.window.createTreeView = (_id, { treeDataProvider }) => {
      provider = treeDataProvider as typeof provider;
      return view;
    };
    const { showRows } = loadWithEditor<typeof Rows>('views/row-tree');
    const changes = { onDidChange: () => ({}), onWillEnd: () => ({}) } as unknown as JobChanges;
    const rows: { id: string; label: string }[] = [];
    showRows('ranks', changes, () => Promise.resolve(rows)).reload();
    await provider!.getChildren();
    await delay(0);
    assert.deepEqual(messages, []);
    rows.push({ id: '0', label: 'rank 0' });
    await provider!.getChildren();
    // VS Code has the rows first.
    assert.deepEqual(messages, []);
    await delay(0);
    assert.deepEqual(messages, ['Deadlock']);
    await provider!.getChildren();
    await delay(0);
    assert.deepEqual(messages, ['Deadlock']);
  });
});
