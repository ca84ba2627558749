/** Runs the built command line as a user would: node dist/cli.js. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Answer, Document } from '../../plugin-api/mpi/records';
import { patienceMs } from './patience';

export interface CliResult {
  status: number;
  stdout: string;
  stderr: string;
}

export const cli = join(__dirname, '..', '..', 'dist', 'cli.js');

/** Ends with any status; throws when the command is not built or outlives the deadline. `env`: added to ours. */
export function runCli(
  args: readonly string[],
  deadlineMs = patienceMs,
  env: NodeJS.ProcessEnv = {},
  cwd = process.cwd(),
): Promise<CliResult> {
  if (!existsSync(cli)) throw new Error(`${cli} is missing: run npm run build`);
  return new Promise((resolve, reject) => {
    const options = { cwd, timeout: deadlineMs, maxBuffer: 64 * 1024 * 1024, env: { ...process.env, ...env } };
    execFile(process.execPath, [cli, ...args], options, (error, stdout, stderr) => {
      if (error?.killed) reject(new Error(`mpidbg ${args.join(' ')} did not end within ${deadlineMs} ms\n${stderr}`));
      else resolve({ status: typeof error?.code === 'number' ? error.code : error ? -1 : 0, stdout, stderr });
    });
  });
}

/** What `mpidbg show` answers of rank 0 of a job. `options`: more of them, such as `--frame`. */
export async function showOfRankZero(
  launcherPid: number,
  expressions: readonly string[],
  options: readonly string[] = [],
): Promise<Answer[]> {
  const target = ['--launcher', String(launcherPid), '--ranks', '0', ...options];
  const { stdout, stderr } = await runCli(['show', ...expressions, ...target, '--json']);
  const [rank] = (JSON.parse(stdout) as Document).ranks;
  assert.ok(rank !== undefined && 'answers' in rank, stderr);
  return rank.answers;
}
