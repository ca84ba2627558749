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
  /** It did not end in its time. */
  hung?: true;
  output: string;
}

/** What is needed of a program to run it. */
export type Runnable = Pick<SuiteProgram, 'ranks' | 'args' | 'env'>;

/** Started, but not ended. */
const launched = new Set<ChildProcess>();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    for (const launcher of launched) launcher.kill('SIGTERM');
    process.exit(130);
  });
}

/** Bytes of output that are kept, the last ones. */
const maxOutput = 1 << 20;

/** Lets ranks run. */
const noListener: Listener = {
  stops: () => [],
  stopped: () => Promise.resolve(),
  isToWatch: () => false,
  waiting: () => Promise.resolve(),
  ended: () => undefined,
};

/** `through`: what goes before the program. `patienceMs`: without a sign of life for so long, it hangs. */
export async function runProgram(
  mpi: Mpi,
  program: Runnable,
  built: { path: string; library: string | undefined; through?: readonly string[] },
  heard: Partial<Listener> = {},
  patienceMs = 30_000,
): Promise<Run> {
  const listener = { ...noListener, ...heard };
  const folder = mkdtempSync(join(tmpdir(), 'mpidbg-suite-'));
  const path = join(folder, 'socket');
  let problem: string | undefined;
  let hung = false;
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
  const inRank = [...preload, ...(built.through ?? []), built.path, ...program.args];
  const launcher = spawn(command, [...args, '-n', String(program.ranks), ...inRank], {
    cwd: folder, // for the files that it writes
    env: { ...process.env, ...env, ...program.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  launched.add(launcher);
  let output = '';
  const take = (chunk: Buffer): void => void (output = (output + chunk.toString()).slice(-maxOutput));
  launcher.stdout.on('data', take);
  launcher.stderr.on('data', take);
  const watch = setInterval(() => {
    if (Date.now() - alive < patienceMs) return;
    problem ??= `it did nothing for ${patienceMs / 1000} s`;
    hung = true;
    for (const pid of pids) killIfThere(pid);
    launcher.kill('SIGTERM');
  }, 1000);
  try {
    const [status, signal] = (await once(launcher, 'close')) as [number | null, string | null];
    if (status !== 0) problem ??= `it ended with ${signal ?? `status ${status}`}`;
    return { ...(problem === undefined ? {} : { failure: problem }), ...(hung ? { hung } : {}), output };
  } finally {
    launched.delete(launcher);
    clearInterval(watch);
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
