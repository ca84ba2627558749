// Runs commands for the scripts of this folder, which use nothing but Node: they work before `npm ci`.
import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The path of a program of node_modules/.bin. */
export const tool = (name) => join(root, 'node_modules', '.bin', name);

/** True when the module is the program that node was started with, and not imported by another script. */
export const isMain = (moduleUrl) =>
  process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(moduleUrl);

/** The path of a program of this name in PATH; undefined if there is none. */
export function findOnPath(command) {
  const candidates = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, command));
  return candidates.find((candidate) => {
    try {
      accessSync(candidate, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** True if a program of this name is in PATH. */
export const onPath = (command) => findOnPath(command) !== undefined;

/**
 * Runs a command in the root of the repository and waits for its end.
 * @param {{ capture?: boolean, env?: Record<string, string> }} [options] capture: return what it printed (both
 *   streams, in order) instead of showing it.
 * @returns {Promise<{ status: number, output: string }>} status: as a shell gives it; 127 when it could not be started.
 */
export function run(command, args, { capture = false, env = {} } = {}) {
  return new Promise((done) => {
    const child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: capture ? ['ignore', 'pipe', 'pipe'] : 'inherit',
    });
    let output = '';
    child.stdout?.on('data', (chunk) => (output += chunk));
    child.stderr?.on('data', (chunk) => (output += chunk));
    child.on('error', (error) => done({ status: 127, output: `${command}: ${error.message}\n` }));
    child.on('close', (code, signal) =>
      done({ status: code ?? 128, output: signal ? `${output}${signal}\n` : output }),
    );
  });
}

/** The same, for a step that the rest depends on: throws an Error that names the command. */
export async function must(command, args, options) {
  const { status, output } = await run(command, args, options);
  if (status !== 0) throw new Error(`${output}\`${[command, ...args].join(' ')}\` failed (status ${status})`);
  return output;
}
