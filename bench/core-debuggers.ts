/** Two ways to look at core files, to the stacks of all of them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Duplex } from 'node:stream';
import { MiConnection } from '../adapter/gdb/mi/mi-connection';
import { DapClient } from '../test/support/dap-client';
import { costBelow } from './process-cost';
import type { StoppedJob } from './scenario';

export type OpenedCores = Pick<StoppedJob, 'stacks' | 'cost' | 'end'>;

/** The debug adapter, driven as an editor drives it: open when the last rank has been told. */
export async function mpidbgOnCores(program: string, cores: readonly string[]): Promise<OpenedCores> {
  const { client, process: adapter } = DapClient.spawn(join(__dirname, '..', 'dist', 'adapter.js'));
  await client.request('initialize', { adapterID: 'mpidbg' });
  const attached = client.request('attach', { cores, program });
  await Promise.race([client.waitFor('initialized', () => true, { timeoutMs: 120_000 }), attached]);
  await client.request('configurationDone');
  await attached;
  await client.waitFor('stopped', () => true, { timeoutMs: 120_000 });
  return {
    stacks: async () => void (await client.request('mpidbg/stacks')),
    cost: () =>
      costBelow(adapter.pid!, (p) => p.pid === adapter.pid || p.name === 'gdb' || p.commandLine.includes('agent.pl')),
    async end() {
      const exited = once(adapter, 'exit');
      await client.request('disconnect');
      adapter.stdin?.end();
      await exited;
    },
  };
}

/** All at once, each with its own symbols. */
export async function gdbPerCore(program: string, cores: readonly string[]): Promise<OpenedCores> {
  const options = ['-nx', '-q', '-i=mi3', '-iex', 'set debuginfod enabled off', '-iex', 'set pagination off'];
  const processes = cores.map((core) => spawn('gdb', [...options, program, core]));
  const gdbs = processes.map(
    ({ stdin, stdout }) => new MiConnection(Duplex.from({ readable: stdout, writable: stdin })),
  );
  const ours = new Set(processes.map(({ pid }) => pid));
  // The first answer comes when gdb has opened the core.
  await Promise.all(gdbs.map((gdb) => gdb.command('-thread-info')));
  return {
    stacks: async () => {
      const texts = await Promise.all(
        gdbs.map((gdb) => gdb.commandOutput('-interpreter-exec console "thread apply all bt"')),
      );
      if (!texts.every((text) => text.includes('main'))) throw new Error('gdb shows no stack of main');
    },
    cost: () => costBelow(process.pid, ({ pid }) => ours.has(pid)),
    async end() {
      const exited = processes.map((each) => once(each, 'exit'));
      for (const gdb of gdbs) gdb.command('-gdb-exit').catch(() => undefined); // it does not wait for the answer
      await Promise.all(exited);
    },
  };
}
