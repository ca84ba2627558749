/**
 * Removes what VS Code sets for processes of its own: gdb, the launcher and the ranks inherit our environment, and the
 * program of the user has to see the one that it would see in a terminal.
 */
export function forgetEditor(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(env)) {
    if (/^(VSCODE|ELECTRON)_/.test(name)) delete env[name];
  }
}
