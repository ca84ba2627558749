/** The variables of agents on this host, in a file that only the user can read: what has an agent's environment hands it down. */
import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { privateFolder } from './private-folders';

export class VariablesFile {
  readonly path: string;

  /** @throws {Error} of node:fs, if it cannot be written. */
  constructor(variables: Readonly<Record<string, string>>) {
    const folder = privateFolder();
    removeLeft(folder);
    this.path = join(folder, `agents-${process.pid}-${randomBytes(8).toString('hex')}`);
    const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}\n`);
    writeFileSync(this.path, lines.join(''), { mode: 0o600, flag: 'wx' });
  }

  remove(): void {
    rmSync(this.path, { force: true });
  }
}

/** Those of adapters that were killed. */
function removeLeft(folder: string): void {
  for (const file of readdirSync(folder)) {
    const pid = /^agents-(\d+)-/.exec(file)?.[1];
    if (pid !== undefined && !isThere(Number(pid))) rmSync(join(folder, file), { force: true });
  }
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
