/** The same job with one plain gdb per rank: gdb's own defaults, in its machine interface. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { Duplex } from 'node:stream';
import { MiConnection } from '../adapter/gdb/mi/mi-connection';
import { costBelow } from './process-cost';
import type { Scenario, StoppedJob } from './scenario';

export function startGdbPerRank(scenario: Scenario): Promise<StoppedJob> {
  return scenario.pids === undefined ? launched(scenario) : attached(scenario.pids);
}

/** Started by the launcher, each gdb runs its rank. */
async function launched(scenario: Scenario): Promise<StoppedJob> {
  const { launcher, launcherArgs, program, ranks, source, line } = scenario;
  const server = createServer();
  const connected = new Promise<Socket[]>((resolve) => {
    const sockets: Socket[] = [];
    server.on('connection', (socket) => {
      socket.setNoDelay();
      if (sockets.push(socket) === ranks) resolve(sockets);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const wrapped = ['perl', join(__dirname, 'gdb-per-rank.pl'), String(port), program];
  const job = spawn(launcher, [...launcherArgs, '-n', String(ranks), ...wrapped], { stdio: 'ignore' });
  const gdbs = (await connected).map((socket) => new MiConnection(socket));
  await allStopped(gdbs, async (gdb) => {
    await gdb.command(`-break-insert ${source}:${line}`);
    await gdb.command('-exec-run');
  });
  return {
    ...stopped(gdbs),
    cost: () => costBelow(job.pid!, ({ name }) => name === 'gdb'),
    async end() {
      const exited = once(job, 'exit');
      for (const gdb of gdbs) gdb.command('-gdb-exit').catch(() => undefined); // it does not wait for the answer
      job.kill('SIGTERM');
      await exited;
      server.close();
    },
  };
}

async function attached(pids: readonly number[]): Promise<StoppedJob> {
  const processes = pids.map(() => spawn('gdb', ['-nx', '-q', '-i=mi3', '-iex', 'set debuginfod enabled off']));
  const gdbs = processes.map(
    ({ stdin, stdout }) => new MiConnection(Duplex.from({ readable: stdout, writable: stdin })),
  );
  const ours = new Set(processes.map(({ pid }) => pid));
  await allStopped(gdbs, (gdb) => gdb.command(`-target-attach ${pids[gdbs.indexOf(gdb)]}`));
  return {
    ...stopped(gdbs),
    cost: () => costBelow(process.pid, ({ pid }) => ours.has(pid)),
    async end() {
      const exited = processes.map((each) => once(each, 'exit'));
      for (const gdb of gdbs) gdb.command('-gdb-exit').catch(() => undefined);
      await Promise.all(exited);
    },
  };
}

function stopped(gdbs: readonly MiConnection[]): Pick<StoppedJob, 'stepAll' | 'stacks'> {
  return {
    stepAll: () => allStopped(gdbs, (gdb) => gdb.command('-exec-next')),
    stacks: async () => void (await Promise.all(gdbs.map((gdb) => gdb.command('-stack-list-frames')))),
  };
}

/** Does `act` with every gdb; resolves when the rank of each has stopped because of it. */
async function allStopped(gdbs: readonly MiConnection[], act: (gdb: MiConnection) => Promise<unknown>): Promise<void> {
  const stops = gdbs.map(
    (gdb) =>
      new Promise<void>((resolve) => {
        const listener = ({ class: what }: { class: string }): void => {
          if (what !== 'stopped') return;
          gdb.off('async', listener);
          resolve();
        };
        gdb.on('async', listener);
      }),
  );
  await Promise.all(gdbs.map(act));
  await Promise.all(stops);
}
