/**
 * A process that runs may name anything as its program and libraries: a FIFO that gdb opens keeps it, and whoever attaches,
 * for ever. What gdb would open is looked at before.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DapClient } from '../support/dap-client';
import { processState } from '../support/process-state';
import { runCli } from '../support/run-cli';

const adapter = join(__dirname, '..', '..', 'dist', 'adapter.js');

/** Names its argument as the file of its last library, and says when it has. */
const program = `
#include <link.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    struct link_map *last = _r_debug.r_map;
    while (last->l_next != NULL)
        last = last->l_next;
    if (argc > 1)
        last->l_name = argv[1];
    puts("ready");
    fflush(stdout);
    for (;;)
        pause();
}`;

describe('a running process with a file that gdb would open and wait for', () => {
  let folder: string;
  let solver: string;
  let child: ChildProcess | undefined;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'mpidbg-special-'));
    solver = join(folder, 'solver');
    writeFileSync(join(folder, 'solver.c'), program);
    execFileSync('gcc', ['-g', '-o', solver, join(folder, 'solver.c')]);
  });
  afterEach(() => {
    child?.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  async function start(...args: string[]): Promise<number> {
    const started = spawn(solver, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    child = started;
    await once(started.stdout, 'data', { signal: AbortSignal.timeout(30_000) });
    return started.pid!;
  }

  /** Makes the FIFO, and starts what has gdb open it. */
  const hostile: Readonly<Record<string, (fifo: (name: string) => string) => Promise<{ pid: number; path: string }>>> =
    {
      'named as a library': async (fifo) => {
        const path = fifo('libdepth.so');
        return { pid: await start(path), path };
      },
      'beside a library that it names': async (fifo) => {
        const path = fifo('libdepth.so-gdb.py');
        return { pid: await start(join(folder, 'libdepth.so')), path };
      },
      'beside the program': async (fifo) => ({ path: fifo('solver-gdb.py'), pid: await start() }),
      'in the place of the program': async (fifo) => {
        const pid = await start();
        rmSync(solver);
        return { pid, path: fifo('solver') };
      },
      'that the program names for its debug information': async (fifo) => {
        writeFileSync(join(folder, 'solver.debug'), 'x');
        execFileSync('objcopy', ['--add-gnu-debuglink=solver.debug', 'solver'], { cwd: folder });
        rmSync(join(folder, 'solver.debug'));
        return { path: fifo('solver.debug'), pid: await start() };
      },
    };
  const fifo = (name: string): string => {
    execFileSync('mkfifo', [join(folder, name)]);
    return join(folder, name);
  };

  for (const [where, make] of Object.entries(hostile)) {
    it(`${where}: refused, and the process runs on, in the terminal and in a debug session`, async () => {
      const { pid, path } = await make(fifo);
      const refused = `process ${pid} cannot be attached to: gdb would open ${path}, which is not a regular file, and wait for it`;
      const { stdout, stderr } = await runCli(['stacks', '--pid', String(pid)], 30_000);
      assert.ok(`${stdout}${stderr}`.includes(refused), stdout + stderr);
      const { client, process: adapterProcess } = DapClient.spawn(adapter);
      try {
        await client.request('initialize', { adapterID: 'mpidbg' });
        await assert.rejects(client.request('attach', { pids: [pid] }), (error: Error) =>
          error.message.includes(refused),
        );
        await client.request('disconnect');
      } finally {
        adapterProcess.kill();
      }
      assert.equal(processState(pid), 'S');
    });
  }

  for (const name of ['libgone.so', '.'])
    it(`nothing of that, but ${name === '.' ? 'a folder' : 'what is not there'}: attached to`, async () => {
      const pid = await start(join(folder, name));
      const { stdout, stderr, status } = await runCli(['stacks', '--pid', String(pid)], 30_000);
      assert.equal(status, 0, stderr);
      assert.match(stdout, /main \(solver.c:15\)/);
    });
});
