import assert from 'node:assert/strict';
import { forgetEditor } from '../../adapter/editor-environment';

describe('environment of the debugged program', () => {
  it("has nothing of VS Code's own processes", () => {
    const env = { VSCODE_IPC_HOOK_CLI: '/run/x.sock', ELECTRON_RUN_AS_NODE: '1', PATH: '/usr/bin', MY_VSCODE_: 'mine' };
    forgetEditor(env);
    assert.deepEqual(env, { PATH: '/usr/bin', MY_VSCODE_: 'mine' });
  });
});
