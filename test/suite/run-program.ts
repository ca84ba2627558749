/** Runs one program of the suite, with the preloaded library or without it, to its end or its time. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { killIfThere, launchers, type Mpi } from '../support/sample-job';
import type { SuiteProgram } from './programs';
import { serveRank, type Listener } from './rank-connection';

export interface Run {
  /** Why it says nothing of mpidbg: it failed or hung by itself. */
  failure?: string;
  output: string;
}

/** Started, but not ended. */
const launched = new Set<ChildProcess>();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    for (const launcher of launched) launcher.kill('SIGTERM');
    process.exit(130);
  });
}

/** Without a sign of life for so long, a program hangs. */
const patienceMs = 30_000;

export async function runProgram(
  mpi: Mpi,
  program: SuiteProgram,
  built: { path: string; library: string | undefined },
  listener: Listener,
): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), 'mpidbg-suite-'));
  const path = join(folder, 'socket');
  let problem: string | undefined;
  const pids = new Set<number>();
  let alive = Date.now();
  const server = createServer((socket) => {
    socket.on('error', () => undefined); // a rank that ends without a word
    socket.on('data', () => (alive = Date.now()));
    serveRank(socket, {
      ...listener,
      stopped: async (stop) => {
        pids.add(stop.pid);
        await listener.stopped(stop);
        alive = Date.now();
      },
      waiting: async (stop, hasLeft) => {
        await listener.waiting(stop, hasLeft);
        alive = Date.now();
      },
    }).catch((error: Error) => {
      problem ??= error.message;
      socket.destroy();
    });
  });
  server.listen(path);
  await once(server, 'listening');
  const { command, args, env } = launchers[mpi];
  const preload = built.library === undefined ? [] : ['env', `LD_PRELOAD=${built.library}`, `MPIDBG_SUITE=${path}`];
  const inRank = [...preload, built.path, ...program.args];
  const launcher = spawn(command, [...args, '-n', String(program.ranks), ...inRank], {
    cwd: folder, // for the files that it writes
    env: { ...process.env, ...env, ...program.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  launched.add(launcher);
  let output = '';
  const take = (chunk: Buffer): void => void (output = (output + chunk.toString()).slice(-4000));
  launcher.stdout.on('data', take);
  launcher.stderr.on('data', take);
  const watch = setInterval(() => {
    if (Date.now() - alive < patienceMs) return;
    problem ??= `it did nothing for ${patienceMs / 1000} s`;
    for (const pid of pids) killIfThere(pid);
    launcher.kill('SIGTERM');
  }, 1000);
  try {
    const [status, signal] = (await once(launcher, 'close')) as [number | null, string | null];
    if (status !== 0) problem ??= `it ended with ${signal ?? `status ${status}`}`;
    return { ...(problem === undefined ? {} : { failure: problem }), output };
  } finally {
    launched.delete(launcher);
    clearInterval(watch);
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
