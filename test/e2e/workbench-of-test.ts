/** The workbench of one test: closed after it, explained when it failed, and nothing may be left running. */
import assert from 'node:assert/strict';
import { Workbench } from './workbench';

/** For a `describe`: what opens the workbench of each of its tests. */
export function workbenchOfEachTest(): typeof Workbench.open {
  let opened: Workbench | undefined;
  afterEach(async function () {
    const workbench = opened;
    opened = undefined;
    if (this.currentTest?.state === 'failed') console.error(await workbench?.explain());
    assert.deepEqual((await workbench?.close()) ?? [], [], 'processes that are left running');
  });
  return async (name, prepare) => (opened = await Workbench.open(name, prepare));
}
