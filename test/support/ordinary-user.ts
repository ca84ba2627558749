/** Running things as a user who is not root: what most people are. */
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const nobody = 65534;
const root = join(__dirname, '..', '..');

/** A folder of the user's own with copies of the debugger and of programs: the checkout may be out of the user's reach. */
export class OrdinaryUser {
  /** In /tmp: a TMPDIR of ours may be out of the user's reach. */
  readonly home = mkdtempSync('/tmp/mpidbg-user-');
  /** For spawn: who, where, and with which environment. Whoever runs the tests without being root is ordinary enough. */
  readonly spawnOptions: { uid?: number; gid?: number; cwd: string; env: NodeJS.ProcessEnv };

  constructor() {
    const env: NodeJS.ProcessEnv = { ...process.env, HOME: this.home, TMPDIR: this.home };
    for (const name of Object.keys(env)) if (name.startsWith('OMPI_ALLOW_RUN_AS_ROOT')) delete env[name];
    const who = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};
    this.spawnOptions = { ...who, cwd: this.home, env };
    chmodSync(this.home, 0o777);
    mkdirSync(join(this.home, 'dist'));
    for (const file of ['adapter.js', 'cli.js', 'cli', 'agent.pl', 'node-agent.pl', 'tcp-counters.pl'])
      cpSync(join(root, 'dist', file), join(this.home, 'dist', file), { recursive: true });
  }

  /** The path of the user's copy of a built sample. */
  copyOfProgram(path: string): string {
    const copy = join(this.home, 'program');
    cpSync(path, copy);
    chmodSync(copy, 0o755);
    return copy;
  }

  dist(file: string): string {
    return join(this.home, 'dist', file);
  }

  remove(): void {
    rmSync(this.home, { recursive: true, force: true });
  }
}
